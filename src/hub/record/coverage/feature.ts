// The coverage feature: records what was observed, for as long as the log; each total says its coverage.

import { limits } from '#contract/limits.ts';
import type { Coverage } from '#contract/model.ts';
import { refuseField } from '#kernel/errors.ts';
import { decodeJson, readyJson, withMembers } from '#kernel/http/ready-body.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import { findKeptSince } from '../../base/storage/kept-since.ts';
import { describeCoverage } from './metrics.ts';
import { type CoverPoll, createPollCoverage, gapIntervals } from './polls.ts';
import { readUnseenReports } from './unseen.ts';
import { forgetSpans, startCoverageUpkeep } from './upkeep.ts';
import { startCoverageWatch } from './watch.ts';

/** The part of the log that a total covers. */
export interface Scope {
  from?: number | undefined;
  to?: number | undefined;
  sourceKind?: 'router' | 'agent' | undefined;
  sourceId?: string | undefined;
}

export interface CoverageFeature extends Feature<Pick<HubHandlers, 'coverage'>> {
  coverPoll: CoverPoll;
  /** Deletes what ended before an instant, in the transaction of the caller. */
  forget: typeof forgetSpans;
  /** Measures how much of a scope was observed. */
  measure(scope: Scope, signal: AbortSignal): Promise<Coverage>;
}

/** `features` is called every minute; each feature reports the state of its subjects. */
export function startCoverageFeature(
  { db, clock, log, readers, settings, options }: Base,
  features: () => readonly Feature[],
): CoverageFeature {
  const intervalMs = options.pollIntervalMs ?? limits.pollIntervalMs;
  const startedAt = clock.now();
  const lateMs = gapIntervals * intervalMs + minuteMs;
  const stack = new AsyncDisposableStack();
  const states = () => features().flatMap((feature) => feature.coverage?.() ?? []);
  stack.use(startCoverageWatch({ db, clock, log, states, startedAt }));
  stack.use(startCoverageUpkeep({ db, clock, log, keptSince: () => findKeptSince({ clock, db, settings }) }));
  return {
    coverPoll: createPollCoverage({ intervalMs, startedAt }),
    async measure({ from, to, sourceKind, sourceId }, signal) {
      const asked = { from, to, now: clock.now(), lateMs, kind: sourceKind, key: sourceId };
      return decodeJson(await readers.reads.ask('coverageOf', asked, signal));
    },
    metrics: (signal) => describeCoverage(readers.reads, { now: clock.now(), lateMs }, signal),
    forget: forgetSpans,
    handlers: {
      coverage: {
        async coverage({ query, signal }) {
          const { from, to, buckets: asked = limits.summaryBucketsDefault } = query;
          if (from !== undefined && to !== undefined && to < from) {
            throw refuseField('invalid_query', 'to', 'is before from', 'before_start');
          }
          const buckets = Math.min(Math.max(asked, 1), limits.summaryBuckets);
          const now = clock.now();
          const unseen = await readUnseenReports(states(), { reads: readers.reads, now, signal });
          const { bytes } = await readers.reads.ask('coverage', { from, to, buckets, now, lateMs, unseen }, signal);
          const chosen = settings
            .current()
            .privacy.rules.map(({ id, kind, value, since }) => ({ id, kind, value, since }));
          return readyJson(withMembers(bytes, { chosen, serverTime: now }));
        },
      },
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

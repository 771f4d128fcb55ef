// Coverage of routers: when a router was not read, and which connections its reads cannot show.
import type { Clock } from '#kernel/time/clock.ts';
import { blindSpotSentences } from '../../base/blind-spots.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import type { CoverageState, Subject, UnseenState } from '../../record/coverage/span.ts';
import { getRouterName } from './public-router.ts';
import type { Registry } from './registry.ts';
import type { RouterStatuses } from './runtime.ts';
import { UnseenCounts } from './unseen/counts.ts';
import { percent } from './unseen/messages.ts';
import { needsEvents, reportUnseen } from './unseen/report.ts';

const betweenReads = blindSpotSentences.between_reads;

export function toRouterSubject(record: RouterRecord): Subject {
  return { kind: 'router', key: record.id, name: getRouterName(record), cannotSee: [betweenReads] };
}

/** Missed reads before a gap is reported; a single read may just be late. */
const lateReads = 2;

interface Parts {
  registry: Pick<Registry, 'list'>;
  statuses: RouterStatuses;
  /** Counts from the reads of a router; null when it is not read. */
  findUnseenCounts: (id: string) => UnseenCounts | null;
  clock: Clock;
  /** When the hub began to read routers, epoch milliseconds. */
  startedAt: number;
}

export function toRouterCoverage(
  { registry, statuses, findUnseenCounts, clock, startedAt }: Parts,
  intervalMs: number,
): CoverageState[] {
  return registry.list().map((record) => {
    const { lastSuccessAt, failure } = statuses.of(record);
    const isLate = clock.now() - (lastSuccessAt ?? startedAt) > lateReads * intervalMs;
    const gap = !record.enabled ? 'disabled' : isLate ? (failure ?? 'waiting') : null;
    const unseen = toUnseenState(findUnseenCounts(record.id) ?? new UnseenCounts(intervalMs));
    return { ...toRouterSubject(record), gap, seenUntil: null, part: null, togetherMs: 0, unseen };
  });
}

function toUnseenState(counts: UnseenCounts): UnseenState {
  return {
    needsEvents: needsEvents(counts),
    report(events) {
      const unseen = reportUnseen(counts, events);
      return {
        unseen,
        cannotSee: [unseen.share === null ? betweenReads : `${betweenReads}: about ${percent(unseen.share)}`],
        blindSpots: [{ code: 'between_reads', share: unseen.share }],
      };
    },
  };
}

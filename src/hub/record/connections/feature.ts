// The connection log as a feature: recording, queries, retention.
import { limits } from '#contract/limits.ts';
import { decodeJson } from '#kernel/http/ready-body.ts';
import { isUnreadable } from '#kernel/sqlite/refused-write.ts';
import { startJob } from '#kernel/time/job.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import { findKeptSince, measureUsedBytes } from '../../base/storage/kept-since.ts';
import type { Devices } from '../../identify/devices/devices.ts';
import type { EnrichmentFeature } from '../../identify/enrichment/feature.ts';
import type { ThreatFeature } from '../../identify/threat/feature.ts';
import type { CoverageFeature } from '../coverage/feature.ts';
import { checkScope, createConnectionHandlers } from './handlers.ts';
import { createHistory, type HistoryOptions } from './history/history.ts';
import { createLogMetrics } from './metrics.ts';
import type { FindMark, Marks } from './privacy/marks.ts';
import type { CompareParams, Comparison } from './query/compare.ts';
import {
  type Contact,
  createRecorder,
  judgeContact,
  type RecordBatch,
  type RecorderOptions,
} from './record/recorder.ts';
import { writeTranslated } from './record/translation-writer.ts';
import type { FactProvider } from './store/facts.ts';
import type { Translated } from './store/flow-link.ts';
import { findFirstHour } from './store/hour-rows.ts';
import type { Observers } from './store/observer-set.ts';
import { startStoreKeeper } from './summary/keeper.ts';
import type { Growth } from './upkeep/growth.ts';
import { startHourPacker } from './upkeep/hour-packer.ts';
import { startRetention } from './upkeep/retention.ts';
import { predictRemoval, type RetentionState, toRetentionStatus } from './upkeep/retention-status.ts';

export interface ConnectionsFeature extends Feature<Pick<HubHandlers, 'connections'>> {
  /** Records a batch as a whole or not at all, then raises its threats and publishes the changed flows. */
  record: RecordBatch;
  /** Stores the translations that a router's table shows, in the transaction of its batch. */
  writeTranslated: typeof writeTranslated;
  /** Raises the threats among contacts that are not kept, where the rule asks for it. */
  tellUnkept(contacts: readonly Contact[]): Promise<void>;
  /** Returns the instant before which the retention will have removed rows in `ms`. */
  predictRemoval(ms: number): number;
  /** Compares two periods. Rejects with AppError `invalid_query` when the scope names no known router or Agent. */
  compare(params: CompareParams, signal: AbortSignal): Promise<Comparison>;
}

interface Peers extends Pick<RecorderOptions, 'detection' | 'announcer' | 'starts' | 'sessionLog'> {
  devices: Pick<Devices, 'noteTraffic' | 'describeSource'>;
  enrichment: Pick<EnrichmentFeature, 'ready' | 'describe' | 'describeHost' | 'localOrigins' | 'vendorData'>;
  threat: Pick<ThreatFeature, 'judge' | 'judged' | 'evidence'>;
  observers: Observers;
  coverage: Pick<CoverageFeature, 'measure' | 'forget'>;
  marks: Marks;
  /** ClickHouse with the hours that the hub no longer keeps; null without one. */
  historySource: HistoryOptions['source'];
}

/** Returns null when a page is damaged: the status goes on saying so. */
function readUnlessDamaged<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isUnreadable(error)) {
      return null;
    }
    throw error;
  }
}

export function startConnectionsFeature(
  { clock, log, db, settings, signals, readers, options }: Base,
  { devices, enrichment, threat, observers, coverage, historySource, marks, ...recorderPeers }: Peers,
): ConnectionsFeature {
  const pollMs = options.pollIntervalMs ?? limits.pollIntervalMs;
  const stack = new AsyncDisposableStack();
  const keeper = stack.use(startStoreKeeper({ clock, log, db, thread: readers.summaries }));
  signals.on('logErased', keeper.forget);
  const retentionDays = () => settings.current().general.retentionDays;
  const limitBytes = () => settings.current().general.retentionBytes;
  const keptSince = () => findKeptSince({ clock, db, settings });
  let growth: Growth = { bytesPerDay: null };
  stack.use(startRetention({ db, clock, log, keptSince, limitBytes, forgetCoverage: coverage.forget }));
  stack.use(
    startJob(clock, log, {
      name: 'measuring the growth of the log',
      firstMs: limits.retentionFirstMs,
      everyMs: limits.retentionEveryMs,
      async run(signal) {
        growth = decodeJson(await readers.scans.ask('growth', { now: clock.now() }, signal));
      },
    }),
  );
  const logBegins = () => findFirstHour(db);
  const history = stack.use(createHistory({ clock, log, retentionDays, keptSince, logBegins, source: historySource }));
  const readState = (): RetentionState => ({
    usedBytes: measureUsedBytes(db),
    limitBytes: limitBytes(),
    ...growth,
    days: retentionDays(),
    since: readUnlessDamaged(logBegins),
    now: clock.now(),
  });
  stack.use(startHourPacker({ db, clock, log }));
  const factProvider = async (): Promise<FactProvider> => {
    await enrichment.ready;
    const describeSource = (address: string) => devices.describeSource(address) ?? enrichment.describeHost(address);
    return { describe: enrichment.describe, describeSource, judge: threat.judge };
  };
  return {
    record: createRecorder({ db, log, devices, pollMs, factProvider, marks, ...recorderPeers }),
    writeTranslated: (writer, translated) => writeTranslated(writer, withoutUnkept(marks, translated)),
    async tellUnkept(contacts) {
      const { judge } = await factProvider();
      const threats = contacts.flatMap((contact) => judgeContact(judge, contact) ?? []);
      await recorderPeers.detection.threats(threats);
    },
    predictRemoval: (ms) => predictRemoval(readState(), ms),
    status: () => toRetentionStatus(readState()),
    async compare(params, signal) {
      checkScope({ observers }, params.scope);
      return decodeJson(await readers.reads.ask('comparePeriods', params, signal));
    },
    metrics: createLogMetrics(clock, readers.reads),
    handlers: {
      connections: createConnectionHandlers({
        ...readers,
        summaries: keeper.thread,
        clock,
        onErased: (listener) => void signals.on('logErased', listener),
        observers,
        history,
        judged: threat.judged,
        measureCoverage: coverage.measure,
        detailPeers: { ...enrichment, evidence: threat.evidence },
      }),
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Leaves out the connections of sources whose destinations are not kept. */
function withoutUnkept(marks: Marks, translated: Translated): Translated {
  const finders = new Map<string, FindMark>();
  const links = translated.links.filter(({ inner, innerRouter }) => {
    const findMark = finders.get(innerRouter) ?? marks.open({ routerId: innerRouter, kind: 'router' });
    finders.set(innerRouter, findMark);
    return findMark(inner.src) === null;
  });
  return { ...translated, links };
}

// Records observations, then raises detections and publishes the changes.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { Base } from '../../../base/feature.ts';
import type { Detections } from '../../../identify/detection/detections.ts';
import type { Devices } from '../../../identify/devices/devices.ts';
import type { Announcer } from '../announce.ts';
import { type ChangedConnections, createChangedConnections } from '../query/changed.ts';
import type { FactProvider, ThreatFlow } from '../store/facts.ts';
import type { Recorded } from '../store/observation.ts';
import type { MergedFlow } from './merge.ts';
import { type Batch, recordObservations } from './record.ts';

/** Stores when sessions of known flows began, in the transaction of their batch. */
export interface StartRecorder {
  isWorthKeeping(flow: MergedFlow): boolean;
  writeStarts(writer: Writer, flows: readonly MergedFlow[], pollMs: number): WriteSteps<void>;
}

/** Stores the sessions of routers that others compare with what Agents report, in the transaction of their batch. */
export interface SessionLog {
  writeSessions(writer: Writer, batch: Pick<Batch, 'routerId' | 'observations'>): WriteSteps<void>;
}

export interface RecorderOptions extends Pick<Base, 'db' | 'log'> {
  devices: Pick<Devices, 'noteTraffic'>;
  detection: Pick<Detections, 'threats'>;
  announcer: Pick<Announcer, 'publish'>;
  starts: StartRecorder;
  sessionLog: SessionLog;
  /** Milliseconds between two reads of a table. */
  pollMs: number;
  /** Describes and judges new rows; awaited before each batch. */
  factProvider: () => Promise<FactProvider>;
}

interface RecordedBatch
  extends Pick<Batch, 'routerId' | 'kind' | 'name' | 'observations' | 'ends' | 'now' | 'alsoWrite'> {
  /** Where changed flows are noted; the caller publishes them. They are published at once when absent. */
  changed?: ChangedConnections;
}

export type RecordBatch = (batch: RecordedBatch) => Promise<Recorded>;

export function createRecorder(options: RecorderOptions): RecordBatch {
  const { db, log, devices, detection, announcer, starts, sessionLog, pollMs } = options;
  return async (batch) => {
    const factProvider = await options.factProvider();
    const changed = batch.changed ?? createChangedConnections(limits.liveConnections);
    const started: MergedFlow[] = [];
    const report: { threats: readonly ThreatFlow[] } = { threats: [] };
    const recorded = await recordObservations(db, {
      ...batch,
      factProvider,
      onChanged: (flow, outcome) => {
        changed.note(flow);
        if (batch.kind !== 'agent') {
          devices.noteTraffic(batch.routerId, flow.src, flow.at);
        }
        if (outcome === 'renewed' && starts.isWorthKeeping(flow)) {
          started.push(flow);
        }
      },
      *alsoWrite(writer) {
        yield* starts.writeStarts(writer, started, pollMs);
        if (batch.kind !== 'agent') {
          yield* sessionLog.writeSessions(writer, batch);
        }
        if (batch.alsoWrite) {
          yield* batch.alsoWrite(writer);
        }
      },
      onRecorded: ({ threats }) => {
        report.threats = threats.first;
      },
    });
    await detection.threats(report.threats).catch((error: unknown) => {
      log.error({ err: error }, 'threats of a poll could not be raised; the next poll tries again');
    });
    if (batch.changed === undefined) {
      await announcer.publish(changed);
    }
    return recorded;
  };
}

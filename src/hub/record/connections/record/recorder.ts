// Records a batch of observations, then raises alerts for threats and publishes the changed connections.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { Base } from '../../../base/feature.ts';
import type { Detections } from '../../../identify/detection/detections.ts';
import type { Devices } from '../../../identify/devices/devices.ts';
import type { Announcer } from '../announce.ts';
import { type ChangedConnections, createChangedConnections } from '../query/changed.ts';
import type { FactProvider, ThreatFlow } from '../store/facts.ts';
import type { FlowCounts } from '../store/observation.ts';
import type { MergedFlow } from './merge.ts';
import { type Batch, recordObservations } from './record.ts';

/** Stores the starts of new sessions of known flows, in the transaction of the batch. */
interface StartRecorder {
  isWorthKeeping(flow: MergedFlow): boolean;
  writeStarts(writer: Writer, flows: readonly MergedFlow[], pollMs: number): WriteSteps<void>;
}

/** Stores router sessions for comparison with the reports of Agents, in the transaction of the batch. */
interface SessionWriter {
  writeSessions(writer: Writer, batch: Pick<Batch, 'routerId' | 'observations'>): WriteSteps<void>;
}

export interface RecorderOptions extends Pick<Base, 'db' | 'log'> {
  devices: Pick<Devices, 'noteTraffic'>;
  detection: Pick<Detections, 'threats'>;
  announcer: Pick<Announcer, 'publish'>;
  starts: StartRecorder;
  sessionLog: SessionWriter;
  /** Milliseconds between two reads of a router's table. */
  pollMs: number;
  /** Called before each batch; what it resolves to describes and judges the new flows. */
  factProvider: () => Promise<FactProvider>;
}

interface BatchInput extends Pick<Batch, 'routerId' | 'kind' | 'name' | 'observations' | 'ends' | 'now' | 'alsoWrite'> {
  /** Collects the changed flows for the caller to publish. When absent, the recorder publishes them itself. */
  changed?: ChangedConnections;
}

export type RecordBatch = (batch: BatchInput) => Promise<FlowCounts>;

export function createRecorder(options: RecorderOptions): RecordBatch {
  const { db, log, devices, detection, announcer, starts, sessionLog, pollMs } = options;
  return async (batch) => {
    const factProvider = await options.factProvider();
    const changed = batch.changed ?? createChangedConnections(limits.liveConnections);
    const started: MergedFlow[] = [];
    let threats: readonly ThreatFlow[] = [];
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
      onRecorded: (report) => {
        threats = report.threats.first;
      },
    });
    await detection.threats(threats).catch((error: unknown) => {
      log.error({ err: error }, 'threats of a poll could not be raised; the next poll tries again');
    });
    if (batch.changed === undefined) {
      await announcer.publish(changed);
    }
    return recorded;
  };
}

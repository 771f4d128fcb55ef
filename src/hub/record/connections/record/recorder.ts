// Records a batch of observations, then raises alerts for threats and publishes the changed connections.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { Base } from '../../../base/feature.ts';
import { unkeptAddress } from '../../../base/unkept-address.ts';
import type { Detections } from '../../../identify/detection/detections.ts';
import type { Devices } from '../../../identify/devices/devices.ts';
import type { Announcer } from '../announce.ts';
import { type Unkept, writeUnkept } from '../privacy/counts.ts';
import type { Marks } from '../privacy/marks.ts';
import { type ChangedConnections, createChangedConnections } from '../query/changed.ts';
import type { FactProvider, Judge, ThreatFlow } from '../store/facts.ts';
import type { FlowCounts, Observation } from '../store/observation.ts';
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
  /** Whose destinations are not kept: their observations are counted and go no further. */
  marks: Marks;
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
  const { db, log, devices, detection, announcer, starts, sessionLog, marks, pollMs } = options;
  return async (given) => {
    const factProvider = await options.factProvider();
    const { kept, unkept } = separateUnkept(marks, given);
    const batch = { ...given, observations: kept };
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
        writeUnkept(writer, unkept, { ...batch, factProvider });
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
    if (batch.kind !== 'agent') {
      for (const { observation } of unkept) {
        devices.noteTraffic(batch.routerId, observation.src, Math.min(observation.at, batch.now));
      }
    }
    await detection.threats([...threats, ...judgeUnkept(unkept, factProvider)]).catch((error: unknown) => {
      log.error({ err: error }, 'threats of a poll could not be raised; the next poll tries again');
    });
    if (batch.changed === undefined) {
      await announcer.publish(changed);
    }
    return recorded;
  };
}

function separateUnkept(marks: Marks, { routerId, kind, observations }: BatchInput) {
  const findMark = marks.open({ routerId, kind });
  const kept: Observation[] = [];
  const unkept: Unkept[] = [];
  for (const observation of observations) {
    // An Agent delivered such an observation while a rule covered it. The rule may be gone since.
    const isStripped = kind === 'agent' && observation.dst === unkeptAddress;
    const mark = findMark(observation.src) ?? (isStripped ? { holder: observation.src, tellThreats: false } : null);
    if (mark === null) {
      kept.push(observation);
    } else {
      unkept.push({ observation, mark });
    }
  }
  return { kept, unkept };
}

function judgeUnkept(unkept: readonly Unkept[], { judge }: FactProvider): ThreatFlow[] {
  return unkept.flatMap(({ observation, mark }) => (mark.tellThreats ? (judgeContact(judge, observation) ?? []) : []));
}

export type Contact = Pick<Observation, 'src' | 'dst' | 'dport' | 'proto'>;

/** Judges a contact by its address alone, because the hub keeps no names that a marked device asked for. */
export function judgeContact(judge: Judge, { src, dst, dport, proto: written }: Contact): ThreatFlow | null {
  const proto = written.toUpperCase();
  const threat = judge({ dst, dport, proto, host: null });
  return threat && { src, dst, dport, proto, threat };
}

// The only writer of connections: one transaction per batch, which yields to the event loop between small steps.
import type { Db, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { hourOf } from '#kernel/time/time.ts';
import { createFlowChanges } from '../store/change-log.ts';
import type { FactProvider, RecordReport } from '../store/facts.ts';
import type { FlowCounts, FlowEnds, Observation } from '../store/observation.ts';
import { ensureObserver, type Observer } from '../store/observer-set.ts';
import { writeEnds } from './end-writer.ts';
import { createFlowWriter } from './flow-writer.ts';
import { type MergedFlow, mergeObservations } from './merge.ts';

/** What one observer saw at one time: a router's whole table, or an Agent's delivery. */
export interface Batch extends Observer {
  observations: Iterable<Observation>;
  /** Flows whose sessions ended: only for a router whose whole table was read. */
  ends?: FlowEnds | null;
  /** Epoch milliseconds. Later times in the batch are stored as this one. */
  now: number;
  /** Describes and judges new rows. When absent, new rows have no facts and count as safe. */
  factProvider?: FactProvider;
  /** Called for each flow that is added or renewed, before the commit. */
  onChanged?: (flow: MergedFlow, outcome: 'added' | 'renewed') => void;
  /** Writes after the flows in the same transaction. */
  alsoWrite?: (writer: Writer) => WriteSteps<void>;
  /** Called once, after the commit. */
  onRecorded?: (report: RecordReport) => void;
  /** An abort rolls the whole batch back and rejects with its reason. */
  signal?: AbortSignal;
}

const stepRows = 128;

/**
 * Records a batch as a whole or not at all. Recording is idempotent. A known flow without new traffic is not written
 * unless the observer is new to it.
 */
export async function recordObservations(db: Db, batch: Batch): Promise<FlowCounts> {
  const { recorded, report } = await db.write((writer) => recordBatch(writer, batch));
  batch.onRecorded?.(report);
  return recorded;
}

function* recordBatch(writer: Writer, batch: Batch): WriteSteps<{ recorded: FlowCounts; report: RecordReport }> {
  batch.signal?.throwIfAborted();
  const flows = yield* mergeObservations(batch.observations, batch.now);
  const changes = createFlowChanges(writer, hourOf(batch.now));
  const observer = ensureObserver(writer, batch);
  if (batch.ends) {
    yield* writeEnds(writer, observer, batch.ends);
  }
  const flowWriter = createFlowWriter(writer, observer, changes, batch);
  const recorded: FlowCounts = { added: 0, renewed: 0, unchanged: 0 };
  let rows = 0;
  for (const flow of flows) {
    const outcome = flowWriter.write(flow);
    recorded[outcome] += 1;
    if (outcome !== 'unchanged') {
      batch.onChanged?.(flow, outcome);
    }
    rows += 1;
    if (rows % stepRows === 0) {
      batch.signal?.throwIfAborted();
      yield;
    }
  }
  changes.save();
  if (batch.alsoWrite) {
    yield* batch.alsoWrite(writer);
  }
  return { recorded, report: flowWriter.report() };
}

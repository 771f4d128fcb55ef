// Removes the log before an instant, in transactions short enough for polls to run in between.
import type { Db, Writer } from '#kernel/sqlite/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import { createFlowChanges, type FlowChanges } from '../store/change-log.ts';
import { findHours } from '../store/hour-rows.ts';

/** What a run removed. */
export interface PruneReport {
  flows: number;
  /** Hours of the log that are gone. */
  hours: number;
}

/** Rows of one statement, packs of one statement, statements of one transaction. */
const rowsAtOnce = 200;
const packsAtOnce = 4;
const statementsAtOnce = 10;

/**
 * Removes the hours that ended at or before `before` (epoch milliseconds) and the flows last seen in them. The
 * dictionaries stay: they hold when an address was first seen. An abort rejects with its reason; what is removed stays removed.
 */
export async function pruneConnections(db: Db, before: number, signal?: AbortSignal): Promise<PruneReport> {
  const cut = hourOf(before);
  const hours = findHours(db, 0, cut - 1).length;
  await deleteInTransactions(db, signal, rowsAtOnce, (writer) => deleteRows(writer, cut));
  await deleteInTransactions(db, signal, packsAtOnce, (writer) => deletePacks(writer, cut));
  const flows = await deleteInTransactions(db, signal, rowsAtOnce, (writer, changes) =>
    deleteFlows(writer, cut * hourMs, changes),
  );
  await db.write((writer) => {
    writer.prepare('DELETE FROM router_address WHERE last_seen < ?').run(cut * hourMs);
    writer.prepare('DELETE FROM unkept_hour WHERE hour < ?').run(cut);
  });
  return { flows, hours };
}

/** Deletes until a statement removes fewer than `atOnce` rows; returns their number. */
async function deleteInTransactions(
  db: Db,
  signal: AbortSignal | undefined,
  atOnce: number,
  prepare: (writer: Writer, changes: FlowChanges) => () => number,
): Promise<number> {
  let removed = 0;
  let isLast = false;
  while (!isLast) {
    signal?.throwIfAborted();
    const some = await db.write(function* (writer) {
      const changes = createFlowChanges(writer);
      const next = prepare(writer, changes);
      let rows = 0;
      for (let statement = 0; statement < statementsAtOnce && !isLast; statement += 1) {
        const deleted = next();
        rows += deleted;
        isLast = deleted < atOnce;
        yield;
      }
      changes.save();
      return rows;
    });
    removed += some;
  }
  return removed;
}

/** Each statement removes a range of the key. */
function deleteRows(writer: Writer, cut: number): () => number {
  const oldest = writer.prepare(
    'SELECT hour, flow_id AS flow FROM flow_hour WHERE hour < ? ORDER BY hour, flow_id LIMIT 1 OFFSET ?',
  );
  const some = writer.prepare('DELETE FROM flow_hour WHERE (hour, flow_id) < (?, ?)');
  const rest = writer.prepare('DELETE FROM flow_hour WHERE hour < ?');
  return () => {
    const end = oldest.get(cut, rowsAtOnce) as { hour: number; flow: number } | undefined;
    return (end ? some.run(end.hour, end.flow) : rest.run(cut)).changes;
  };
}

function deletePacks(writer: Writer, cut: number): () => number {
  const some = writer.prepare(
    'DELETE FROM flow_hour_pack WHERE hour IN (SELECT hour FROM flow_hour_pack WHERE hour < ? ORDER BY hour LIMIT ?)',
  );
  return () => some.run(cut, packsAtOnce).changes;
}

function deleteFlows(writer: Writer, before: number, changes: FlowChanges): () => number {
  const some = writer.prepare(
    'DELETE FROM flow WHERE id IN (SELECT id FROM flow WHERE last_seen < ? ORDER BY last_seen LIMIT ?) RETURNING id',
  );
  return () => {
    const removed = some.all(before, rowsAtOnce) as { id: number }[];
    for (const { id } of removed) {
      changes.changed(id);
    }
    return removed.length;
  };
}

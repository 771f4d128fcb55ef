// Records that a router no longer lists sessions. Their last packets may have come at any time up to the read.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { FlowEnds } from '../store/observation.ts';
import { createSetLeaver, findSetsWith } from '../store/observer-set.ts';

const stepRows = 256;
/** Rows of one scan for flows that the router listed. */
const stepFlows = 5000;

/** Runs before the flows of the batch are written, which lists again what the router still lists. */
export function* writeEnds(writer: Writer, observer: number, ends: FlowEnds): WriteSteps<void> {
  yield* ends.isAll ? endAll(writer, observer, ends.at) : endFlows(writer, observer, ends);
}

const updateSql = 'UPDATE flow SET last_late = max(last_late, :at - last_seen), listed_by = :listedBy WHERE id = :id';

function* endFlows(writer: Writer, observer: number, { at, flows }: FlowEnds): WriteSteps<void> {
  const leave = createSetLeaver(writer, observer);
  const find = writer.prepare(
    `SELECT id, listed_by AS listedBy FROM flow WHERE source_id = (SELECT id FROM source WHERE address = ?)
       AND destination_id = (SELECT id FROM destination WHERE address = ?) AND dport = ? AND proto = ?`,
  );
  const update = writer.prepare(updateSql);
  let rows = 0;
  for (const { src, dst, dport, proto, isListed } of flows) {
    const row = find.get(src, dst, dport, proto) as { id: number; listedBy: number | null } | undefined;
    if (row) {
      const left = row.listedBy === null || isListed ? row.listedBy : leave(row.listedBy);
      update.run({ id: row.id, at, listedBy: left });
    }
    rows += 1;
    if (rows % stepRows === 0) {
      yield;
    }
  }
}

/** The sessions of before are not known: each flow that was listed may have lost some. */
function* endAll(writer: Writer, observer: number, at: number): WriteSteps<void> {
  const sets = findSetsWith(writer, observer);
  if (sets.length === 0) {
    return;
  }
  const leave = createSetLeaver(writer, observer);
  const { last } = writer.prepare('SELECT max(id) AS last FROM flow').get() as { last: number | null };
  const find = writer.prepare(
    `SELECT id, listed_by AS listedBy FROM flow WHERE id > ? AND id <= ? AND listed_by IN (${sets.join()})`,
  );
  const update = writer.prepare(updateSql);
  for (let after = 0; after < (last ?? 0); after += stepFlows) {
    for (const { id, listedBy } of find.all(after, after + stepFlows) as { id: number; listedBy: number }[]) {
      update.run({ id, at, listedBy: leave(listedBy) });
    }
    yield;
  }
}

// Packs the hours that have ended, one transaction each: the pack is then the record of the hour, a few bytes a flow.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { startJob } from '#kernel/job.ts';
import type { Log } from '#kernel/log.ts';
import type { Db, Writer, WriteSteps } from '#kernel/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time.ts';
import { createHourPacking, type HourPack, HourRows } from '../store/hour-pack.ts';
import { nextUnpacked, readPack } from '../store/hour-rows.ts';

/** Rows read and deleted in one step, and rows packed in one. */
const stepRows = 500;
const packedRows = 8000;

/**
 * Bytes of a pack that are written anew for one changed row, at most: below that its rows wait. They take 32 bytes each,
 * so that what waits is never more than an eighth of the packs.
 */
const bytesPerRow = 256;

/** Hours of one run: an earlier program's years are taken over bit by bit, and the write-ahead log comes to its end. */
const hoursOfRun = 48;

/** Packs soon after the start, then every few minutes: what late sightings changed is packed again when it is enough. */
export function startHourPacker({ db, clock, log }: { db: Db; clock: Clock; log: Log }): AsyncDisposable {
  return startJob(clock, log, {
    name: 'packing of hours',
    firstMs: limits.hourPackFirstMs,
    everyMs: limits.hourPackEveryMs,
    run: (signal) => packHours(db, clock.now(), { signal, most: hoursOfRun }),
  });
}

/**
 * Packs hours that ended before `now` (epoch milliseconds) and have rows enough, the oldest first, at `most` so many.
 * Aborting keeps what is packed so far and rejects with the reason.
 */
export async function packHours(
  db: Db,
  now: number,
  { most = Number.POSITIVE_INFINITY, signal }: { most?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const newest = hourOf(now) - 1;
  let packed = 0;
  for (let hour = nextUnpacked(db, 0, newest); hour !== null; hour = nextUnpacked(db, hour + 1, newest)) {
    signal?.throwIfAborted();
    if (hasEnough(db, hour)) {
      const ended = hour;
      await db.write((writer) => packHour(writer, ended));
      packed += 1;
    }
    if (packed >= most) {
      return;
    }
  }
}

/** Whether `hour` has no pack, or rows enough beside it. */
function hasEnough(db: Db, hour: number): boolean {
  const pack = db
    .prepare('SELECT length(flows) + length(spans) AS bytes FROM flow_hour_pack WHERE hour = ?')
    .get(hour) as { bytes: number } | undefined;
  if (!pack) {
    return true;
  }
  const least = Math.ceil(pack.bytes / bytesPerRow);
  const { rows } = db
    .prepare('SELECT count(*) AS rows FROM (SELECT 1 FROM flow_hour WHERE hour = ? LIMIT ?)')
    .get(hour, least) as { rows: number };
  return rows >= least;
}

/** Rows leave `flow_hour` in the transaction in which the pack takes them: after a kill they are in one place or the other. */
function* packHour(writer: Writer, hour: number): WriteSteps<void> {
  const changed = yield* takeUnpacked(writer, hour);
  if (changed.length === 0) {
    return;
  }
  const { flows, spans } = yield* packRows(yield* joinedToPack(writer, hour, changed));
  yield;
  writer.prepare('INSERT OR REPLACE INTO flow_hour_pack (hour, flows, spans) VALUES (?, ?, ?)').run(hour, flows, spans);
}

/** Removes the rows of `hour` that are not packed, and returns them. */
function* takeUnpacked(writer: Writer, hour: number): WriteSteps<HourRows> {
  const first = writer
    .prepare('SELECT flow_id, observations, first, last FROM flow_hour WHERE hour = ? ORDER BY flow_id LIMIT ?')
    .raw();
  const remove = writer.prepare('DELETE FROM flow_hour WHERE hour = ? AND flow_id <= ?');
  const taken = new HourRows();
  const start = hour * hourMs;
  for (let isLast = false; !isLast; ) {
    const rows = first.all(hour, stepRows) as [number, number, number, number][];
    for (const [flow, observations, first, last] of rows) {
      taken.add(flow, observations, first - start, last - start);
    }
    remove.run(hour, rows.at(-1)?.[0] ?? 0);
    isLast = rows.length < stepRows;
    yield;
  }
  return taken;
}

/** All rows of the hour, when `changed` are those that are not packed. */
function* joinedToPack(writer: Writer, hour: number, changed: HourRows): WriteSteps<HourRows> {
  const rows = new HourRows();
  if (!readPack(writer, hour, rows)) {
    return changed;
  }
  yield;
  rows.replaceBy(changed);
  yield;
  return rows;
}

function* packRows({ length, flow, observations, first, last }: HourRows): WriteSteps<HourPack> {
  const packing = createHourPacking();
  for (let row = 0; row < length; row += 1) {
    packing.add(flow[row] as number, observations[row] as number, first[row] as number, last[row] as number);
    if (row % packedRows === 0) {
      yield;
    }
  }
  return packing.pack();
}

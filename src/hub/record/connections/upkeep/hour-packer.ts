// Packs closed hours, one transaction each: a few bytes per flow.
import { limits } from '#contract/limits.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Db, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import { createHourPacking, type HourPack, HourRows } from '../store/hour-pack.ts';
import { findUnpackedHour, readPack } from '../store/hour-rows.ts';

/** Rows read and deleted in one step, and rows packed in one. */
const stepRows = 500;
const packedRows = 8000;

/**
 * A pack is rewritten when it has at most this many bytes per changed row; fewer rows wait. A row takes 32 bytes: what
 * waits is never more than an eighth of the packs.
 */
const bytesPerRow = 256;

/** Hours of one run: years of an earlier version are packed step by step, and the write-ahead log stays short. */
const hoursOfRun = 48;

/** Runs soon after the start, then every few minutes. A pack is rewritten when late sightings changed enough of it. */
export function startHourPacker({ db, clock, log }: { db: Db; clock: Clock; log: Log }): AsyncDisposable {
  return startJob(clock, log, {
    name: 'packing of hours',
    firstMs: limits.hourPackFirstMs,
    everyMs: limits.hourPackEveryMs,
    run: (signal) => packHours(db, clock.now(), { signal, most: hoursOfRun }),
  });
}

/**
 * Packs hours closed before `now` (epoch milliseconds) that have enough unpacked rows, the oldest first, at most `most`.
 * An abort rejects with its reason; what is packed stays packed.
 */
export async function packHours(
  db: Db,
  now: number,
  { most = Number.POSITIVE_INFINITY, signal }: { most?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const newest = hourOf(now) - 1;
  let packed = 0;
  for (let hour = findUnpackedHour(db, 0, newest); hour !== null; hour = findUnpackedHour(db, hour + 1, newest)) {
    signal?.throwIfAborted();
    if (hasEnough(db, hour)) {
      const closed = hour;
      await db.write((writer) => packHour(writer, closed));
      packed += 1;
    }
    if (packed >= most) {
      return;
    }
  }
}

/** Whether `hour` has no pack, or enough rows outside it. */
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

/** Moves the rows from `flow_hour` to the pack in one transaction: after a crash they are in one or the other. */
function* packHour(writer: Writer, hour: number): WriteSteps<void> {
  const changed = yield* takeUnpacked(writer, hour);
  if (changed.length === 0) {
    return;
  }
  const { flows, spans } = yield* packRows(yield* mergeWithPack(writer, hour, changed));
  yield;
  writer.prepare('INSERT OR REPLACE INTO flow_hour_pack (hour, flows, spans) VALUES (?, ?, ?)').run(hour, flows, spans);
}

/** Removes and returns the unpacked rows of `hour`. */
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

/** All rows of the hour: its pack with `changed` applied. */
function* mergeWithPack(writer: Writer, hour: number, changed: HourRows): WriteSteps<HourRows> {
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

// Packs the hours that have ended, one transaction each: what a summary reads of them is then a few bytes a flow.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { startJob } from '#kernel/job.ts';
import type { Log } from '#kernel/log.ts';
import type { Db, Writer, WriteSteps } from '#kernel/sqlite.ts';
import { hourMs, hourOf } from './flow-merge.ts';
import { createHourPacking } from './hour-pack.ts';
import { hoursWithin } from './hour-rows.ts';

const stepRows = 1000;

/** Packs soon after the start, then every few minutes: what late sightings unpacked is packed again. */
export function startHourPacker({ db, clock, log }: { db: Db; clock: Clock; log: Log }): AsyncDisposable {
  return startJob(clock, log, {
    name: 'packing of hours',
    firstMs: limits.hourPackFirstMs,
    everyMs: limits.hourPackEveryMs,
    run: (signal) => packHours(db, clock.now(), signal),
  });
}

/** Packs every hour that ended before `now` (epoch milliseconds) and is not packed. Aborting keeps what is packed so far. */
export async function packHours(db: Db, now: number, signal?: AbortSignal): Promise<void> {
  for (const hour of unpackedHours(db, hourOf(now))) {
    signal?.throwIfAborted();
    await db.write((writer) => packHour(writer, hour));
  }
}

function unpackedHours(db: Db, before: number): number[] {
  const packed = db.prepare('SELECT hour FROM flow_hour_pack').pluck().all() as number[];
  const known = new Set(packed);
  return hoursWithin(db, 0, before - 1).filter((hour) => !known.has(hour));
}

function* packHour(writer: Writer, hour: number): WriteSteps<void> {
  const packing = createHourPacking();
  const start = hour * hourMs;
  const some = writer
    .prepare(
      `SELECT flow_id, observations, first, last FROM flow_hour WHERE hour = ? AND flow_id > ?
       ORDER BY flow_id LIMIT ?`,
    )
    .raw();
  let after = -1;
  for (let isLast = false; !isLast; ) {
    const rows = some.all(hour, after, stepRows) as [number, number, number, number][];
    for (const [flow, observations, first, last] of rows) {
      packing.add(flow, observations, first - start, last - start);
      after = flow;
    }
    isLast = rows.length < stepRows;
    yield;
  }
  const { flows, spans } = packing.pack();
  writer.prepare('INSERT OR REPLACE INTO flow_hour_pack (hour, flows, spans) VALUES (?, ?, ?)').run(hour, flows, spans);
}

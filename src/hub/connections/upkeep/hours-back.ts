// Hours of flows after the clock was ahead: what lies in hours that are still to come is counted in the hour of now.
import type { Writer, WriteSteps } from '#kernel/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time.ts';
import { HourRows } from '../store/hour-pack.ts';
import { hoursWithin, readHourRows } from '../store/hour-rows.ts';

const rowsAtOnce = 500;

/** Returns how many flows had such hours. */
export function* bringHoursBack(writer: Writer, now: number): WriteSteps<number> {
  const own = hourOf(now);
  const ownRows = new HourRows();
  readHourRows(writer, own, ownRows);
  const moved = new Map<number, number>();
  for (let row = 0; row < ownRows.length; row += 1) {
    if (own * hourMs + (ownRows.last[row] as number) > now) {
      moved.set(ownRows.flow[row] as number, 0);
    }
  }
  const rows = new HourRows();
  for (const hour of hoursWithin(writer, own + 1, Number.MAX_SAFE_INTEGER)) {
    readHourRows(writer, hour, rows);
    for (let row = 0; row < rows.length; row += 1) {
      const flow = rows.flow[row] as number;
      moved.set(flow, (moved.get(flow) ?? 0) + (rows.observations[row] as number));
    }
    yield;
  }
  const put = writer.prepare(
    `INSERT INTO flow_hour (hour, flow_id, observations, first, last) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (hour, flow_id) DO UPDATE SET
       observations = excluded.observations, first = excluded.first, last = excluded.last`,
  );
  let done = 0;
  for (const [flow, observations] of moved) {
    const known = ownRows.find(flow);
    const first = known === null ? now : Math.min(own * hourMs + known.first, now);
    put.run(own, flow, (known?.observations ?? 0) + observations, first, now);
    done += 1;
    if (done % rowsAtOnce === 0) {
      yield;
    }
  }
  writer.prepare('DELETE FROM flow_hour_pack WHERE hour > ?').run(own);
  const remove = writer.prepare(
    `DELETE FROM flow_hour WHERE (hour, flow_id) IN
       (SELECT hour, flow_id FROM flow_hour WHERE hour > ? LIMIT ${rowsAtOnce})`,
  );
  while (remove.run(own).changes === rowsAtOnce) {
    yield;
  }
  // Whoever keeps flows in memory reads all of them again.
  writer.prepare('DELETE FROM flow_change').run();
  writer.prepare('INSERT INTO flow_change (flows, total) VALUES (NULL, 0)').run();
  return moved.size;
}

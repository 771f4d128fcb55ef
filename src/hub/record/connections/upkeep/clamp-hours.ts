// Repairs hours after the clock was ahead: sightings in future hours are moved to the current one.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import { HourRows } from '../store/hour-pack.ts';
import { findHours, readHourRows } from '../store/hour-rows.ts';

const rowsAtOnce = 500;

/** Returns the number of flows that it moved. */
export function* clampHours(writer: Writer, now: number): WriteSteps<number> {
  const current = hourOf(now);
  const currentRows = new HourRows();
  readHourRows(writer, current, currentRows);
  const moved = new Map<number, number>();
  for (let row = 0; row < currentRows.length; row += 1) {
    if (current * hourMs + (currentRows.last[row] as number) > now) {
      moved.set(currentRows.flow[row] as number, 0);
    }
  }
  const rows = new HourRows();
  for (const hour of findHours(writer, current + 1, Number.MAX_SAFE_INTEGER)) {
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
    const known = currentRows.find(flow);
    const first = known === null ? now : Math.min(current * hourMs + known.first, now);
    put.run(current, flow, (known?.observations ?? 0) + observations, first, now);
    done += 1;
    if (done % rowsAtOnce === 0) {
      yield;
    }
  }
  writer.prepare('DELETE FROM flow_hour_pack WHERE hour > ?').run(current);
  const remove = writer.prepare(
    `DELETE FROM flow_hour WHERE (hour, flow_id) IN
       (SELECT hour, flow_id FROM flow_hour WHERE hour > ? LIMIT ${rowsAtOnce})`,
  );
  while (remove.run(current).changes === rowsAtOnce) {
    yield;
  }
  // Readers with flows in memory read all of them again.
  writer.prepare('DELETE FROM flow_change').run();
  writer.prepare('INSERT INTO flow_change (flows, total) VALUES (NULL, 0)').run();
  return moved.size;
}

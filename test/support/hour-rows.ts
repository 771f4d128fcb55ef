// Every hour of every flow, wherever the log keeps it.
import { HourRows } from '#hub/record/connections/store/hour-pack.ts';
import { findHours, readHourRows } from '#hub/record/connections/store/hour-rows.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';

const hourMs = 3_600_000;

/** By hour, then flow; `first` and `last` are epoch milliseconds. */
export function hourRows(reader: Pick<Reader, 'prepare'>) {
  const rows = new HourRows();
  return findHours(reader, 0, 10 ** 9).flatMap((hour) => {
    readHourRows(reader, hour, rows);
    return Array.from({ length: rows.length }, (_, at) => ({
      hour,
      flow: rows.flow[at] as number,
      observations: rows.observations[at] as number,
      first: hour * hourMs + (rows.first[at] as number),
      last: hour * hourMs + (rows.last[at] as number),
    }));
  });
}

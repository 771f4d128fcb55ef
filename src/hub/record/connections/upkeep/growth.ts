// How many bytes a day adds to the log: the rows of its newest whole days, times what such rows occupy in the file.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import { findFirstHour } from '../store/hour-rows.ts';

type Statements = Pick<Reader, 'prepare'>;

export interface Growth {
  /** Null while less than a day is stored. */
  bytesPerDay: number | null;
}

/** Days that are counted, at most: a week has every weekday. */
const maxDays = 7;
/** Pages of a table or an index that are looked at (https://sqlite.org/dbstat.html). */
const samplePages = 200;

/** Days end with the last hour that is over at `now`. */
export function measureGrowth(reader: Statements, { now }: { now: number }): Growth {
  const first = findFirstHour(reader);
  const end = hourOf(now);
  const days = first === null ? 0 : Math.min(maxDays, Math.floor((end - hourOf(first)) / 24));
  if (days < 1) {
    return { bytesPerDay: null };
  }
  const start = end - days * 24;
  const [from, to] = [start * hourMs, end * hourMs];
  const count = (sql: string, ...values: number[]) =>
    reader
      .prepare(sql)
      .pluck()
      .get(...values) as number;
  const packed = count(
    'SELECT coalesce(sum(length(flows) + length(spans)), 0) FROM flow_hour_pack WHERE hour >= ? AND hour < ?',
    ...[start, end],
  );
  const unpacked = count('SELECT count(*) FROM flow_hour WHERE hour >= ? AND hour < ?', start, end);
  // The index of times begins with last_seen, which is never before first_seen.
  const newFlows = 'SELECT count(*) FROM flow WHERE last_seen >= ? AND first_seen >= ? AND first_seen < ?';
  const flows = count(newFlows, from, from, to);
  const destinations = count('SELECT count(*) FROM destination WHERE first_seen >= ? AND first_seen < ?', from, to);
  const bytes =
    packed * sampleTable(reader, 'flow_hour_pack', 'payload') +
    unpacked * sampleTable(reader, 'flow_hour', 'ncell') +
    flows * sampleTable(reader, 'flow', 'ncell') +
    destinations * sampleTable(reader, 'destination', 'ncell');
  return { bytesPerDay: Math.round(bytes / days) };
}

/** Returns the bytes of the file for each row (`ncell`) or each byte (`payload`) of a table, with its indexes of all rows. */
function sampleTable(reader: Statements, table: string, unit: 'ncell' | 'payload'): number {
  const trees = reader
    .prepare(
      "SELECT name FROM sqlite_schema WHERE tbl_name = ? AND rootpage > 0 AND coalesce(sql, '') NOT LIKE '%WHERE%'",
    )
    .pluck()
    .all(table) as string[];
  const sample = reader
    .prepare(
      `SELECT sum(pgsize) * 1.0 / sum(${unit}) FROM (
         SELECT pgsize, ${unit} FROM dbstat WHERE name = ? AND pagetype <> 'internal' LIMIT ${samplePages})`,
    )
    .pluck();
  return trees.reduce((sum, name) => sum + ((sample.get(name) as number | null) ?? 0), 0);
}

// The rows of an hour: those of its pack, and single rows in `flow_hour` that were added or changed since. A row of
// `flow_hour` replaces the row of the same flow in the pack.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';
import { type HourPack, type HourRow, HourRows } from './hour-pack.ts';

type Statements = Pick<Reader, 'prepare'>;

/** Lists the hours in which anything was seen, in order; both ends are inclusive. */
export function findHours(reader: Statements, from: number, to: number): number[] {
  const packed = reader.prepare('SELECT hour FROM flow_hour_pack WHERE hour BETWEEN ? AND ?').pluck().all(from, to);
  const hours = new Set(packed as number[]);
  for (let hour = findUnpackedHour(reader, from, to); hour !== null; hour = findUnpackedHour(reader, hour + 1, to)) {
    hours.add(hour);
  }
  return [...hours].sort((a, b) => a - b);
}

/** Returns the start of the first hour in which anything was seen, epoch milliseconds; null for an empty log. */
export function findFirstHour(reader: Statements): number | null {
  const packed = reader.prepare('SELECT min(hour) FROM flow_hour_pack').pluck().get() as number | null;
  const hours = [packed, findUnpackedHour(reader, 0, Number.MAX_SAFE_INTEGER)].filter((hour) => hour !== null);
  return hours.length === 0 ? null : Math.min(...hours) * hourMs;
}

/** Returns the first hour of `from`…`to` with rows outside a pack, or null. */
export function findUnpackedHour(reader: Statements, from: number, to: number): number | null {
  const first = reader.prepare('SELECT min(hour) AS hour FROM flow_hour WHERE hour BETWEEN ? AND ?').get(from, to);
  return (first as { hour: number | null }).hour;
}

/** Replaces `rows` by those of `hour`, without first and last sighting. */
export function readHourFlows(reader: Statements, hour: number, rows: HourRows): void {
  const packed = reader.prepare('SELECT flows FROM flow_hour_pack WHERE hour = ?').get(hour);
  if (packed) {
    rows.unpackFlows((packed as Pick<HourPack, 'flows'>).flows);
    mergeUnpacked(reader, hour, rows);
  } else {
    readUnpacked(reader, hour, rows);
  }
}

/** Replaces `rows` by those of `hour`. */
export function readHourRows(reader: Statements, hour: number, rows: HourRows): void {
  if (readPack(reader, hour, rows)) {
    mergeUnpacked(reader, hour, rows);
  } else {
    readUnpacked(reader, hour, rows);
  }
}

/** Replaces `rows` by those of the pack of `hour`; false, with no rows, when there is none. */
export function readPack(reader: Statements, hour: number, rows: HourRows): boolean {
  const pack = reader.prepare('SELECT flows, spans FROM flow_hour_pack WHERE hour = ?').get(hour);
  rows.length = 0;
  if (pack) {
    rows.unpack(pack as HourPack);
  }
  return pack !== undefined;
}

/** Returns a function to the row of a flow in an hour, or null. It caches unpacked hours: use it for one transaction. */
export function createHourFinder(reader: Statements): (hour: number, flow: number) => HourRow | null {
  const find = reader.prepare('SELECT observations, first, last FROM flow_hour WHERE hour = ? AND flow_id = ?');
  const packed = createPackFinder(reader);
  return (hour, flow) => {
    const row = find.get(hour, flow) as HourRow | undefined;
    const start = hour * hourMs;
    return row ? { ...row, first: row.first - start, last: row.last - start } : packed(hour, flow);
  };
}

/** Cached rows, 16 bytes each: 24 hours of 40,000. */
const maxCachedRows = 1_000_000;

/** As `createHourFinder`, for packed rows alone. */
export function createPackFinder(reader: Statements): (hour: number, flow: number) => HourRow | null {
  const unpacked = new Map<number, HourRows>();
  const buffer = new HourRows(0);
  const none = new HourRows(0);
  let cachedRows = 0;
  const unpackHour = (hour: number): HourRows => {
    const known = unpacked.get(hour);
    if (known) {
      return known;
    }
    const rows = readPack(reader, hour, buffer) ? buffer.trimmed() : none;
    cachedRows += rows.length;
    for (const [oldest, { length }] of unpacked) {
      if (cachedRows <= maxCachedRows) {
        break;
      }
      unpacked.delete(oldest);
      cachedRows -= length;
    }
    unpacked.set(hour, rows);
    return rows;
  };
  return (hour, flow) => unpackHour(hour).find(flow);
}

/** Replaces `rows` by the unpacked ones of `hour`. */
function readUnpacked(reader: Statements, hour: number, rows: HourRows): void {
  const stored = reader
    .prepare('SELECT flow_id, observations, first, last FROM flow_hour WHERE hour = ? ORDER BY flow_id')
    .raw()
    .iterate(hour) as Iterable<[number, number, number, number]>;
  const start = hour * hourMs;
  rows.length = 0;
  for (const [flow, observations, first, last] of stored) {
    rows.add(flow, observations, first - start, last - start);
  }
}

/** Merges the unpacked rows of `hour`, mostly none, into `rows` of its pack. */
function mergeUnpacked(reader: Statements, hour: number, rows: HourRows): void {
  if (findUnpackedHour(reader, hour, hour) !== null) {
    const changed = new HourRows();
    readUnpacked(reader, hour, changed);
    rows.replaceBy(changed);
  }
}

// The rows of an hour, wherever they are: in its pack once it has ended, and one by one those that came or changed since.
// A row of `flow_hour` replaces the row of the same flow in the pack of its hour: it holds the whole truth of both.
import type { Reader } from '#kernel/sqlite.ts';
import { hourMs } from '#kernel/time.ts';
import { type HourPack, type HourRow, HourRows } from './hour-pack.ts';

/** A connection of either kind. */
type Statements = Pick<Reader, 'prepare'>;

/** Hours in which anything was seen, in order; both ends inclusive. */
export function hoursWithin(reader: Statements, from: number, to: number): number[] {
  const packed = reader.prepare('SELECT hour FROM flow_hour_pack WHERE hour BETWEEN ? AND ?').pluck().all(from, to);
  const hours = new Set(packed as number[]);
  for (let hour = nextUnpacked(reader, from, to); hour !== null; hour = nextUnpacked(reader, hour + 1, to)) {
    hours.add(hour);
  }
  return [...hours].sort((a, b) => a - b);
}

/** The first hour of `from`…`to` that has rows beside its pack, or no pack. */
export function nextUnpacked(reader: Statements, from: number, to: number): number | null {
  const first = reader.prepare('SELECT min(hour) AS hour FROM flow_hour WHERE hour BETWEEN ? AND ?').get(from, to);
  return (first as { hour: number | null }).hour;
}

/** Replaces `rows` by who was seen in `hour`, and how often; sightings are not told. */
export function readHourFlows(reader: Statements, hour: number, rows: HourRows): void {
  const packed = reader.prepare('SELECT flows FROM flow_hour_pack WHERE hour = ?').get(hour);
  if (packed) {
    rows.unpackFlows((packed as Pick<HourPack, 'flows'>).flows);
    putUnpacked(reader, hour, rows);
  } else {
    readUnpacked(reader, hour, rows);
  }
}

/** Likewise, with first and last sighting. */
export function readHourRows(reader: Statements, hour: number, rows: HourRows): void {
  if (readPack(reader, hour, rows)) {
    putUnpacked(reader, hour, rows);
  } else {
    readUnpacked(reader, hour, rows);
  }
}

/** Replaces `rows` by those of the pack of `hour`; false when there is none, and then there are no rows. */
export function readPack(reader: Statements, hour: number, rows: HourRows): boolean {
  const pack = reader.prepare('SELECT flows, spans FROM flow_hour_pack WHERE hour = ?').get(hour);
  rows.length = 0;
  if (pack) {
    rows.unpack(pack as HourPack);
  }
  return pack !== undefined;
}

/** Finds the row of a flow, `null` when it was not seen in the hour; for one transaction: packs stay unpacked in between. */
export function hourFinder(reader: Statements): (hour: number, flow: number) => HourRow | null {
  const find = reader.prepare('SELECT observations, first, last FROM flow_hour WHERE hour = ? AND flow_id = ?');
  const packed = packFinder(reader);
  return (hour, flow) => {
    const row = find.get(hour, flow) as HourRow | undefined;
    const start = hour * hourMs;
    return row ? { ...row, first: row.first - start, last: row.last - start } : packed(hour, flow);
  };
}

/** Rows of packs that are kept unpacked, 16 bytes each: 24 hours of 40,000. */
const maxUnpacked = 1_000_000;

/** The same for what packs tell, whatever rows there are beside them. */
export function packFinder(reader: Statements): (hour: number, flow: number) => HourRow | null {
  const unpacked = new Map<number, HourRows>();
  const [room, none] = [new HourRows(0), new HourRows(0)];
  let kept = 0;
  const rowsOf = (hour: number): HourRows => {
    const known = unpacked.get(hour);
    if (known) {
      return known;
    }
    const rows = readPack(reader, hour, room) ? room.trimmed() : none;
    kept += rows.length;
    for (const [oldest, { length }] of unpacked) {
      if (kept <= maxUnpacked) {
        break;
      }
      unpacked.delete(oldest);
      kept -= length;
    }
    unpacked.set(hour, rows);
    return rows;
  };
  return (hour, flow) => rowsOf(hour).find(flow);
}

/** Replaces `rows` by those that are not packed. */
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

/** Puts those that are not packed into `rows` of the pack: mostly there are none. */
function putUnpacked(reader: Statements, hour: number, rows: HourRows): void {
  if (nextUnpacked(reader, hour, hour) !== null) {
    const changed = new HourRows();
    readUnpacked(reader, hour, changed);
    rows.replaceBy(changed);
  }
}

// The rows of an hour, wherever they are: packed when it has ended, one by one while it runs.
import type { Reader } from '#kernel/sqlite.ts';
import { hourMs } from './flow-merge.ts';
import type { HourPack, HourRows } from './hour-pack.ts';

/** Hours in which anything was seen, in order; both ends inclusive. */
export function hoursWithin(reader: Pick<Reader, 'prepare'>, from: number, to: number): number[] {
  const step = reader.prepare('SELECT min(hour) AS hour FROM flow_hour WHERE hour BETWEEN ? AND ?');
  const next = (after: number) => (step.get(after, to) as { hour: number | null }).hour;
  const hours: number[] = [];
  for (let hour = next(from); hour !== null; hour = next(hour + 1)) {
    hours.push(hour);
  }
  return hours;
}

/** Replaces `rows` by who was seen in `hour`, and how often; sightings are not told. */
export function readHourFlows(reader: Reader, hour: number, rows: HourRows): void {
  const packed = reader.prepare('SELECT flows FROM flow_hour_pack WHERE hour = ?').get(hour) as
    | Pick<HourPack, 'flows'>
    | undefined;
  if (packed) {
    rows.unpackFlows(packed.flows);
    return;
  }
  readUnpacked(reader, hour, rows);
}

/** Likewise, with first and last sighting. */
export function readHourRows(reader: Reader, hour: number, rows: HourRows): void {
  const packed = reader.prepare('SELECT flows, spans FROM flow_hour_pack WHERE hour = ?').get(hour) as
    | HourPack
    | undefined;
  if (packed) {
    rows.unpack(packed);
    return;
  }
  readUnpacked(reader, hour, rows);
}

/** An hour that is not packed: the one that is running, mostly. */
function readUnpacked(reader: Reader, hour: number, into: HourRows): void {
  const rows = reader
    .prepare('SELECT flow_id, observations, first, last FROM flow_hour WHERE hour = ? ORDER BY flow_id')
    .raw()
    .iterate(hour) as Iterable<[number, number, number, number]>;
  const start = hour * hourMs;
  into.length = 0;
  for (const [flow, observations, first, last] of rows) {
    into.add(flow, observations, first - start, last - start);
  }
}

// The hours in which each flow was seen, flow after flow: what the timeline of a summary counts over.
import type { Reader } from '#kernel/sqlite.ts';
import { hourMs } from '#kernel/time.ts';
import { HourRows } from '../../store/hour-pack.ts';
import { hoursWithin, readHourFlows, readHourRows } from '../../store/hour-rows.ts';

/** An hour is told apart in this many parts of about 14 seconds; what needs more is read from the database. */
export const hourParts = 256;

/** The part of an hour that an instant, in milliseconds into it, lies in. */
export function partOf(inHour: number): number {
  return Math.floor((inHour * hourParts) / hourMs);
}

/** Rows of the hours `firstHour` up to, without, `endHour`. 5 bytes a row, 4 a flow. */
export interface FlowHours {
  firstHour: number;
  endHour: number;
  /** Where the rows of each place begin; one entry more than places. Those of one place are in the order of time. */
  starts: Uint32Array;
  /** The hour after `firstHour`, above eight bits for the part of its first sighting and eight for that of its last. */
  rows: Uint32Array;
  /** How often it was observed; `tooMany` when `many` tells. */
  observations: Uint8Array;
  many: Map<number, number>;
}

export const tooMany = 255;
/** Hours that sixteen bits can tell apart. */
const maxHours = 65_536;

/** Reads all hours before `endHour`, as far back as hours can be told apart. `placeOf` is -1 for flows to be left out. */
export function readFlowHours(
  reader: Reader,
  flows: number,
  placeOf: (flow: number) => number,
  endHour: number,
): FlowHours {
  const hours = hoursWithin(reader, endHour - maxHours, endHour - 1);
  const starts = countRows(reader, hours, flows, placeOf);
  const total = starts[flows] as number;
  const firstHour = hours[0] ?? endHour;
  const rows = new Uint32Array(total);
  const observations = new Uint8Array(total);
  const many = new Map<number, number>();
  const hourRows = new HourRows();
  for (const hour of hours) {
    readHourRows(reader, hour, hourRows);
    for (let row = 0; row < hourRows.length; row += 1) {
      const place = placeOf(hourRows.flow[row] as number);
      if (place < 0) {
        continue;
      }
      const at = starts[place] as number;
      starts[place] = at + 1;
      const [first, last] = [partOf(hourRows.first[row] as number), partOf(hourRows.last[row] as number)];
      rows[at] = ((hour - firstHour) << 16) | (first << 8) | last;
      const times = hourRows.observations[row] as number;
      observations[at] = Math.min(times, tooMany);
      if (times >= tooMany) {
        many.set(at, times);
      }
    }
  }
  // Each place has been moved on to where the next one begins.
  starts.copyWithin(1, 0, flows);
  starts[0] = 0;
  return { firstHour, endHour, starts, rows, observations, many };
}

/** Where the rows of each place begin. */
function countRows(
  reader: Reader,
  hours: readonly number[],
  flows: number,
  placeOf: (flow: number) => number,
): Uint32Array {
  const starts = new Uint32Array(flows + 1);
  const hourRows = new HourRows();
  for (const hour of hours) {
    readHourFlows(reader, hour, hourRows);
    for (let row = 0; row < hourRows.length; row += 1) {
      const after = placeOf(hourRows.flow[row] as number) + 1;
      if (after > 0) {
        starts[after] = (starts[after] as number) + 1;
      }
    }
  }
  for (let place = 1; place <= flows; place += 1) {
    starts[place] = (starts[place] as number) + (starts[place - 1] as number);
  }
  return starts;
}

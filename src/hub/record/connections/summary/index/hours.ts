// The hours in which each flow was seen, flow after flow: the timeline of a summary counts over them.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';
import { HourRows } from '../../store/hour-pack.ts';
import { findHours, readHourFlows, readHourRows } from '../../store/hour-rows.ts';

/** Resolution of an hour: parts of about 14 seconds. What needs more is read from the database. */
export const hourParts = 256;

/** The part of an hour that an instant, in milliseconds into it, lies in. */
export function toHourPart(inHour: number): number {
  return Math.floor((inHour * hourParts) / hourMs);
}

/** One entry per flow and hour, from `firstHour` up to, excluding, `endHour`: 5 bytes each, and 4 per flow. */
export interface FlowHours {
  firstHour: number;
  endHour: number;
  /** First entry of each row, and the end of the last; the entries of one row ascend by hour. */
  starts: Uint32Array;
  /** 16 bits for the hour since `firstHour`, 8 for the part of its first sighting, 8 for the part of its last. */
  entries: Uint32Array;
  /** Observations of each entry; `overflow` means that `overflows` has the number. */
  observations: Uint8Array;
  overflows: Map<number, number>;
}

export const overflow = 255;
/** Hours that 16 bits can number. */
const maxHours = 65_536;

/** Reads the hours before `endHour`, at most `maxHours` of them. `findRow` returns -1 for flows to leave out. */
export function readFlowHours(
  reader: Reader,
  flows: number,
  findRow: (flow: number) => number,
  endHour: number,
): FlowHours {
  const hours = findHours(reader, endHour - maxHours, endHour - 1);
  const starts = countEntries(reader, hours, flows, findRow);
  const total = starts[flows] as number;
  const firstHour = hours[0] ?? endHour;
  const entries = new Uint32Array(total);
  const observations = new Uint8Array(total);
  const overflows = new Map<number, number>();
  const hourRows = new HourRows();
  for (const hour of hours) {
    readHourRows(reader, hour, hourRows);
    for (let at = 0; at < hourRows.length; at += 1) {
      const row = findRow(hourRows.flow[at] as number);
      if (row < 0) {
        continue;
      }
      const entry = starts[row] as number;
      starts[row] = entry + 1;
      const first = toHourPart(hourRows.first[at] as number);
      const last = toHourPart(hourRows.last[at] as number);
      entries[entry] = ((hour - firstHour) << 16) | (first << 8) | last;
      const times = hourRows.observations[at] as number;
      observations[entry] = Math.min(times, overflow);
      if (times >= overflow) {
        overflows.set(entry, times);
      }
    }
  }
  // Each start has advanced to where the next row begins.
  starts.copyWithin(1, 0, flows);
  starts[0] = 0;
  return { firstHour, endHour, starts, entries, observations, overflows };
}

/** Returns the first entry of each row. */
function countEntries(
  reader: Reader,
  hours: readonly number[],
  flows: number,
  findRow: (flow: number) => number,
): Uint32Array {
  const starts = new Uint32Array(flows + 1);
  const hourRows = new HourRows();
  for (const hour of hours) {
    readHourFlows(reader, hour, hourRows);
    for (let at = 0; at < hourRows.length; at += 1) {
      const next = findRow(hourRows.flow[at] as number) + 1;
      if (next > 0) {
        starts[next] = (starts[next] as number) + 1;
      }
    }
  }
  for (let row = 1; row <= flows; row += 1) {
    starts[row] = (starts[row] as number) + (starts[row - 1] as number);
  }
  return starts;
}

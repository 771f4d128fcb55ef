// Hours that were added or changed since hours.ts was read: the current hour as a whole, late sightings one by one.
import { ascending } from '#kernel/columns/counting-order.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { type HourRow, HourRows } from '../../store/hour-pack.ts';
import { findHours, readHourRows } from '../../store/hour-rows.ts';

/** Entries by ascending row, those of one row by ascending hour. Instants are milliseconds into the hour. */
export interface DeltaEntries {
  row: Uint32Array;
  hour: Int32Array;
  observations: Uint32Array;
  first: Uint32Array;
  last: Uint32Array;
}

export class DeltaHours {
  /** Entries in all. */
  count = 0;
  readonly #whole = new Map<number, HourRows>();
  readonly #late = new Map<number, Map<number, HourRow>>();

  /** Replaces a whole hour; `read` fills in its rows by ascending flow. */
  replaceHour(hour: number, read: (rows: HourRows) => void): void {
    const rows = this.#whole.get(hour) ?? new HourRows();
    this.count -= rows.length;
    read(rows);
    this.count += rows.length;
    this.#whole.set(hour, rows);
  }

  /** Replaces the entry of one flow in an hour that is not here as a whole. */
  replaceRow(hour: number, flow: number, row: HourRow): void {
    const rows = this.#late.get(hour) ?? new Map<number, HourRow>();
    this.count += rows.has(flow) ? 0 : 1;
    rows.set(flow, row);
    this.#late.set(hour, rows);
  }

  /** Lists the rows that `replaceRow` set, as a change of the log names them: hour, flow, hour, flow, … */
  listLateRows(): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(
      [...this.#late].flatMap(([hour, rows]) => [...rows.keys()].flatMap((flow) => [hour, flow])),
    );
  }

  /** Lists the entries of all flows that have a row, by row. */
  listEntries(findRow: (flow: number) => number): DeltaEntries {
    const all = emptyEntries(this.count);
    let length = 0;
    const add = (hour: number, flow: number, observations: number, first: number, last: number) => {
      const row = findRow(flow);
      if (row >= 0) {
        all.row[length] = row;
        all.hour[length] = hour;
        all.observations[length] = observations;
        all.first[length] = first;
        all.last[length] = last;
        length += 1;
      }
    };
    for (const hour of [...this.#whole.keys(), ...this.#late.keys()].sort((a, b) => a - b)) {
      for (const [flow, row] of this.#late.get(hour) ?? []) {
        add(hour, flow, row.observations, row.first, row.last);
      }
      const rows = this.#whole.get(hour);
      for (let at = 0; rows && at < rows.length; at += 1) {
        const flow = rows.flow[at] as number;
        add(hour, flow, rows.observations[at] as number, rows.first[at] as number, rows.last[at] as number);
      }
    }
    return sortByRow(all, length);
  }
}

const lastHour = 2 ** 31;

/** Reads every hour before `firstHour` and from `endHour` on: the main part has the others. */
export function readOtherHours(
  reader: Reader,
  deltaHours: DeltaHours,
  { firstHour, endHour }: { firstHour: number; endHour: number },
): void {
  for (const hour of [...findHours(reader, -lastHour, firstHour - 1), ...findHours(reader, endHour, lastHour)]) {
    deltaHours.replaceHour(hour, (rows) => readHourRows(reader, hour, rows));
  }
}

/** Room for `count` entries. */
export function emptyEntries(count: number): DeltaEntries {
  return {
    row: new Uint32Array(count),
    hour: new Int32Array(count),
    observations: new Uint32Array(count),
    first: new Uint32Array(count),
    last: new Uint32Array(count),
  };
}

/** The first `length` entries, in a stable order by row. */
function sortByRow(entries: DeltaEntries, length: number): DeltaEntries {
  const order = ascending(entries.row.subarray(0, length));
  const sorted = emptyEntries(length);
  for (const name of ['row', 'hour', 'observations', 'first', 'last'] as const) {
    for (let at = 0; at < length; at += 1) {
      sorted[name][at] = entries[name][order[at] as number] as number;
    }
  }
  return sorted;
}

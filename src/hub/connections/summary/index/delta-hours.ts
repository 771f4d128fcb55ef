// Rows of hours that came or changed after `hours.ts` was read: the running hour whole, late sightings one by one.
import { ascending } from '#kernel/columns/counting-order.ts';
import { HourRows } from '../../store/hour-pack.ts';

/** Instants in milliseconds into the hour. */
export interface LooseRow {
  observations: number;
  first: number;
  last: number;
}

/** Rows by ascending place, those of one place in the order of time. */
export interface LooseRows {
  place: Uint32Array;
  hour: Int32Array;
  observations: Uint32Array;
  first: Uint32Array;
  last: Uint32Array;
}

export class LooseHours {
  /** Rows in all. */
  count = 0;
  readonly #whole = new Map<number, HourRows>();
  readonly #late = new Map<number, Map<number, LooseRow>>();

  /** Replaces the rows of a whole hour; `read` fills them in by ascending flow. */
  replaceHour(hour: number, read: (rows: HourRows) => void): void {
    const rows = this.#whole.get(hour) ?? new HourRows();
    this.count -= rows.length;
    read(rows);
    this.count += rows.length;
    this.#whole.set(hour, rows);
  }

  /** Replaces the row of one flow in an hour that is not here whole. */
  replaceRow(hour: number, flow: number, row: LooseRow): void {
    const rows = this.#late.get(hour) ?? new Map<number, LooseRow>();
    this.count += rows.has(flow) ? 0 : 1;
    rows.set(flow, row);
    this.#late.set(hour, rows);
  }

  /** All rows of flows that have a place. */
  ordered(placeOf: (flow: number) => number): LooseRows {
    const all = emptyRows(this.count);
    let length = 0;
    const add = (hour: number, flow: number, observations: number, first: number, last: number) => {
      const place = placeOf(flow);
      if (place >= 0) {
        all.place[length] = place;
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
        const [observations, first] = [rows.observations[at] as number, rows.first[at] as number];
        add(hour, rows.flow[at] as number, observations, first, rows.last[at] as number);
      }
    }
    return inOrder(all, length);
  }
}

function emptyRows(count: number): LooseRows {
  return {
    place: new Uint32Array(count),
    hour: new Int32Array(count),
    observations: new Uint32Array(count),
    first: new Uint32Array(count),
    last: new Uint32Array(count),
  };
}

/** The first `length` rows by place; rows of one place stay in their order. */
function inOrder(rows: LooseRows, length: number): LooseRows {
  const order = ascending(rows.place.subarray(0, length));
  const ordered = emptyRows(length);
  for (const name of ['place', 'hour', 'observations', 'first', 'last'] as const) {
    for (let at = 0; at < length; at += 1) {
      ordered[name][at] = rows[name][order[at] as number] as number;
    }
  }
  return ordered;
}

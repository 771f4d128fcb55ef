// The rows of one hour as two byte strings of LEB128 numbers.
import { lowerBound } from '#kernel/columns/sorted-search.ts';
import { withCapacity } from '#kernel/columns/typed-array.ts';

export interface HourPack {
  /** For each flow, by ascending id: the difference to the previous id, and its observations. */
  flows: Uint8Array;
  /** For each flow: milliseconds from the start of the hour to its first sighting, and from there to its last. */
  spans: Uint8Array;
}

/** Initial capacity. */
const defaultCapacity = 4096;

export function createHourPacking() {
  const flows = createBytes();
  const spans = createBytes();
  let before = 0;
  return {
    /** Flows by ascending id; `first` and `last` in milliseconds into the hour. All numbers are below 2^31. */
    add(flow: number, observations: number, first: number, last: number) {
      flows.add(flow - before);
      flows.add(observations);
      spans.add(first);
      spans.add(last - first);
      before = flow;
    },
    pack: () => ({ flows: flows.bytes(), spans: spans.bytes() }),
  };
}

/** A flow in an hour; instants are milliseconds into the hour. */
export interface HourRow {
  observations: number;
  first: number;
  last: number;
}

/** The rows of one hour by ascending flow, as columns; reused for hour after hour. */
export class HourRows {
  length = 0;
  flow: Uint32Array<ArrayBuffer>;
  observations: Uint32Array<ArrayBuffer>;
  /** First and last sighting in milliseconds into the hour. */
  first: Uint32Array<ArrayBuffer>;
  last: Uint32Array<ArrayBuffer>;

  constructor(capacity = defaultCapacity) {
    this.flow = new Uint32Array(capacity);
    this.observations = new Uint32Array(capacity);
    this.first = new Uint32Array(capacity);
    this.last = new Uint32Array(capacity);
  }

  add(flow: number, observations: number, first: number, last: number): void {
    this.#ensureCapacity(this.length + 1);
    this.flow[this.length] = flow;
    this.observations[this.length] = observations;
    this.first[this.length] = first;
    this.last[this.length] = last;
    this.length += 1;
  }

  /** Replaces all rows by those of a pack, without their sightings. */
  unpackFlows(flows: Uint8Array): void {
    this.length = 0;
    this.#ensureCapacity(Math.ceil(flows.length / 2));
    this.length = unpack(flows, this.flow, this.observations);
    for (let row = 1; row < this.length; row += 1) {
      this.flow[row] = (this.flow[row - 1] as number) + (this.flow[row] as number);
    }
  }

  /** Replaces all rows by those of a pack. */
  unpack({ flows, spans }: HourPack): void {
    this.unpackFlows(flows);
    unpack(spans, this.first, this.last);
    for (let row = 0; row < this.length; row += 1) {
      this.last[row] = (this.first[row] as number) + (this.last[row] as number);
    }
  }

  /** The row of `flow`, if there is one. */
  find(flow: number): HourRow | null {
    const row = this.#indexOf(flow);
    if (row < 0) {
      return null;
    }
    const observations = this.observations[row] as number;
    return { observations, first: this.first[row] as number, last: this.last[row] as number };
  }

  /** Merges `changed` in: each of its rows replaces the one of the same flow, or is inserted. */
  replaceBy(changed: HourRows): void {
    let old = this.length - 1;
    let next = changed.length - 1;
    let to = this.length - 1;
    for (let row = 0; row < changed.length; row += 1) {
      to += this.#indexOf(changed.flow[row] as number) < 0 ? 1 : 0;
    }
    this.#ensureCapacity(to + 1);
    this.length = to + 1;
    // From the end, so that no row is overwritten before it has moved.
    for (; next >= 0; to -= 1) {
      const flow = changed.flow[next] as number;
      if (old >= 0 && (this.flow[old] as number) > flow) {
        this.#put(to, this, old);
        old -= 1;
      } else {
        old -= old >= 0 && this.flow[old] === flow ? 1 : 0;
        this.#put(to, changed, next);
        next -= 1;
      }
    }
  }

  /** A copy with no spare capacity. */
  trimmed(): HourRows {
    const rows = new HourRows(this.length);
    rows.replaceBy(this);
    return rows;
  }

  /** The row of `flow`; -1 when there is none. */
  #indexOf(flow: number): number {
    const row = lowerBound(this.flow, flow, 0, this.length);
    return row < this.length && this.flow[row] === flow ? row : -1;
  }

  #put(to: number, from: HourRows, row: number): void {
    this.flow[to] = from.flow[row] as number;
    this.observations[to] = from.observations[row] as number;
    this.first[to] = from.first[row] as number;
    this.last[to] = from.last[row] as number;
  }

  #ensureCapacity(rows: number): void {
    if (rows <= this.flow.length) {
      return;
    }
    for (const column of ['flow', 'observations', 'first', 'last'] as const) {
      this[column] = withCapacity(this[column], rows * 2);
    }
  }
}

/** Decodes pairs of numbers into two columns; returns their number. A summary decodes millions, most of one byte. */
function unpack(bytes: Uint8Array, left: Uint32Array, right: Uint32Array): number {
  let pairs = 0;
  let at = 0;
  while (at < bytes.length) {
    let byte = bytes[at] as number;
    at += 1;
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at] as number;
      at += 1;
      value += (byte & 127) << shift;
    }
    left[pairs] = value;
    byte = bytes[at] as number;
    at += 1;
    value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at] as number;
      at += 1;
      value += (byte & 127) << shift;
    }
    right[pairs] = value;
    pairs += 1;
  }
  return pairs;
}

/** Longest encoding of a number, in bytes. */
const maxBytes = 5;

function createBytes() {
  let room = new Uint8Array(4096);
  let length = 0;
  return {
    add(value: number) {
      if (length + maxBytes > room.length) {
        room = withCapacity(room, room.length * 2);
      }
      let rest = value;
      for (; rest > 127; rest >>>= 7) {
        room[length] = (rest & 127) | 128;
        length += 1;
      }
      room[length] = rest;
      length += 1;
    },
    bytes: () => room.slice(0, length),
  };
}

// Aggregates of many groups by number: flows, first and last sighting, longest lifetime.
import { withCapacity } from '#kernel/columns/typed-array.ts';

/** Number of flows, and the first and last sighting of any of them. */
export interface Aggregate {
  count: number;
  firstSeen: number;
  lastSeen: number;
}

/** The numbers of one group are side by side, in one cache line. */
export const width = 4;
export const countAt = 0;
export const firstAt = 1;
export const lastAt = 2;
const ttlAt = 3;

/** One aggregate for each group number; the capacity grows on demand. */
export class GroupAggregates {
  /** `width` numbers of each group, for hot loops that update them directly. */
  get values(): Float64Array<ArrayBuffer> {
    return this.#values;
  }

  #values: Float64Array<ArrayBuffer>;

  constructor(groups: number) {
    this.#values = clear(new Float64Array(groups * width));
  }

  /** Adds flows to a group. `ttl` is -1 where unknown; the largest counts. */
  add(group: number, flows: number, firstSeen: number, lastSeen: number, ttl: number): void {
    const at = group * width;
    if (at >= this.#values.length) {
      this.#grow(group);
    }
    const values = this.#values;
    values[at + countAt] = (values[at + countAt] as number) + flows;
    if (firstSeen < (values[at + firstAt] as number)) {
      values[at + firstAt] = firstSeen;
    }
    if (lastSeen > (values[at + lastAt] as number)) {
      values[at + lastAt] = lastSeen;
    }
    if (ttl > (values[at + ttlAt] as number)) {
      values[at + ttlAt] = ttl;
    }
  }

  /** Adds group `from` of other aggregates. */
  addAll(group: number, others: GroupAggregates, from: number): void {
    const at = from * width;
    const values = others.#values;
    const count = values[at + countAt] as number;
    const first = values[at + firstAt] as number;
    this.add(group, count, first, values[at + lastAt] as number, values[at + ttlAt] as number);
  }

  /** Empties a group. */
  clear(group: number): void {
    const at = group * width;
    this.#values[at + countAt] = 0;
    this.#values[at + firstAt] = Number.POSITIVE_INFINITY;
    this.#values[at + lastAt] = 0;
    this.#values[at + ttlAt] = -1;
  }

  get(group: number): Aggregate {
    const at = group * width;
    return {
      count: this.#values[at + countAt] as number,
      firstSeen: this.#values[at + firstAt] as number,
      lastSeen: this.#values[at + lastAt] as number,
    };
  }

  maxTtl(group: number): number | null {
    const ttl = this.#values[group * width + ttlAt] as number;
    return ttl < 0 ? null : ttl;
  }

  /** Flows of every group. */
  counts(): Uint32Array {
    const counts = new Uint32Array(this.#values.length / width);
    for (let group = 0; group < counts.length; group += 1) {
      counts[group] = this.#values[group * width + countAt] as number;
    }
    return counts;
  }

  #grow(group: number): void {
    const before = this.#values.length;
    this.#values = withCapacity(this.#values, (group + 1) * 2 * width);
    clear(this.#values, before);
  }
}

/** Empties groups of zeros, from index `from` of `values` on. */
function clear(values: Float64Array<ArrayBuffer>, from = 0): Float64Array<ArrayBuffer> {
  for (let at = from; at < values.length; at += width) {
    values[at + firstAt] = Number.POSITIVE_INFINITY;
    values[at + ttlAt] = -1;
  }
  return values;
}

// Tallies of many groups by number, and the groups with the most.

/** Flows counted, and first and last sighting of any of them. */
export interface Tally {
  count: number;
  firstSeen: number;
  lastSeen: number;
}

/** Numbers of one group, side by side: what is added to it lies in one line of the processor's cache. */
export const width = 4;
export const countAt = 0;
export const firstAt = 1;
export const lastAt = 2;
const ttlAt = 3;

/** One tally for each number from 0; there is room for any number that is added. */
export class Tallies {
  /** `width` numbers of each group, for loops that add to them by themselves. */
  get values(): Float64Array<ArrayBuffer> {
    return this.#values;
  }

  #values: Float64Array<ArrayBuffer>;

  constructor(groups: number) {
    this.#values = emptied(groups);
  }

  /** Adds flows of a group. `ttl` is -1 where unknown; the largest is kept. */
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

  /** Adds all of group `from` of other tallies. */
  addAll(group: number, others: Tallies, from: number): void {
    const at = from * width;
    const values = others.#values;
    const [first, last] = [values[at + firstAt] as number, values[at + lastAt] as number];
    this.add(group, values[at + countAt] as number, first, last, values[at + ttlAt] as number);
  }

  /** Empties a group. */
  clear(group: number): void {
    const at = group * width;
    this.#values[at + countAt] = 0;
    this.#values[at + firstAt] = Number.POSITIVE_INFINITY;
    this.#values[at + lastAt] = 0;
    this.#values[at + ttlAt] = -1;
  }

  of(group: number): Tally {
    const [count = 0, firstSeen = 0, lastSeen = 0] = this.#values.subarray(group * width, (group + 1) * width);
    return { count, firstSeen, lastSeen };
  }

  maxTtl(group: number): number | null {
    const ttl = this.#values[group * width + ttlAt] as number;
    return ttl < 0 ? null : ttl;
  }

  /** Of every group. */
  counts(): Uint32Array {
    const counts = new Uint32Array(this.#values.length / width);
    for (let group = 0; group < counts.length; group += 1) {
      counts[group] = this.#values[group * width + countAt] as number;
    }
    return counts;
  }

  #grow(group: number): void {
    const more = emptied((group + 1) * 2);
    more.set(this.#values);
    this.#values = more;
  }
}

function emptied(groups: number): Float64Array<ArrayBuffer> {
  const values = new Float64Array(groups * width);
  for (let at = 0; at < values.length; at += width) {
    values[at + firstAt] = Number.POSITIVE_INFINITY;
    values[at + ttlAt] = -1;
  }
  return values;
}

/** Numbers of at most `limit` groups that are not empty: largest count first, then by `key` in the order of its UTF-16 units. */
export function largest(counts: Uint32Array, limit: number, key: (group: number) => string): number[] {
  const least = Math.max(1, leastOfLargest(counts, limit));
  const groups: { group: number; count: number; key: string }[] = [];
  for (let group = 0; group < counts.length; group += 1) {
    const count = counts[group] as number;
    if (count >= least) {
      groups.push({ group, count, key: key(group) });
    }
  }
  return groups
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
    .slice(0, limit)
    .map(({ group }) => group);
}

/** The least of the `limit` largest counts; 0 when there are no more. */
function leastOfLargest(counts: Uint32Array, limit: number): number {
  const most = new LargestCounts(limit);
  for (const count of counts) {
    most.add(count);
  }
  return most.least;
}

/** The largest counts of many, kept as a heap with the least on top. */
export class LargestCounts {
  readonly #heap: Uint32Array;

  constructor(limit: number) {
    this.#heap = new Uint32Array(limit);
  }

  /** 0 while there are fewer than the limit. */
  get least(): number {
    return this.#heap[0] as number;
  }

  add(count: number): void {
    if (count > (this.#heap[0] as number)) {
      sink(this.#heap, count);
    }
  }
}

/** Replaces the top of a heap. */
function sink(heap: Uint32Array, count: number): void {
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const child = left + 1 < heap.length && (heap[left + 1] as number) < (heap[left] as number) ? left + 1 : left;
    if (child >= heap.length || (heap[child] as number) >= count) {
      heap[at] = count;
      return;
    }
    heap[at] = heap[child] as number;
    at = child;
  }
}

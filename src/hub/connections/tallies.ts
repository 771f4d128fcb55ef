// Tallies of many groups by number, and the groups with the most.

/** Flows counted, and first and last sighting of any of them. */
export interface Tally {
  count: number;
  firstSeen: number;
  lastSeen: number;
}

/** Numbers of one group, side by side: what is added to it lies in one line of the processor's cache. */
const width = 4;
const [countAt, firstAt, lastAt, ttlAt] = [0, 1, 2, 3];

/** One tally for each number from 0; there is room for any number that is added. */
export class Tallies {
  #values: Float64Array<ArrayBuffer>;

  constructor(groups: number) {
    this.#values = emptied(groups);
  }

  /** Adds flows of a group; returns how many it had before. `ttl` is -1 where unknown; the largest is kept. */
  add(group: number, flows: number, firstSeen: number, lastSeen: number, ttl: number): number {
    const at = group * width;
    if (at >= this.#values.length) {
      this.#grow(group);
    }
    const values = this.#values;
    const before = values[at + countAt] as number;
    values[at + countAt] = before + flows;
    if (firstSeen < (values[at + firstAt] as number)) {
      values[at + firstAt] = firstSeen;
    }
    if (lastSeen > (values[at + lastAt] as number)) {
      values[at + lastAt] = lastSeen;
    }
    if (ttl > (values[at + ttlAt] as number)) {
      values[at + ttlAt] = ttl;
    }
    return before;
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

/** The least of the `limit` largest counts; 0 when there are no more. They are kept as a heap, the least on top. */
function leastOfLargest(counts: Uint32Array, limit: number): number {
  const heap = new Uint32Array(limit);
  for (const count of counts) {
    if (count > (heap[0] as number)) {
      sink(heap, count);
    }
  }
  return heap[0] as number;
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

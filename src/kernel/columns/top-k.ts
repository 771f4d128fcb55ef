// The largest of many, by count.

/** At most `limit` items, largest `count` first, then by `key` in the order of its UTF-16 units. */
export function topBy<T>(items: Iterable<T>, limit: number, count: (item: T) => number, key: (item: T) => string): T[] {
  return [...items].sort((a, b) => count(b) - count(a) || (key(a) < key(b) ? -1 : 1)).slice(0, limit);
}

/** Indexes of at most `limit` counts above 0, in the same order. Calls `key` only for indexes that may be among them. */
export function topK(counts: Uint32Array, limit: number, key: (index: number) => string): number[] {
  const largest = new LargestCounts(limit);
  for (const count of counts) {
    largest.add(count);
  }
  const least = Math.max(1, largest.least);
  const items: { index: number; count: number; key: string }[] = [];
  for (let index = 0; index < counts.length; index += 1) {
    const count = counts[index] as number;
    if (count >= least) {
      items.push({ index, count, key: key(index) });
    }
  }
  return topBy(
    items,
    limit,
    (item) => item.count,
    (item) => item.key,
  ).map(({ index }) => index);
}

/** The `limit` largest counts of many, in a heap with the least on top. */
export class LargestCounts {
  readonly #heap: Uint32Array;

  constructor(limit: number) {
    this.#heap = new Uint32Array(limit);
  }

  /** The least of them; 0 while there are fewer than the limit. */
  get least(): number {
    return this.#heap[0] as number;
  }

  add(count: number): void {
    if (count > (this.#heap[0] as number)) {
      sink(this.#heap, count);
    }
  }
}

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

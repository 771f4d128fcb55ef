// Tallies of many groups by number, and the groups with the most.

/** Flows counted, and first and last sighting of any of them. */
export interface Tally {
  count: number;
  firstSeen: number;
  lastSeen: number;
}

/** One tally for each number from 0; there is room for any number that is added. */
export class Tallies {
  count: Uint32Array<ArrayBuffer>;
  #first: Float64Array<ArrayBuffer>;
  #last: Float64Array<ArrayBuffer>;

  constructor(room: number) {
    this.count = new Uint32Array(room);
    this.#first = new Float64Array(room).fill(Number.POSITIVE_INFINITY);
    this.#last = new Float64Array(room);
  }

  add(group: number, flows: number, firstSeen: number, lastSeen: number): void {
    if (group >= this.count.length) {
      this.#grow(group + 1);
    }
    this.count[group] = (this.count[group] as number) + flows;
    if (firstSeen < (this.#first[group] as number)) {
      this.#first[group] = firstSeen;
    }
    if (lastSeen > (this.#last[group] as number)) {
      this.#last[group] = lastSeen;
    }
  }

  /** Adds all of group `from` of other tallies. */
  addAll(group: number, others: Tallies, from: number): void {
    this.add(group, others.count[from] as number, others.#first[from] as number, others.#last[from] as number);
  }

  of(group: number): Tally {
    const [firstSeen, lastSeen] = [this.#first[group] as number, this.#last[group] as number];
    return { count: this.count[group] as number, firstSeen, lastSeen };
  }

  #grow(least: number): void {
    const { count } = this;
    const [first, last] = [this.#first, this.#last];
    const room = Math.max(least, count.length * 2);
    this.count = new Uint32Array(room);
    this.count.set(count);
    this.#first = new Float64Array(room).fill(Number.POSITIVE_INFINITY);
    this.#first.set(first);
    this.#last = new Float64Array(room);
    this.#last.set(last);
  }
}

/** Numbers of at most `limit` groups that are not empty: largest count first, then by `key` in the order of its UTF-16 units. */
export function largest(counts: Uint32Array, limit: number, key: (group: number) => string): number[] {
  const sorted = counts.filter((count) => count > 0).sort();
  const least = Math.max(1, sorted[sorted.length - limit] ?? 1);
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

// Groups of flows: counting into them, and the ones with the most first.

/** Flows counted, and first and last sighting of any of them. */
export interface Tally {
  count: number;
  firstSeen: number;
  lastSeen: number;
}

export function addFlow(group: Tally, firstSeen: number, lastSeen: number): void {
  group.count += 1;
  if (firstSeen < group.firstSeen) {
    group.firstSeen = firstSeen;
  }
  if (lastSeen > group.lastSeen) {
    group.lastSeen = lastSeen;
  }
}

/** All groups have their tally in an object of the same shape: adding to it is what a summary mostly does. */
export function newTally(): Tally {
  return { count: 0, firstSeen: Number.POSITIVE_INFINITY, lastSeen: 0 };
}

/** At most `limit` groups, largest `count` first, then by `key` in the order of its UTF-16 units. */
export function ranked<G>(
  groups: Iterable<G>,
  limit: number,
  count: (group: G) => number,
  key: (group: G) => string,
): G[] {
  const all = [...groups];
  const least = leastOf(all.map(count), limit);
  const rank = (a: G, b: G) => count(b) - count(a) || (key(a) < key(b) ? -1 : 1);
  return all
    .filter((group) => count(group) >= least)
    .sort(rank)
    .slice(0, limit);
}

/** The smallest count among the `limit` largest: only groups that reach it need to be put in order. */
function leastOf(counts: readonly number[], limit: number): number {
  const sorted = Float64Array.from(counts).sort();
  return sorted[Math.max(0, sorted.length - limit)] ?? 0;
}

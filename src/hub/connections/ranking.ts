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

/** At most `limit` groups, most flows first, then by `key` in the order of its UTF-16 units. */
export function ranked<G extends { count: number }>(
  groups: Iterable<G>,
  limit: number,
  key: (group: G) => string,
): G[] {
  const rank = (a: G, b: G) => b.count - a.count || (key(a) < key(b) ? -1 : 1);
  return [...groups].sort(rank).slice(0, limit);
}

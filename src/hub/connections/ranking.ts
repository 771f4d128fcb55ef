// Groups of flows: counting into them, and the ones with the most first.

/** Flows counted, and first and last sighting of any of them. */
export interface Tally {
  count: number;
  firstSeen: number;
  lastSeen: number;
}

/** The group of `key`, empty when it is new. */
export function groupOf<K, G extends Tally>(groups: Map<K, G>, key: K, create: () => Omit<G, keyof Tally>): G {
  const known = groups.get(key);
  if (known) {
    return known;
  }
  const group = { ...create(), count: 0, firstSeen: Number.POSITIVE_INFINITY, lastSeen: 0 } as G;
  groups.set(key, group);
  return group;
}

export function addTo(group: Tally, { count, firstSeen, lastSeen }: Tally): void {
  group.count += count;
  group.firstSeen = Math.min(group.firstSeen, firstSeen);
  group.lastSeen = Math.max(group.lastSeen, lastSeen);
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

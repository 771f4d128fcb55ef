// The groups with the most first.

/** At most `limit` groups, largest `count` first, then by `key` in the order of its UTF-16 units. */
export function ranked<G>(
  groups: Iterable<G>,
  limit: number,
  count: (group: G) => number,
  key: (group: G) => string,
): G[] {
  return [...groups].sort((a, b) => count(b) - count(a) || (key(a) < key(b) ? -1 : 1)).slice(0, limit);
}

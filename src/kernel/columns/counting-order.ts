// Counting sort of whole numbers: linear time, stable.

/** The indexes of `keys` by ascending key (below `keyCount`); those of one key in the order of `before`, else ascending. */
export function stableOrder(keys: Uint32Array, keyCount: number, before?: Uint32Array): Uint32Array {
  const next = findStarts(keys, keyCount);
  const order = new Uint32Array(keys.length);
  for (let at = 0; at < keys.length; at += 1) {
    const index = before === undefined ? at : (before[at] as number);
    const key = keys[index] as number;
    const to = next[key] as number;
    order[to] = index;
    next[key] = to + 1;
  }
  return order;
}

/** Where the indexes of each key begin in that order; one entry more than keys. */
export function findStarts(keys: Uint32Array, keyCount: number): Uint32Array {
  const starts = new Uint32Array(keyCount + 1);
  for (const key of keys) {
    starts[key + 1] = (starts[key + 1] as number) + 1;
  }
  for (let key = 1; key <= keyCount; key += 1) {
    starts[key] = (starts[key] as number) + (starts[key - 1] as number);
  }
  return starts;
}

const half = 0x1_0000;

/** The indexes of any 32-bit `keys` by ascending key, equal ones in their order. Several times faster than a comparison sort. */
export function ascending(keys: Uint32Array): Uint32Array {
  const byLower = stableOrder(
    keys.map((key) => key & (half - 1)),
    half,
  );
  return stableOrder(
    keys.map((key) => key >>> 16),
    half,
    byLower,
  );
}

// Orders places by small whole numbers, in time that grows with their number alone.

/**
 * The places 0 … `keys.length - 1` by ascending key (below `keyCount`); those of one key in the order that `before` has
 * them, or else by number.
 */
export function stableOrder(keys: Uint32Array, keyCount: number, before?: Uint32Array): Uint32Array {
  const next = new Uint32Array(keyCount + 1);
  for (let place = 0; place < keys.length; place += 1) {
    const after = (keys[place] as number) + 1;
    next[after] = (next[after] as number) + 1;
  }
  for (let key = 1; key <= keyCount; key += 1) {
    next[key] = (next[key] as number) + (next[key - 1] as number);
  }
  const order = new Uint32Array(keys.length);
  for (let at = 0; at < keys.length; at += 1) {
    const place = before === undefined ? at : (before[at] as number);
    const key = keys[place] as number;
    const to = next[key] as number;
    order[to] = place;
    next[key] = to + 1;
  }
  return order;
}

/** Where the places of each key begin among the ordered ones; one entry more than keys. */
export function startsOf(keys: Uint32Array, keyCount: number): Uint32Array {
  const starts = new Uint32Array(keyCount + 1);
  for (const key of keys) {
    starts[key + 1] = (starts[key + 1] as number) + 1;
  }
  for (let key = 1; key <= keyCount; key += 1) {
    starts[key] = (starts[key] as number) + (starts[key - 1] as number);
  }
  return starts;
}

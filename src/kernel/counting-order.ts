// Orders whole numbers by counting them, in time that grows with their number alone; and finds one among ordered ones.

/**
 * The places 0 … `keys.length - 1` by ascending key (below `keyCount`); those of one key in the order that `before` has
 * them, or else by number.
 */
export function stableOrder(keys: Uint32Array, keyCount: number, before?: Uint32Array): Uint32Array {
  const next = startsOf(keys, keyCount);
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

const half = 0x1_0000;

/** Places of any 32-bit `keys` so that their keys ascend; equal ones stay in their order. Several times faster than to compare them. */
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

/** The first place of the first `length` numbers, which ascend, whose number is not below `number`; `length` when there is none. */
export function firstNotBelow(numbers: Uint32Array, number: number, length = numbers.length): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The order of many 32-bit numbers, found by counting: several times faster than comparing them.

const digits = 0x1_0000;

/** Places of `keys` so that their keys ascend; equal ones stay in their order. */
export function ascending(keys: Uint32Array): Uint32Array {
  const byLower = distributed(
    keys,
    keys.map((_, place) => place),
    0,
  );
  return distributed(keys, byLower, 16);
}

/** `places` in the order of one half of their keys. */
function distributed(keys: Uint32Array, places: Uint32Array, shift: number): Uint32Array {
  const starts = new Uint32Array(digits + 1);
  for (const key of keys) {
    const digit = (key >>> shift) & 0xffff;
    starts[digit + 1] = (starts[digit + 1] ?? 0) + 1;
  }
  for (let digit = 0; digit < digits; digit += 1) {
    starts[digit + 1] = (starts[digit + 1] ?? 0) + (starts[digit] ?? 0);
  }
  const ordered = new Uint32Array(places.length);
  for (const place of places) {
    const digit = ((keys[place] ?? 0) >>> shift) & 0xffff;
    const at = starts[digit] ?? 0;
    ordered[at] = place;
    starts[digit] = at + 1;
  }
  return ordered;
}

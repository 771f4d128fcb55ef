// Permutes small numbers by a secret key: every replacement in a capture is made of it. Without the key it cannot be reversed.
import { hash } from 'node:crypto';

/** Replaces `value` by one of `alike`. Each `place` has its own permutation. */
export type Permutation = (place: string, value: number, alike: readonly number[]) => number;

/**
 * In one place no two numbers have the same replacement, if `alike` is the same sorted group for each number of it, and no
 * number is in two groups. The result depends on `key`, `place` and the group alone.
 */
export function createPermutation(key: string): Permutation {
  /** By place and the least number of the group. */
  const orders = new Map<string, Uint8Array>();
  return (place, value, alike) => {
    const name = `${place}|${alike[0]}`;
    const order = orders.get(name) ?? shuffle(alike, `${key}|${name}`);
    orders.set(name, order);
    return order[alike.indexOf(value)] ?? value;
  };
}

/** Returns `count` numbers of 32 bits that cannot be told from random ones without `seed`. */
export function drawNumbers(seed: string, count: number): Uint32Array {
  const bytes = hash('shake256', seed, { outputEncoding: 'buffer', outputLength: 4 * count });
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}

/** Shuffles a copy of `numbers`, 0 to 255, as Fisher and Yates do. */
function shuffle(numbers: readonly number[], seed: string): Uint8Array {
  const order = Uint8Array.from(numbers);
  const draws = drawNumbers(seed, order.length);
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = (draws[last] as number) % (last + 1);
    [order[last], order[other]] = [order[other] as number, order[last] as number];
  }
  return order;
}

// Permutes small numbers by a secret key: every replacement in a capture is made of it. Without the key it cannot be reversed.
import { createHash } from 'node:crypto';

/** Replaces `value`, 0 to 255, by a number that `isAlike` accepts. Each `place` has its own permutation. */
export type Permutation = (place: string, value: number, isAlike: (other: number) => boolean) => number;

/**
 * In one place no two numbers have the same replacement, if `isAlike` sorts the numbers into the same groups on each call. The
 * result depends on `key`, `place` and the group alone.
 */
export function createPermutation(key: string): Permutation {
  /** By place and the least number of the group. */
  const orders = new Map<string, Uint8Array>();
  return (place, value, isAlike) => {
    const alike = numbers.filter(isAlike);
    const name = `${place}|${alike[0]}`;
    const order = orders.get(name) ?? shuffle(alike, `${key}|${name}`);
    orders.set(name, order);
    return order[alike.indexOf(value)] ?? value;
  };
}

const numbers = Array.from({ length: 256 }, (_, number) => number);

function shuffle(alike: readonly number[], seed: string): Uint8Array {
  const ranks = createHash('shake256', { outputLength: 4 * alike.length })
    .update(seed)
    .digest();
  const order = alike.map((number, at) => ({ number, rank: ranks.readUInt32LE(4 * at) }));
  return Uint8Array.from(order.sort((a, b) => a.rank - b.rank).map(({ number }) => number));
}

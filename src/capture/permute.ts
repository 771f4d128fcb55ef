// A keyed order of numbers: the base of every mapping in a capture. Without the key nobody can turn it round.
import { createHash } from 'node:crypto';

/** Replaces a number of 0 to 255 by one that `isAlike` allows in its place; `place` says where it stands. */
export type Permute = (place: string, value: number, isAlike: (other: number) => boolean) => number;

/**
 * In one place each number has its own replacement, and a number and its replacement are alike in the same way. The result
 * depends on `key` and `place` alone.
 */
export function createPermute(key: string): Permute {
  /** By place and the least number of those that are alike. */
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

// What a seed decides: the same seed draws the same numbers in the same order.
import { createRandom } from '../support/random.ts';

export interface Chance {
  /** 0 ≤ n < 1. */
  next(): number;
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  pick<T>(from: readonly T[]): T;
  happens(probability: number): boolean;
}

export function createChance(seed: number): Chance {
  const next = createRandom(seed);
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    whole,
    pick: (from) => from[whole(0, from.length - 1)] as (typeof from)[number],
    happens: (probability) => next() < probability,
  };
}

/** The same seed and the same words: the same numbers, whatever else was drawn. */
export function createNamedChance(seed: number, words: string): Chance {
  const salt = [...words].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7);
  return createChance(Math.imul(seed, 0x9e3779b1) ^ salt);
}

/** The entry that `draw` (0 ≤ n < 1) falls on, each as wide as its weight; null where there is none. */
export function pickWeighted<T extends { weight: number }>(entries: readonly T[], draw: number): T | null {
  let left = draw * entries.reduce((sum, { weight }) => sum + weight, 0);
  return (
    entries.find(({ weight }) => {
      left -= weight;
      return left < 0;
    }) ?? null
  );
}

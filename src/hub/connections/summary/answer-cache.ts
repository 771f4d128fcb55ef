// Answers kept for a short while, a few of them.
import { type Clock, elapsed } from '#kernel/clock.ts';

export interface Cached {
  value: Uint8Array;
  /** When it was made. */
  at: number;
  isCached: boolean;
}

export interface AnswerCache {
  /** The kept answer of `key`, else what `make` resolves to. */
  get(key: string, make: () => Promise<Uint8Array>): Promise<Cached>;
}

/** Keeps an answer for `ms`; of more than `maxKeys` the oldest goes. */
export function createAnswerCache(clock: Clock, ms: number, maxKeys: number): AnswerCache {
  const kept = new Map<string, { value: Uint8Array; at: number }>();
  return {
    async get(key, make) {
      const known = kept.get(key);
      if (known && elapsed(known.at, clock.now()) < ms) {
        return { ...known, isCached: true };
      }
      const at = clock.now();
      const value = await make();
      kept.delete(key);
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= maxKeys) {
        kept.delete(oldest);
      }
      kept.set(key, { value, at });
      return { value, at, isCached: false };
    },
  };
}

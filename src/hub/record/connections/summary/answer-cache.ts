// Answers that are cached for a short while.
import type { Clock } from '#kernel/time/clock.ts';
import { ExpiringCache } from '#kernel/time/expiring-cache.ts';

export interface Cached {
  value: Uint8Array;
  /** When it was made. */
  at: number;
  isCached: boolean;
}

export function createAnswerCache(clock: Clock, ms: number, maxKeys: number) {
  const create = () => new ExpiringCache<Uint8Array>(clock, maxKeys, () => ms);
  let cache = create();
  return {
    /** Drops every answer, also those that are being made. */
    forget() {
      cache = create();
    },
    /** The cached answer of `key`, else what `make` resolves to. */
    async get(key: string, make: () => Promise<Uint8Array>) {
      const asked = cache;
      const cached = asked.entry(key);
      if (cached) {
        return { ...cached, isCached: true };
      }
      const at = clock.now();
      const value = await make();
      asked.set(key, value, at);
      return { value, at, isCached: false };
    },
  };
}

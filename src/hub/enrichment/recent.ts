// A bounded memory of what was told lately: the newest entries, each for a while.
import { type Clock, elapsed } from '#kernel/clock.ts';

export interface Recent<T> {
  set(key: string, value: T): void;
  get(key: string): T | undefined;
}

/** Keeps the newest `max` entries, each for `forMs`. */
export function createRecent<T>(clock: Pick<Clock, 'now'>, max: number, forMs: number): Recent<T> {
  const entries = new Map<string, { value: T; at: number }>();
  return {
    set(key, value) {
      entries.delete(key);
      entries.set(key, { value, at: clock.now() });
      const [oldest] = entries.keys();
      if (entries.size > max && oldest !== undefined) {
        entries.delete(oldest);
      }
    },
    get(key) {
      const entry = entries.get(key);
      return entry && elapsed(entry.at, clock.now()) < forMs ? entry.value : undefined;
    },
  };
}

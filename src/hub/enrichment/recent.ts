// A bounded memory of what was told lately: the newest entries, each for a while.
import type { Clock } from '#kernel/clock.ts';

export interface Recent<T> {
  set(key: string, value: T): void;
  get(key: string): T | undefined;
}

/** Keeps the newest `max` entries, each for `forMs`. */
export function createRecent<T>(clock: Pick<Clock, 'now'>, max: number, forMs: number): Recent<T> {
  const entries = new Map<string, { value: T; until: number }>();
  return {
    set(key, value) {
      entries.delete(key);
      entries.set(key, { value, until: clock.now() + forMs });
      const [oldest] = entries.keys();
      if (entries.size > max && oldest !== undefined) {
        entries.delete(oldest);
      }
    },
    get(key) {
      const entry = entries.get(key);
      return entry && entry.until > clock.now() ? entry.value : undefined;
    },
  };
}

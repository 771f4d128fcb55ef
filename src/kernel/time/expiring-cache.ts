// A cache with a bound and a time to live, by the clock of the program.
import { type Clock, elapsed } from './clock.ts';

interface Entry<V> {
  value: V;
  /** Epoch milliseconds. */
  at: number;
}

/**
 * The newest `max` entries, each valid for less than `ttlMs()`. An entry from the future, set before the clock was put
 * back, is expired: `lru-cache` would hold it for longer than its time.
 */
export class ExpiringCache<V> {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #max: number;
  readonly #ttlMs: () => number;
  readonly #entries = new Map<string, Entry<V>>();

  constructor(clock: Pick<Clock, 'now'>, max: number, ttlMs: () => number) {
    this.#clock = clock;
    this.#max = max;
    this.#ttlMs = ttlMs;
  }

  set(key: string, value: V, at = this.#clock.now()): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, at });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#max && oldest !== undefined) {
      this.#entries.delete(oldest);
    }
  }

  entry(key: string): Entry<V> | undefined {
    const entry = this.#entries.get(key);
    return entry && elapsed(entry.at, this.#clock.now()) < this.#ttlMs() ? entry : undefined;
  }

  get(key: string): V | undefined {
    return this.entry(key)?.value;
  }
}

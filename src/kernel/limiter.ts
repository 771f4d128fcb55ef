// Counting in time and in number: fixed windows per key, and a cap on what runs at once.
import type { Clock } from './clock.ts';

export interface Taken {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Epoch milliseconds at which the window ends. */
  resetAt: number;
}

/** Fixed windows of `windowMs` with `limit` takes per key; at most `maxKeys` keys are tracked, new ones refused beyond. */
export class RateWindow {
  readonly limit: number;
  readonly windowMs: number;
  readonly maxKeys: number;
  #clock: Clock;
  #windows = new Map<string, { resetAt: number; taken: number }>();

  constructor(clock: Clock, limit: number, windowMs: number, maxKeys = 20_000) {
    this.#clock = clock;
    this.limit = limit;
    this.windowMs = windowMs;
    this.maxKeys = maxKeys;
  }

  take(key: string): Taken {
    const now = this.#clock.now();
    let window = this.#windows.get(key);
    if (!window || window.resetAt <= now) {
      if (!window && this.#windows.size >= this.maxKeys) {
        this.#forgetEnded(now);
        if (this.#windows.size >= this.maxKeys) {
          return { allowed: false, limit: this.limit, remaining: 0, resetAt: now + this.windowMs };
        }
      }
      window = { resetAt: now + this.windowMs, taken: 0 };
      this.#windows.set(key, window);
    }
    window.taken += 1;
    return {
      allowed: window.taken <= this.limit,
      limit: this.limit,
      remaining: Math.max(0, this.limit - window.taken),
      resetAt: window.resetAt,
    };
  }

  /** Milliseconds until the window of `taken` ends. */
  remainingMs(taken: Taken): number {
    return Math.max(0, taken.resetAt - this.#clock.now());
  }

  #forgetEnded(now: number): void {
    for (const [key, window] of this.#windows) {
      if (window.resetAt <= now) {
        this.#windows.delete(key);
      }
    }
  }
}

/** At most `count` pieces of work at once; the rest wait in order of arrival. */
export class Slots {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) {
      this.#free -= 1;
    } else {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) {
        next();
      } else {
        this.#free += 1;
      }
    }
  }
}

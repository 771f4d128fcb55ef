// Rate limits by fixed windows per key, and a semaphore.
import type { Clock } from '../time/clock.ts';

export interface Taken {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Epoch milliseconds at which the window ends. */
  resetAt: number;
}

/**
 * Fixed windows of `windowMs` with `limit` takes per key. At most `maxKeys` keys are tracked: for one more, the oldest
 * window is dropped, so that no key is refused because of others.
 */
export class FixedWindowLimiter {
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
    if (!window || !this.#isOpen(window, now)) {
      window = { resetAt: now + this.windowMs, taken: 0 };
      this.#windows.delete(key);
      this.#forgetOldest();
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

  /** What the next `take` would return, without taking. */
  look(key: string): Taken {
    const now = this.#clock.now();
    const window = this.#windows.get(key);
    const isOpen = window !== undefined && this.#isOpen(window, now);
    const taken = isOpen ? window.taken : 0;
    return {
      allowed: taken < this.limit,
      limit: this.limit,
      remaining: Math.max(0, this.limit - taken),
      resetAt: isOpen ? window.resetAt : now + this.windowMs,
    };
  }

  clear(key: string): void {
    this.#windows.delete(key);
  }

  /** Milliseconds until the window of `taken` ends. */
  remainingMs(taken: Taken): number {
    return Math.max(0, taken.resetAt - this.#clock.now());
  }

  /** A window that ends later than `windowMs` from now was opened before the clock was set back: it has ended. */
  #isOpen({ resetAt }: { resetAt: number }, now: number): boolean {
    return resetAt > now && resetAt <= now + this.windowMs;
  }

  /** Makes room for one more key; windows are in the order in which they began, and so end. */
  #forgetOldest(): void {
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= this.maxKeys && oldest !== undefined) {
      this.#windows.delete(oldest);
    }
  }
}

/** At most `count` tasks at once; the others wait in order of arrival. */
export class Semaphore {
  #free: number;
  #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Acquires a slot now and returns its release function; `null` when none is free. */
  tryTake(): (() => void) | null {
    if (this.#free === 0) {
      return null;
    }
    this.#free -= 1;
    let isHeld = true;
    return () => {
      if (isHeld) {
        isHeld = false;
        this.#giveBack();
      }
    };
  }

  /**
   * Runs `work` in a slot. A waiter whose `signal` aborts leaves the queue and rejects with the signal's reason; an abort
   * after `work` began is for `work` to see.
   */
  async use<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
    } else {
      await this.#turn(signal);
    }
    try {
      // The signal may have aborted after the slot was handed over.
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.#giveBack();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(begin);
        reject(signal?.reason);
      };
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.add(begin);
    });
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else {
      this.#free += 1;
    }
  }
}

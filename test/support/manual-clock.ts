// A clock that stands still until a test moves it. Waits of a second or less are real: they only let sockets settle.
import { type Clock, systemClock } from '#kernel/time/clock.ts';

interface Sleeper {
  wakeAt: number;
  wake: () => void;
  /** How long it was to last, and who asked. */
  readonly ms: number;
  readonly from: Error;
}

export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  #sleepers = new Set<Sleeper>();

  constructor(now = Date.UTC(2026, 2, 1, 3, 0, 0)) {
    this.#now = now;
  }

  now = (): number => this.#now;

  /** Counts what `advance` and `skip` let pass, not what `put` and `jump` set. */
  monotonic = (): number => this.#monotonic;

  /** How many wait for an instant more than a second away. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** The next instant at which somebody wakes; null when nobody waits. */
  get nextAt(): number | null {
    const all = [...this.#sleepers].map(({ wakeAt }) => wakeAt);
    return all.length === 0 ? null : Math.min(...all);
  }

  /** Who waits for an instant more than a second away. */
  sleepers(): readonly { readonly ms: number; readonly from: Error }[] {
    return [...this.#sleepers];
  }

  sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms <= 1000) {
      return systemClock.sleep(ms, signal);
    }
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const stop = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        ms,
        from: new Error('asleep'),
        // An instant is a whole millisecond, as with real time.
        wakeAt: Math.ceil(this.#now + ms),
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', stop);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', stop, { once: true });
    });
  };

  /** Moves time forward, waking every sleeper at its own instant and giving what it started some turns of the loop. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    for (;;) {
      const next = [...this.#sleepers].filter(({ wakeAt }) => wakeAt <= target).sort((a, b) => a.wakeAt - b.wakeAt)[0];
      if (!next) {
        break;
      }
      this.#pass(Math.max(this.#now, next.wakeAt));
      next.wake();
      await turns();
    }
    this.#pass(target);
    await turns();
  }

  /** Lets time pass without waking anybody. */
  skip(ms: number): void {
    this.#pass(this.#now + ms);
  }

  #pass(to: number): void {
    this.#monotonic += Math.max(0, to - this.#now);
    this.#now = to;
  }

  /** Puts the clock forward or back: waits last as long as they would have. */
  put(to: number): void {
    for (const sleeper of this.#sleepers) {
      sleeper.wakeAt += to - this.#now;
    }
    this.#now = to;
  }

  /** Sets the time without waking anybody: a clock that was put right, or wrong. */
  jump(to: number): void {
    this.#now = to;
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

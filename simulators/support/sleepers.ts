// Those who wait on a clock that does not run by itself.

/**
 * Makes a clock that jumps stand until `work` has ended, which takes real time. What it returns settles after the work of
 * earlier calls, so that results have the same order in each run.
 */
export type HoldClock = <T>(work: Promise<T>) => Promise<T>;

export interface Sleeper {
  /** Epoch milliseconds, whole. */
  wakeAt: number;
  /** How long the wait was to last, in milliseconds. */
  readonly ms: number;
  /** Its stack shows who waits. */
  readonly from: Error;
  wake(): void;
}

export class Sleepers {
  readonly all = new Set<Sleeper>();

  /** Resolves when it is woken. Rejects with the reason of `signal` when that is aborted first. */
  sleep(now: number, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const stop = () => {
        this.all.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        ms,
        from: new Error('asleep'),
        // An instant is a whole millisecond, as with real time.
        wakeAt: Math.ceil(now + Math.max(0, ms)),
        wake: () => {
          this.all.delete(sleeper);
          signal?.removeEventListener('abort', stop);
          resolve();
        },
      };
      this.all.add(sleeper);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** The one whose time comes first; undefined when nobody is to wake until `until`. */
  findNext(until = Number.POSITIVE_INFINITY): Sleeper | undefined {
    return [...this.all].filter(({ wakeAt }) => wakeAt <= until).sort((a, b) => a.wakeAt - b.wakeAt)[0];
  }
}

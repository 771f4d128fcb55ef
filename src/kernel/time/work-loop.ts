// A loop of steps that rests between them: it goes on when it is woken, or when the rest that a step asked for is over.
import type { Clock } from './clock.ts';

export interface WorkLoopOptions {
  clock: Clock;
  /**
   * One step. Resolves to the rest before the next one: milliseconds, 0 to go on at once, or null to wait for `wake`.
   * A step that resolves to 0 must have waited for something outside, such as the disk: else it blocks the event loop.
   * `signal` aborts when the loop is disposed.
   */
  step(signal: AbortSignal): Promise<number | null>;
  /** Called when a step rejects, unless the loop is being disposed. Returns the rest before the next step. */
  failed(error: unknown): number | null;
  /** Rest before the first step; 0 when absent. */
  firstRestMs?: number | null;
}

export interface WorkLoop extends AsyncDisposable {
  /** Ends the rest. During a step, the next step follows at once. */
  wake(): void;
  /** Resolves when the loop rests: at once during a rest, else when no step is running or due, woken ones included. */
  settled(): Promise<void>;
}

/** Starts the loop. Steps never overlap. Disposal aborts the running step and waits for it. */
export function startWorkLoop({ clock, step, failed, firstRestMs = 0 }: WorkLoopOptions): WorkLoop {
  const stop = new AbortController();
  const { signal } = stop;
  let isWoken = false;
  let currentRest: PromiseWithResolvers<void> | null = null;
  let restBegun = Promise.withResolvers<void>();

  const endRest = () => {
    if (currentRest !== null) {
      currentRest.resolve();
      currentRest = null;
      restBegun = Promise.withResolvers();
    }
  };
  const rest = async (ms: number | null) => {
    currentRest = Promise.withResolvers();
    const { promise } = currentRest;
    restBegun.resolve();
    const timer = new AbortController();
    if (ms !== null) {
      void clock.sleep(ms, timer.signal).then(endRest, () => undefined);
    }
    await promise;
    // A reason of its own: without one, an error with its stack would be made.
    timer.abort('the rest is over');
  };
  const run = async () => {
    let restMs = firstRestMs;
    while (!signal.aborted) {
      if (restMs !== 0 && !isWoken) {
        await rest(restMs);
      }
      isWoken = false;
      if (!signal.aborted) {
        restMs = await step(signal).catch((error: unknown) => (signal.aborted ? null : failed(error)));
      }
    }
    restBegun.resolve();
  };
  const wake = () => {
    isWoken = true;
    endRest();
  };
  const running = run();
  return {
    wake,
    settled: () => restBegun.promise,
    async [Symbol.asyncDispose]() {
      stop.abort();
      wake();
      await running;
    },
  };
}

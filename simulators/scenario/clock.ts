// The time of a scenario: it begins at an instant of its own and goes as fast as asked, or from event to event.
import { type Clock, systemClock, yieldToEventLoop } from '#kernel/time/clock.ts';
import { type HoldClock, Sleepers } from '../support/sleepers.ts';

export interface ScenarioClock extends Clock {
  /**
   * Waits until the instant `at` and runs `act`. The clock stands at `at` meanwhile, so that what `act` does has the same
   * times in each run. Rejects with the signal's reason when it is aborted first.
   */
  runAt<T>(at: number, act: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Makes the clock stand while work goes on. Only a clock that jumps (`--speed max`) has it. */
  readonly hold?: HoldClock;
}

/** Turns of the event loop in which what a sleeper began, such as listening again, comes to its end. */
const turns = 5;

/**
 * A clock that stands at `start`, epoch milliseconds, until the first `runAt` is over, and then runs `speed` times as fast
 * as that of the system.
 */
export function createPacedClock(start: number, speed: number): ScenarioClock {
  let began: number | null = null;
  let pinned: number | null = start;
  const now = () => pinned ?? Math.floor(start + (systemClock.monotonic() - (began ?? 0)) * speed);
  const sleep = (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / speed, signal);
  return {
    now,
    monotonic: now,
    sleep,
    async runAt(at, act, signal) {
      signal.throwIfAborted();
      for (let left = at - now(); left > 0; left = at - now()) {
        await systemClock.sleep(left / speed, signal);
      }
      pinned = at;
      try {
        return await act();
      } finally {
        began ??= systemClock.monotonic();
        pinned = null;
      }
    },
  };
}

/**
 * A clock that begins at `start` and jumps to the next event, waking those whose time is before it. It waits for nothing
 * but the work that holds it.
 */
export function createSteppedClock(start: number): ScenarioClock {
  let at = start;
  const sleepers = new Sleepers();
  const now = () => at;
  let held: Promise<unknown> = Promise.resolve();
  /** Resolves when nobody holds the clock, and when the signal is aborted. */
  const released = async (signal: AbortSignal) => {
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener('abort', stop, { once: true });
    for (let last: unknown; last !== held && !signal.aborted; await settle()) {
      last = held;
      await Promise.race([held, stopped.promise]);
    }
    signal.removeEventListener('abort', stop);
  };
  return {
    now,
    monotonic: now,
    sleep: (ms, signal) => sleepers.sleep(at, ms, signal),
    hold(work) {
      const before = held;
      const ended = work.finally(() => before);
      held = ended.catch(() => undefined);
      return ended;
    },
    async runAt(target, act, signal) {
      await released(signal);
      for (let next = sleepers.findNext(target); next; next = sleepers.findNext(target)) {
        signal.throwIfAborted();
        at = Math.max(at, next.wakeAt);
        next.wake();
        await released(signal);
      }
      signal.throwIfAborted();
      at = Math.max(at, target);
      const result = await act();
      await settle();
      return result;
    },
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await yieldToEventLoop();
  }
}

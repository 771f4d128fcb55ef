// A clock, mostly that of the wall, with an offset that a control surface may grow: time that runs, and can be moved forward.
import { type Clock, systemClock } from '#kernel/time/clock.ts';

export interface ShiftedClock extends Clock {
  /** Moves the clock forward; sleepers that are due wake up. */
  advance(ms: number): void;
}

export function createShiftedClock(base: Clock = systemClock): ShiftedClock {
  let offset = 0;
  let shifted = new AbortController();
  const now = () => base.now() + offset;
  return {
    now,
    monotonic: base.monotonic,
    async sleep(ms, signal) {
      const wakeAt = now() + ms;
      for (let left = ms; left > 0; left = wakeAt - now()) {
        const either = signal ? AbortSignal.any([signal, shifted.signal]) : shifted.signal;
        const finished = await base.sleep(left, either).then(
          () => true,
          () => false,
        );
        if (finished) {
          return;
        }
        signal?.throwIfAborted();
      }
    },
    advance(ms) {
      offset += ms;
      const before = shifted;
      shifted = new AbortController();
      before.abort();
    },
  };
}

// A clock that cannot be set back. What expires is judged by it, so that nothing lives longer than it was promised.
import type { Clock } from './clock.ts';

export interface SteadyClock extends Clock {
  /** How far it is ahead of the clock of the system, because that was set back. */
  aheadMs(): number;
  /** Continues from `at` when that is later. */
  raiseTo(at: number): void;
  /** Shows the time of the system's clock again. The caller first shifts stored times of this clock back by `aheadMs()`. */
  reset(): void;
}

/**
 * A system's clock that is put forward takes it along: the machine may have slept for that long. Times that are only in
 * memory need a steady clock of their own, which nobody resets.
 */
export function createSteadyClock(clock: Clock): SteadyClock {
  const state = { at: clock.now(), measuredAt: clock.monotonic() };
  const now = () => {
    const measuredAt = clock.monotonic();
    state.at = Math.max(clock.now(), state.at + measuredAt - state.measuredAt);
    state.measuredAt = measuredAt;
    return Math.floor(state.at);
  };
  return {
    now,
    monotonic: clock.monotonic,
    sleep: clock.sleep,
    aheadMs: () => Math.max(0, now() - clock.now()),
    raiseTo(at) {
      state.at = Math.max(now(), at);
    },
    reset() {
      state.at = clock.now();
      state.measuredAt = clock.monotonic();
    },
  };
}

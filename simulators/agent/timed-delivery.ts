// What an Agent delivers at fixed times, such as those of a period.
import { type Clock, hasPassed } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { MachineFacts } from './records.ts';
import type { GivenObservation } from './script.ts';

/** Observations that are delivered together. */
export interface TimedDelivery {
  /** Epoch milliseconds. */
  at: number;
  observations: readonly GivenObservation[];
}

export interface PlayedAgent {
  facts: MachineFacts;
  /** In the order of their times. */
  deliveries: readonly TimedDelivery[];
}

interface PlayOptions {
  clock: Clock;
  signal: AbortSignal;
  deliver: (observations: readonly GivenObservation[]) => void;
}

/** Calls `deliver` at each time; one that has passed already is delivered at once. Ends early when `signal` is aborted. */
export async function playDeliveries(
  deliveries: readonly TimedDelivery[],
  { clock, signal, deliver }: PlayOptions,
): Promise<void> {
  for (const { at, observations } of deliveries) {
    for (let left = at - clock.now(); left > 0; left = at - clock.now()) {
      // A timer of the system holds 24 days at most.
      if (!(await hasPassed(clock, Math.min(left, dayMs), signal))) {
        return;
      }
    }
    deliver(observations);
  }
}

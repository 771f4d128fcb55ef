// When each step of a scenario is done: its repetitions as events, in the order of their times.
import { createRandom, hash } from '../support/random.ts';
import type { Step } from './schema.ts';

export interface TimelineEvent {
  /** Milliseconds after the start. */
  at: number;
  /** Index of the step in the timeline. */
  step: number;
}

export const mostEvents = 100_000;

/** How often a step is done until `end`, milliseconds after the start; null: the scenario has no end. */
export function countTimes({ at, every, until }: Step, end: number | null): number {
  const last = Math.min(until ?? Number.POSITIVE_INFINITY, end ?? Number.POSITIVE_INFINITY);
  if (at > last) {
    return 0;
  }
  return every === undefined ? 1 : Math.floor((last - at) / every) + 1;
}

/** The same seed gives the same times. A time that is off by its jitter stays between the start and `end`. */
export function listEvents(steps: readonly Step[], end: number | null, seed: number): TimelineEvent[] {
  const events = steps.flatMap((step, index) => {
    const { at, every = 0, jitter = 0 } = step;
    const random = createRandom(hash(seed, 'jitter', index));
    const latest = end ?? Number.POSITIVE_INFINITY;
    return Array.from({ length: countTimes(step, end) }, (_, turn) => ({
      at: Math.min(Math.max(at + turn * every + random.int(-jitter, jitter), 0), latest),
      step: index,
    }));
  });
  return events.sort((a, b) => a.at - b.at || a.step - b.step);
}

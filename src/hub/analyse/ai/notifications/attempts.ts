// How often an occasion is tried: again after 5, 15 and 45 minutes, and then no more.
import { elapsed } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';

/** What an analysis is made for. */
export interface Trigger {
  type: 'scheduled' | 'threat';
  /** Names the occasion for good. */
  key: string;
  cause: string;
}

/** A try that was begun, whether it succeeded or not. */
export interface Attempt extends Trigger {
  /** From 1. */
  number: number;
  /** Epoch milliseconds. */
  at: number;
  /** It was answered, and the answer is stored. */
  isDone: boolean;
}

const waitsMs = [5 * minuteMs, 15 * minuteMs, 45 * minuteMs];

/** Of one occasion: `done`, `given up`, or how long to wait until it may be tried, in milliseconds. */
export function decideRetry(attempts: readonly Attempt[], now: number): 'done' | 'given up' | { waitMs: number } {
  if (attempts.some(({ isDone }) => isDone)) {
    return 'done';
  }
  const last = attempts.at(-1);
  const waitMs = last && waitsMs[attempts.length - 1];
  if (!last) {
    return { waitMs: 0 };
  }
  return waitMs === undefined ? 'given up' : { waitMs: Math.max(waitMs - elapsed(last.at, now), 0) };
}

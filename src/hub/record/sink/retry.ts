// How long to wait after a failure.
import { randomInt } from 'node:crypto';
import { limits } from '#contract/limits.ts';

/** Milliseconds after so many failures in a row: doubling to a bound, and of that a random half to all, so that several hubs do not come at once. */
export function retryDelayMs(failures: number): number {
  const whole = Math.min(limits.sinkRetryMinMs * 2 ** failures, limits.sinkRetryMaxMs);
  return randomInt(whole / 2, whole);
}

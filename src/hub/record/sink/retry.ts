// How long to wait after a failure.
import { randomInt } from 'node:crypto';
import { limits } from '#contract/limits.ts';

/**
 * The delay doubles with each failure in a row, up to a bound. It is a random time from half of that to all of it, so that
 * several hubs do not retry at once.
 */
export function retryDelayMs(failures: number): number {
  const whole = Math.min(limits.sinkRetryMinMs * 2 ** failures, limits.sinkRetryMaxMs);
  return randomInt(whole / 2, whole);
}

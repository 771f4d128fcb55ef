// How long to wait after failures in a row: random up to a bound that doubles (full jitter), from 5 s to 15 min.
import { randomInt } from 'node:crypto';
import { agentProgramLimits as limits } from '../limits.ts';

/** `failures` is at least 1. */
export function backOffMs(failures: number, random: (below: number) => number = randomInt): number {
  const bound = Math.min(limits.backOffMaxMs, limits.backOffMs * 2 ** Math.min(failures, 20));
  return limits.backOffMs + random(bound - limits.backOffMs + 1);
}

// Whether what the hub says of something else is true of it: within the time that is promised, and no sooner judged.
import type { Truth } from '../world/truth.ts';

export interface StatusSight {
  name: string;
  saysDown: boolean;
  /** What it says, for the message. */
  says: string;
  truth: Truth;
  /** Since when the hub owes answers without a break; what it says before it has looked is nothing. */
  hubSince: number;
  now: number;
}

export interface Promised {
  /** Until it says that it is down. */
  downMs: number;
  /** Until it says that it is up, after having been down for `wasDownMs`. */
  upMs(wasDownMs: number): number;
}

/** A sentence when what is said is not true and the time for it is over; null otherwise. */
export function statusProblem(
  { name, saysDown, says, truth, hubSince, now }: StatusSight,
  promised: Promised,
): string | null {
  if (saysDown === truth.isDown) {
    return null;
  }
  const forMs = now - Math.max(truth.since, hubSince);
  const withinMs = truth.isDown ? promised.downMs : promised.upMs(truth.wasDownMs);
  const [is, wrong] = truth.isDown ? ['down', 'up'] : ['up', 'down'];
  return forMs <= withinMs
    ? null
    : `${name} is ${is} for ${seconds(forMs)} s and the hub says it is ${wrong} (${says}); promised within ${seconds(withinMs)} s`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

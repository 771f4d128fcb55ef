// A look of the soak, again and again until it is over.
import { systemClock } from '#kernel/time/clock.ts';
import { toStack } from '../verdict.ts';
import type { Checks } from './checks.ts';

/** Ctrl-C in a terminal ends the programs of the world as well, and some of them before it is heard here. */
const heardMs = 300;

/** Something failed: counted as a problem when it was not the end of the soak that was seen. */
export async function checkFailure(problem: string, checks: Checks): Promise<void> {
  await systemClock.sleep(heardMs);
  checks.check('alive', problem);
}

export interface Looking {
  everyMs: number;
  checks: Checks;
  stop: AbortSignal;
}

/** Never rejects; resolves after the look that was under way when `stop` was aborted. */
export async function keepLooking(look: () => Promise<unknown> | unknown, { everyMs, checks, stop }: Looking) {
  while (!stop.aborted) {
    try {
      await look();
    } catch (error) {
      await checkFailure(`a look failed: ${toStack(error)}`, checks);
    }
    await systemClock.sleep(everyMs, stop).catch(() => undefined);
  }
}

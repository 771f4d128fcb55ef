// Work that repeats as long as the program runs. A failure is logged; the next run follows as usual.
import type { Log } from '../process/log.ts';
import type { Clock } from './clock.ts';
import { startWorkLoop } from './work-loop.ts';

export interface Job {
  name: string;
  everyMs: number;
  /** Time to the first run; `everyMs` when absent. */
  firstMs?: number;
  run(signal: AbortSignal): Promise<void>;
}

/** Runs `job` repeatedly; disposal aborts a running one and waits for it. */
export function startJob(clock: Clock, log: Log, { name, everyMs, firstMs = everyMs, run }: Job): AsyncDisposable {
  return startWorkLoop({
    clock,
    // Not at once: the first run must not hold up the start that its caller is in.
    firstRestMs: Math.max(firstMs, 1),
    async step(signal) {
      await run(signal);
      return everyMs;
    },
    failed(error) {
      log.error({ err: error }, `${name} failed`);
      return everyMs;
    },
  });
}

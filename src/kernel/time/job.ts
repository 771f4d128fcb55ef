// Work that repeats as long as the program runs. A failure is logged; the next run follows as usual.

import type { Log } from '../process/log.ts';
import { type Clock, hasPassed } from './clock.ts';

export interface Job {
  name: string;
  everyMs: number;
  /** Time to the first run; `everyMs` when absent. */
  firstMs?: number;
  /** `signal` aborts when the program stops. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs `job` repeatedly; disposal aborts a running one and waits for it. */
export function startJob(clock: Clock, log: Log, job: Job): AsyncDisposable {
  const stop = new AbortController();
  const turns = (async () => {
    for (let waitMs = job.firstMs ?? job.everyMs; !stop.signal.aborted; waitMs = job.everyMs) {
      if (await hasPassed(clock, waitMs, stop.signal)) {
        await job.run(stop.signal).catch((error: unknown) => {
          if (!stop.signal.aborted) {
            log.error({ err: error }, `${job.name} failed`);
          }
        });
      }
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await turns;
    },
  };
}

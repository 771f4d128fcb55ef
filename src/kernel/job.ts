// Work that repeats as long as the program runs. A failure is logged; the next turn comes all the same.
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

export interface Job {
  name: string;
  everyMs: number;
  run(): Promise<void>;
}

/** Runs `job` every `everyMs`, the first time after `everyMs`; disposal waits for a run that is under way. */
export function startJob(clock: Clock, log: Log, job: Job): AsyncDisposable {
  const stop = new AbortController();
  const turns = (async () => {
    while (!stop.signal.aborted) {
      const isDue = await clock.sleep(job.everyMs, stop.signal).then(
        () => true,
        () => false,
      );
      if (isDue) {
        await job.run().catch((error: unknown) => log.error({ err: error }, `${job.name} failed`));
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

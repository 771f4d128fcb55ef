// Keeps the connection log to the days that the settings say.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { startJob } from '#kernel/job.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import { dayMs } from '#kernel/time.ts';
import { pruneConnections } from './retention.ts';

export interface RetentionOptions {
  db: Db;
  clock: Clock;
  log: Log;
  /** Days to keep; read at every run. */
  days: () => number;
}

/** Removes what is too old a minute after the start, then every hour. */
export function startRetention({ db, clock, log, days }: RetentionOptions): AsyncDisposable {
  return startJob(clock, log, {
    name: 'retention',
    firstMs: limits.retentionFirstMs,
    everyMs: limits.retentionEveryMs,
    async run(signal) {
      const pruned = await pruneConnections(db, clock.now() - days() * dayMs, signal);
      if (pruned.hours > 0) {
        log.info(pruned, 'connections older than the retention were removed');
      }
    },
  });
}

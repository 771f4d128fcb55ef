// Removes what is older than the retention, then the oldest days beyond its limit of size.
import { limits } from '#contract/limits.ts';
import { startJob } from '#kernel/time/job.ts';
import type { Base } from '../../../base/feature.ts';
import { pruneConnections } from './prune.ts';
import { removeOldestDays, type SizeLimitOptions } from './size-limit.ts';

export interface RetentionOptions extends Pick<Base, 'log'>, SizeLimitOptions {
  /** The instant before which everything goes; read at every run. */
  keptSince: () => number;
  /** Called when everything that has to go is gone. */
  onEnd?: (signal: AbortSignal) => Promise<void>;
}

/** Runs a minute after the start, then every hour. */
export function startRetention({ log, keptSince, onEnd, ...options }: RetentionOptions): AsyncDisposable {
  const { clock, db } = options;
  return startJob(clock, log, {
    name: 'retention',
    firstMs: limits.retentionFirstMs,
    everyMs: limits.retentionEveryMs,
    async run(signal) {
      const pruned = await pruneConnections(db, keptSince(), signal);
      if (pruned.hours > 0) {
        log.info(pruned, 'connections older than the retention were removed');
      }
      const oldest = await removeOldestDays(options, signal);
      if (oldest.hours > 0) {
        log.info(oldest, 'the oldest connections were removed because of the limit of size');
      }
      await onEnd?.(signal);
    },
  });
}

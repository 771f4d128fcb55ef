// Removes what is older than the retention, then the oldest days beyond its limit of size.
import { limits } from '#contract/limits.ts';
import { startJob } from '#kernel/time/job.ts';
import type { Base } from '../../../base/feature.ts';
import { pruneConnections } from './prune.ts';
import { removeOldestDays, type SizeLimitOptions } from './size-limit.ts';

export interface RetentionOptions extends Pick<Base, 'log'>, SizeLimitOptions {
  /** The instant before which everything goes; read at every run. */
  keptSince: () => number;
}

/** Runs a minute after the start, then every hour. */
export function startRetention(options: RetentionOptions): AsyncDisposable {
  return startJob(options.clock, options.log, {
    name: 'retention',
    firstMs: limits.retentionFirstMs,
    everyMs: limits.retentionEveryMs,
    run: (signal) => applyRetention(options, signal),
  });
}

/** Removes what has to go now. An abort rejects with its reason; what is removed stays removed. */
export async function applyRetention(
  { log, keptSince, ...options }: RetentionOptions,
  signal?: AbortSignal,
): Promise<void> {
  const pruned = await pruneConnections(options.db, keptSince(), signal);
  if (pruned.hours > 0) {
    log.info(pruned, 'connections older than the retention were removed');
  }
  const oldest = await removeOldestDays(options, signal);
  if (oldest.hours > 0) {
    log.info(oldest, 'the oldest connections were removed because of the limit of size');
  }
}

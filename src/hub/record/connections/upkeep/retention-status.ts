// What `/api/status` shows of the retention: how much is used, and when the limit of size will be reached.
import { dayMs } from '#kernel/time/time.ts';
import type { StatusFacts } from '../../../base/feature.ts';
import { createStatement } from '../../../base/statements.ts';
import { formatSize } from '../../../base/storage/disk-space.ts';
import { endOfDay, findFloor } from './size-limit.ts';

export interface RetentionState {
  usedBytes: number;
  /** 0 for no limit. */
  limitBytes: number;
  bytesPerDay: number | null;
  days: number;
  /** The first hour of the log, epoch milliseconds; null when it is empty. */
  since: number | null;
  now: number;
}

export function toRetentionStatus(state: RetentionState): StatusFacts {
  const { usedBytes, limitBytes, bytesPerDay, since, now } = state;
  const isStuck = limitBytes > 0 && usedBytes > limitBytes && (since === null || since >= findFloor(now));
  const sizes = { used: formatSize(usedBytes), limit: formatSize(limitBytes) };
  return {
    retention: {
      usedBytes,
      limitBytes: limitBytes === 0 ? null : limitBytes,
      bytesPerDay,
      fullAt: predictFull(state),
      since,
    },
    warnings: [
      isStuck
        ? createStatement(
            'log_over_limit',
            `the database has ${sizes.used}, more than the limit of ${sizes.limit}, with the newest 24 hours alone, which stay: raise retentionBytes of the settings`,
            sizes,
          )
        : null,
    ],
  };
}

/** Returns when the limit is reached at the rate of the stored days; null when it never is, or when rows are too old before. */
function predictFull({ usedBytes, limitBytes, bytesPerDay, days, since, now }: RetentionState): number | null {
  if (limitBytes === 0 || since === null || bytesPerDay === null || bytesPerDay === 0) {
    return null;
  }
  const fullAt = Math.round(now + (Math.max(0, limitBytes - usedBytes) / bytesPerDay) * dayMs);
  return fullAt < since + days * dayMs ? fullAt : null;
}

/** Returns the instant before which the retention will have removed rows in `ms`, at the rate of the stored days. */
export function predictRemoval(state: RetentionState, ms: number): number {
  const { usedBytes, limitBytes, bytesPerDay, days, since, now } = state;
  const byDays = now + ms - days * dayMs;
  const excess = usedBytes + ((bytesPerDay ?? 0) * ms) / dayMs - limitBytes;
  if (limitBytes === 0 || since === null || excess <= 0) {
    return byDays;
  }
  const more = bytesPerDay ? Math.ceil(excess / bytesPerDay) - 1 : 0;
  return Math.max(byDays, Math.min(endOfDay(since) + more * dayMs, findFloor(now + ms)));
}

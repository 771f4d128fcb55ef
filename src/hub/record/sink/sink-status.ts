// What `/api/status` shows of the sink.
import { dayMs, hourMs, hourOf } from '#kernel/time/time.ts';
import type { StatusFacts } from '../../base/feature.ts';
import type { SinkSettings } from '../../base/settings/sink.ts';
import { createStatement } from '../../base/statements.ts';
import type { DeliveryState } from './delivery.ts';
import type { SinkStore } from './sink-store.ts';

export interface StatusParts {
  settings: SinkSettings;
  store: SinkStore;
  progress: DeliveryState;
  /** The retention will have removed what is before this instant in `warnMs`, epoch milliseconds. */
  removedBefore: number;
}

/** The retention removes hours that were not sent within this time: there is a warning. */
export const warnMs = 2 * dayMs;

export function toSinkStatus({ settings, store, progress, removedBefore }: StatusParts): StatusFacts {
  const { lastSentAt, lostHours } = store.state();
  const { hours, rows, oldest, refused } = store.backlog();
  const { lastError, lastCause, nextTryAt, stored } = progress;
  const reason = lastError === null ? {} : { detail: lastError, ...(lastCause && { cause: lastCause }) };
  const oldestAt = oldest === null ? null : oldest * hourMs;
  return {
    sink: {
      server: settings.url.origin,
      hub: settings.hub,
      hoursNotSent: hours,
      rowsNotSent: rows,
      oldestNotSentAt: oldestAt,
      lastSentAt,
      lastError,
      nextTryAt,
      lostHours,
      refusedHours: refused,
      storedRows: stored?.rows ?? null,
      storedBytes: stored?.bytes ?? null,
    },
    warnings: [
      oldest !== null && oldest < hourOf(removedBefore)
        ? createStatement(
            'sink_soon_removed',
            `the retention soon removes hours that ClickHouse does not have: ${lastError ?? 'they are being sent'}; see retentionDays and retentionBytes of the settings`,
            reason,
          )
        : null,
      lostHours > 0
        ? createStatement(
            'sink_removed',
            `${lostHours} ${lostHours === 1 ? 'hour was' : 'hours were'} removed by the retention before ClickHouse took them`,
            { hours: lostHours },
          )
        : null,
      refused > 0
        ? createStatement(
            'sink_refused',
            `ClickHouse does not take the rows of ${refused} ${refused === 1 ? 'hour' : 'hours'}: ${lastError ?? 'they are tried again every six hours'}`,
            { hours: refused, ...reason },
          )
        : null,
    ],
  };
}

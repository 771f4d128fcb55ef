// The sink feature: sends closed hours to ClickHouse while the hub runs. Nothing of the hub waits for it.

import { hourMs } from '#kernel/time/time.ts';
import type { Base, Feature } from '../../base/feature.ts';
import { describeOutbox } from '../../base/metrics.ts';
import { createStatement } from '../../base/statements.ts';
import type { ClosedHours } from '../connections/closed-hours/type.ts';
import { startDelivery } from './delivery.ts';
import type { ColumnName } from './schema.ts';
import { toSinkStatus, warnMs } from './sink-status.ts';
import { createSinkStore } from './sink-store.ts';

interface Peers {
  /** Reads the closed hours of the log in a thread. */
  closedHours: ClosedHours;
  hourColumns: readonly ColumnName[];
  /** Returns the instant before which the retention will have removed hours in `ms`. */
  predictRemoval: (ms: number) => number;
}

/** Does nothing when no sink is configured, or in offline mode. */
export function startSinkFeature(base: Base, { closedHours, hourColumns, predictRemoval }: Peers): Feature {
  const { db, options, clock, log } = base;
  const settings = options.sink ?? null;
  if (settings === null) {
    return { status: () => ({ sink: null }) };
  }
  if (base.offline) {
    const warning = createStatement('sink_offline', 'nothing is sent to ClickHouse: MONITOR_OFFLINE_MODE is on');
    return { status: () => ({ sink: null, warnings: [warning] }) };
  }
  const store = createSinkStore(db);
  const delivery = startDelivery({ clock, log, settings, store, hours: closedHours, columns: hourColumns });
  return {
    settled: delivery.settled,
    status: () =>
      toSinkStatus({
        settings,
        store,
        progress: delivery.progress(),
        removedBefore: predictRemoval(warnMs),
      }),
    metrics() {
      const { hours, oldest } = store.backlog();
      return describeOutbox({ outbox: 'clickhouse' }, hours, oldest === null ? null : oldest * hourMs);
    },
    [Symbol.asyncDispose]: () => delivery[Symbol.asyncDispose](),
  };
}

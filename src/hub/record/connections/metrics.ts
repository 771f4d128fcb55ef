// The log in /metrics.
import { decodeJson } from '#kernel/http/ready-body.ts';
import { type Clock, elapsed } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { createGauge, type MetricFamily } from '../../base/metrics.ts';
import type { ReaderPools } from '../../base/readers/pools.ts';

/** A count reads a whole index: it is not repeated within this time, however often the hub is scraped. */
const countedEveryMs = 5 * minuteMs;

export function createLogMetrics(clock: Clock, reads: Pick<ReaderPools['reads'], 'ask'>) {
  const state = { count: 0, at: Number.NEGATIVE_INFINITY };
  return async (signal: AbortSignal): Promise<MetricFamily[]> => {
    const now = clock.now();
    if (elapsed(state.at, now) >= countedEveryMs) {
      const { persistedEntries } = decodeJson(await reads.ask('size', null, signal));
      Object.assign(state, { count: persistedEntries, at: now });
    }
    return [
      createGauge('gatehouse_log_connections', 'Connections in the log, counted every five minutes.', state.count),
    ];
  };
}

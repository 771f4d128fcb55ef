// How busy the event loop is, and how late its timers fire.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { createCounter, createGauge, type MetricFamily } from '../../base/metrics.ts';

/** A timer of this interval is measured; what it is late counts. */
const sampleMs = 20;

/** Nothing is measured until the first scrape: a hub that nobody scrapes has no timer for it. */
export function startEventLoopMetrics(): { read(): MetricFamily[] } & Disposable {
  const delay = monitorEventLoopDelay({ resolution: sampleMs });
  return {
    /** Forgets the delays that it returns: each answer has those since the one before, and the first has zeros. */
    read() {
      delay.enable();
      const isEmpty = delay.count === 0;
      const inSeconds = (ns: number) => (isEmpty ? 0 : Math.max(0, ns / 1e9 - sampleMs / 1000));
      const samples = [0.5, 0.99, 1].map((quantile) => ({
        labels: { quantile: String(quantile) },
        value: inSeconds(delay.percentile(quantile * 100)),
      }));
      delay.reset();
      return [
        createGauge(
          'gatehouse_event_loop_delay_seconds',
          'How late timers fired since the scrape before; quantile 1 is the longest delay.',
          samples,
        ),
        createCounter(
          'gatehouse_event_loop_active_seconds_total',
          'Time in which the event loop did work instead of waiting.',
          performance.eventLoopUtilization().active / 1000,
        ),
      ];
    },
    [Symbol.dispose]: () => void delay.disable(),
  };
}

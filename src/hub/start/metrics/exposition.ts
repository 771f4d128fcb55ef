// The text of /metrics, in the form that the client accepts.
import type { MetricFamily } from '../../base/metrics.ts';

/** Writes `families` as OpenMetrics or as Prometheus text. Families of one name become one. */
export async function formatMetrics(
  families: readonly MetricFamily[],
  isOpenMetrics: boolean,
): Promise<{ type: string; text: string }> {
  // Loaded with the first scrape: a hub that nobody scrapes does without it.
  const { Counter, Gauge, Registry } = await import('@prometheus-io/client');
  const registry = isOpenMetrics
    ? new Registry(Registry.OPENMETRICS_CONTENT_TYPE)
    : new Registry(Registry.PROMETHEUS_CONTENT_TYPE);
  for (const [name, parts] of Map.groupBy(families, (family) => family.name)) {
    const [{ type, help } = { type: 'gauge', help: '' }] = parts;
    const samples = parts.flatMap((part) => part.samples);
    if (samples.length === 0) {
      continue;
    }
    const labelNames = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels ?? {})))];
    const options = { name, help, labelNames, registers: [registry] };
    const metric = type === 'counter' ? new Counter(options) : new Gauge(options);
    for (const { labels = {}, value } of samples) {
      metric.inc(labels, value);
    }
  }
  return { type: registry.contentType, text: await registry.metrics() };
}

/** Whether `accept` names OpenMetrics, other than with the weight 0. */
export function acceptsOpenMetrics(accept: string): boolean {
  return accept
    .split(',')
    .some((range) => /^\s*application\/openmetrics-text\b/i.test(range) && !/;\s*q=0(?:\.0*)?\s*(?:;|$)/i.test(range));
}

// Alerts in /metrics, by state.
import { decodeJson } from '#kernel/http/ready-body.ts';
import { createGauge, type MetricFamily } from '../../../base/metrics.ts';
import type { ReaderPools } from '../../../base/readers/pools.ts';

export async function describeAlerts(
  reads: Pick<ReaderPools['reads'], 'ask'>,
  now: number,
  signal: AbortSignal,
): Promise<MetricFamily[]> {
  const { counts, urgent } = decodeJson(await reads.ask('alertCounts', { now }, signal));
  return [
    createGauge(
      'gatehouse_alerts',
      'Alerts by state.',
      Object.entries(counts).map(([state, value]) => ({ labels: { state }, value })),
    ),
    createGauge('gatehouse_alerts_urgent', 'Open alerts that are more than a new device.', urgent),
  ];
}

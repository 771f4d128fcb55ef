import { decodeJson } from '#kernel/http/ready-body.ts';
import { dayMs } from '#kernel/time/time.ts';
import { createGauge, type MetricFamily, type Sample } from '../../base/metrics.ts';
import type { ReaderPools } from '../../base/readers/pools.ts';

/** `lateMs` is as the queries of the coverage take it. */
export async function describeCoverage(
  reads: Pick<ReaderPools['reads'], 'ask'>,
  { now, lateMs }: { now: number; lateMs: number },
  signal: AbortSignal,
): Promise<MetricFamily[]> {
  const asked = { from: now - dayMs, to: now, buckets: 1, now, lateMs, unseen: {} };
  const { subjects } = decodeJson(await reads.ask('coverage', asked, signal));
  const samples = subjects.flatMap(({ kind, id, name, removedAt, share }): Sample[] =>
    kind === 'router' && removedAt === null && share !== null ? [{ labels: { router: id, name }, value: share }] : [],
  );
  return [
    createGauge(
      'gatehouse_router_coverage_ratio',
      'Share of the last 24 hours in which the router was read, 0 to 1; from its first read on.',
      samples,
    ),
  ];
}

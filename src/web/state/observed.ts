// The share of each bucket of a period that routers observed.
import type { Reply } from '../api/client.ts';

/** For each bucket the largest share, 0 to 1; 1 where no router was set up then. */
export function observedShares({ subjects }: Reply<'GET /api/coverage'>, buckets: number): number[] {
  return Array.from({ length: buckets }, (_, bucket) => {
    const shares = subjects.flatMap(({ kind, timeline }) => (kind === 'router' ? (timeline[bucket] ?? []) : []));
    return shares.length === 0 ? 1 : Math.max(...shares);
  });
}

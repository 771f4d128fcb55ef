// The timeline: sessions of each target, bucket by bucket.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import { topK } from '#kernel/columns/top-k.ts';

/** Sums the sessions of all targets in each bucket. */
export function sumBuckets(counts: Uint32Array, buckets: number): number[] {
  const totals = Array.from({ length: buckets }, () => 0);
  for (let at = 0; at < counts.length; at += 1) {
    totals[at % buckets] = (totals[at % buckets] as number) + (counts[at] as number);
  }
  return totals;
}

/** The largest targets of each bucket; `counts` holds the buckets of each target side by side. */
export function toTimeline(
  counts: Uint32Array,
  buckets: number,
  targets: readonly string[],
): ConnectionSummary['timeline'] {
  const inBucket = new Uint32Array(targets.length);
  return Array.from({ length: buckets }, (_, bucket) => {
    for (let target = 0; target < targets.length; target += 1) {
      inBucket[target] = counts[target * buckets + bucket] as number;
    }
    const shown = topK(inBucket, limits.summaryTimelineTargets, (target) => targets[target] ?? '');
    return shown.map((target) => ({ key: targets[target] ?? '', bucket, count: inBucket[target] as number }));
  }).flat();
}

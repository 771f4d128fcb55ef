// The timeline: in how many sessions each target was seen, bucket by bucket, and how often these were observed.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite.ts';
import type { Condition } from './filter.ts';
import { hourOf } from './flow-merge.ts';
import { ranked } from './ranking.ts';
import { type DestinationRow, targetOf } from './summary-words.ts';

interface Span {
  /** Both inclusive. */
  from: number;
  to: number;
  buckets: number;
  destinations: ReadonlyMap<number, DestinationRow>;
}

type HourRow = [flow: number, destination: number, first: number, last: number, observations: number];

/**
 * Buckets divide the window evenly. A flow counts once in every bucket that one of its hours, cut to its sightings,
 * reaches into. `where` says which flows, not when.
 */
export function readTimeline(
  reader: Reader,
  where: Condition,
  { from, to, buckets, destinations }: Span,
): Pick<ConnectionSummary, 'timeline' | 'observations'> {
  if (from > to) {
    return { timeline: [], observations: 0 };
  }
  const rows = reader
    .prepare(
      `SELECT h.flow_id, f.destination_id, h.first, h.last, h.observations
       FROM flow_hour h CROSS JOIN flow f ON f.id = h.flow_id
       WHERE h.hour BETWEEN ? AND ? AND h.first <= ? AND h.last >= ? AND ${where.sql} ORDER BY h.hour`,
    )
    .raw()
    .iterate(hourOf(from), hourOf(to), to, from, ...where.values) as Iterable<HourRow>;
  const bucketOf = (at: number) => Math.floor(((at - from) * buckets) / (to - from + 1));
  const { flows } = reader.prepare('SELECT coalesce(max(id), 0) AS flows FROM flow').get() as { flows: number };
  /** The first bucket a flow has not been counted in; hours come in order. */
  const open = new Uint8Array(flows + 1);
  const targets = new Map<number, string>();
  const counts = Array.from({ length: buckets }, () => new Map<string, number>());
  let observations = 0;
  for (const [flow, destination, first, last, seen] of rows) {
    observations += seen;
    const end = bucketOf(Math.min(last, to));
    let bucket = Math.max(bucketOf(Math.max(first, from)), open[flow] ?? 0);
    if (bucket > end) {
      continue;
    }
    open[flow] = end + 1;
    const target = targets.get(destination) ?? nameOf(destinations, destination);
    targets.set(destination, target);
    for (; bucket <= end; bucket += 1) {
      const inBucket = counts[bucket];
      inBucket?.set(target, (inBucket.get(target) ?? 0) + 1);
    }
  }
  const timeline = counts.flatMap((inBucket, bucket) => {
    const groups = [...inBucket].map(([key, count]) => ({ key, bucket, count }));
    return ranked(groups, limits.summaryTimelineTargets, ({ key }) => key);
  });
  return { timeline, observations };
}

function nameOf(destinations: ReadonlyMap<number, DestinationRow>, id: number): string {
  const row = destinations.get(id);
  if (!row) {
    throw new Error('a flow names an address that is not in its dictionary');
  }
  return targetOf(row);
}

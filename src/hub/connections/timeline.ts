// The timeline: in how many sessions each target was seen, bucket by bucket, and how often these were observed.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { hourMs, hourOf } from './flow-merge.ts';
import { ranked } from './ranking.ts';
import type { FlowTargets } from './summary-groups.ts';

interface Span {
  /** Both inclusive. */
  from: number;
  to: number;
  buckets: number;
  targets: FlowTargets;
}

type HourRow = [flow: number, first: number, last: number, observations: number];

/**
 * Buckets divide the window evenly. A flow counts once in every bucket that one of its hours, cut to its sightings,
 * reaches into.
 */
export function readTimeline(
  reader: Reader,
  { from, to, buckets, targets }: Span,
): Pick<ConnectionSummary, 'timeline' | 'observations'> {
  const bucketOf = (at: number) => Math.floor(((at - from) * buckets) / (to - from + 1));
  const counts = Array.from({ length: buckets }, () => new Map<number, number>());
  /** By the id of a flow: the first bucket it has not been counted in; hours come in order. */
  const open = new Uint8Array(targets.ofFlow.length);
  const state = { observations: 0 };
  const see = (flow: number, first: number, last: number, seen: number) => {
    const target = targets.ofFlow[flow] ?? 0;
    if (target === 0) {
      return;
    }
    state.observations += seen;
    for (let bucket = Math.max(first, open[flow] ?? 0); bucket <= last; bucket += 1) {
      const inBucket = counts[bucket];
      inBucket?.set(target, (inBucket.get(target) ?? 0) + 1);
      open[flow] = bucket + 1;
    }
  };
  for (const hour of hoursWithin(reader, from, to)) {
    const [start, end] = [hour * hourMs, (hour + 1) * hourMs - 1];
    const [first, last] = [bucketOf(Math.max(start, from)), bucketOf(Math.min(end, to))];
    if (first === last && start >= from && end <= to) {
      readWholeHour(reader, hour, (flow, seen) => see(flow, first, first, seen));
      continue;
    }
    for (const [flow, at, until, seen] of readHour(reader, hour, from, to)) {
      see(flow, bucketOf(Math.max(at, from)), bucketOf(Math.min(until, to)), seen);
    }
  }
  const timeline = counts.flatMap((inBucket, bucket) => {
    const groups = [...inBucket].map(([target, count]) => ({ key: targets.keys[target - 1] ?? '', bucket, count }));
    return ranked(
      groups,
      limits.summaryTimelineTargets,
      ({ count }) => count,
      ({ key }) => key,
    );
  });
  return { timeline, observations: state.observations };
}

/** Hours in which anything was seen, in order. */
function hoursWithin(reader: Reader, from: number, to: number): number[] {
  const step = reader.prepare('SELECT min(hour) AS hour FROM flow_hour WHERE hour BETWEEN ? AND ?');
  const hours: number[] = [];
  const next = (after: number) => (step.get(after, hourOf(to)) as { hour: number | null }).hour;
  for (let hour = from > to ? null : next(hourOf(from)); hour !== null; hour = next(hour + 1)) {
    hours.push(hour);
  }
  return hours;
}

function readHour(reader: Reader, hour: number, from: number, to: number): Iterable<HourRow> {
  return reader
    .prepare('SELECT flow_id, first, last, observations FROM flow_hour WHERE hour = ? AND first <= ? AND last >= ?')
    .raw()
    .iterate(hour, to, from) as Iterable<HourRow>;
}

/**
 * An hour that lies in one bucket, where only who was seen counts. Its rows come as one text: handing them over one by
 * one costs five times as much.
 */
function readWholeHour(reader: Reader, hour: number, see: (flow: number, observations: number) => void): void {
  const { rows } = reader
    .prepare("SELECT group_concat(flow_id || ' ' || observations, ' ') AS rows FROM flow_hour WHERE hour = ?")
    .get(hour) as { rows: string };
  let flow = 0;
  let value = 0;
  let isFlow = true;
  for (let at = 0; at <= rows.length; at += 1) {
    const digit = at === rows.length ? -1 : rows.charCodeAt(at) - 48;
    if (digit >= 0) {
      value = value * 10 + digit;
      continue;
    }
    if (isFlow) {
      flow = value;
    } else {
      see(flow, value);
    }
    isFlow = !isFlow;
    value = 0;
  }
}

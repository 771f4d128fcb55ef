// The timeline: in how many sessions each target was seen, bucket by bucket, and how often these were observed.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite.ts';
import type { FlowColumns } from './flow-columns.ts';
import { hourMs, hourOf } from './flow-merge.ts';
import { HourRows } from './hour-pack.ts';
import { hoursWithin, readHourFlows, readHourRows } from './hour-rows.ts';
import type { DestinationWords } from './summary-words.ts';
import { largest } from './tallies.ts';
import { isCounted, isLeftOut, isOpen } from './window-flows.ts';

interface Span {
  /** Both inclusive. */
  from: number;
  to: number;
  buckets: number;
  columns: FlowColumns;
  /** Of `flowsOfWindow`; flows that the hours show to be in the window are marked as counted. */
  states: Uint8Array;
  destinations: DestinationWords;
}

/**
 * Buckets divide the window evenly. A flow counts once in every bucket that one of its hours, cut to its sightings,
 * reaches into.
 */
export function readTimeline(reader: Reader, span: Span): Pick<ConnectionSummary, 'timeline' | 'observations'> {
  const { from, to, buckets, columns, states, destinations } = span;
  const { targets } = destinations;
  const bucketOf = (at: number) => Math.floor(((at - from) * buckets) / (to - from + 1));
  const marks = markFlows(span);
  const counts = Array.from({ length: buckets }, () => new Uint32Array(targets.length));
  const rows = new HourRows();
  let observations = 0;
  for (const hour of from > to ? [] : hoursWithin(reader, hourOf(from), hourOf(to))) {
    const [start, end] = [hour * hourMs, (hour + 1) * hourMs - 1];
    const [first, last] = [bucketOf(Math.max(start, from)), bucketOf(Math.min(end, to))];
    if (first === last && start >= from && end <= to) {
      readHourFlows(reader, hour, rows);
      observations += countWhole(rows, columns.base, marks, first, counts[first] as Uint32Array);
      continue;
    }
    readHourRows(reader, hour, rows);
    observations += countCut(rows, columns.base, marks, counts, (row) => {
      const [at, end] = [start + (rows.first[row] as number), start + (rows.last[row] as number)];
      return at <= to && end >= from ? [bucketOf(Math.max(at, from)), bucketOf(Math.min(end, to))] : null;
    });
  }
  markSeen(states, marks);
  const timeline = counts.flatMap((inBucket, bucket) =>
    largest(inBucket, limits.summaryTimelineTargets, (group) => targets[group] ?? '').map((group) => ({
      key: targets[group] ?? '',
      bucket,
      count: inBucket[group] as number,
    })),
  );
  return { timeline, observations };
}

/**
 * Of each flow in one number: the target (there are fewer than 2^24) above eight bits that tell the first bucket it has
 * not been counted in plus one; 0 where it is left out. Hours come in order, so one number is enough; and what an hour
 * needs of a flow is one place in memory.
 */
function markFlows({ states, columns, destinations }: Span): Uint32Array {
  const { destination } = columns;
  const { target } = destinations;
  const marks = new Uint32Array(states.length);
  for (let at = 0; at < marks.length; at += 1) {
    if (states[at] !== isLeftOut) {
      marks[at] = ((target[destination[at] as number] as number) << markBits) | 1;
    }
  }
  return marks;
}

const markBits = 8;
const nextBucket = (1 << markBits) - 1;

/** An hour that lies in one bucket. Returns the observations. */
function countWhole(rows: HourRows, base: number, marks: Uint32Array, bucket: number, counts: Uint32Array): number {
  const { length, flow, observations } = rows;
  let seen = 0;
  for (let row = 0; row < length; row += 1) {
    const at = (flow[row] as number) - base;
    const mark = marks[at] ?? 0;
    const next = mark & nextBucket;
    if (next === 0) {
      continue;
    }
    seen += observations[row] as number;
    if (next <= bucket + 1) {
      const group = mark >>> markBits;
      counts[group] = (counts[group] as number) + 1;
      marks[at] = (mark & ~nextBucket) | (bucket + 2);
    }
  }
  return seen;
}

/** An hour that an end of a bucket or of the window cuts; `reach`: the first and the last bucket of a row. */
function countCut(
  rows: HourRows,
  base: number,
  marks: Uint32Array,
  counts: readonly Uint32Array[],
  reach: (row: number) => [first: number, last: number] | null,
): number {
  let seen = 0;
  for (let row = 0; row < rows.length; row += 1) {
    const at = (rows.flow[row] as number) - base;
    const mark = marks[at] ?? 0;
    const next = mark & nextBucket;
    const reached = next === 0 ? null : reach(row);
    if (!reached) {
      continue;
    }
    seen += rows.observations[row] as number;
    const [first, last] = reached;
    const group = mark >>> markBits;
    for (let bucket = Math.max(first, next - 1); bucket <= last; bucket += 1) {
      const inBucket = counts[bucket] as Uint32Array;
      inBucket[group] = (inBucket[group] as number) + 1;
    }
    marks[at] = (mark & ~nextBucket) | Math.max(next, last + 2);
  }
  return seen;
}

/** Flows that were there before the window and after it are counted when an hour showed them in it. */
function markSeen(states: Uint8Array, marks: Uint32Array): void {
  for (let at = 0; at < states.length; at += 1) {
    if (states[at] === isOpen && ((marks[at] as number) & nextBucket) > 1) {
      states[at] = isCounted;
    }
  }
}

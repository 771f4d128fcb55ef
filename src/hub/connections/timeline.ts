// The timeline: in how many sessions each target was seen, bucket by bucket, and how often these were observed.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite.ts';
import type { FlowColumns } from './flow-columns.ts';
import { hourMs, hourOf } from './flow-merge.ts';
import { eachFlow, eachRow, type HourPack } from './hour-pack.ts';
import { hoursWithin } from './hour-packer.ts';
import type { DestinationWords } from './summary-words.ts';
import { largest } from './tallies.ts';
import { isCounted, isLeftOut } from './window-flows.ts';

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
  const { base, destination } = columns;
  const { target, targets } = destinations;
  const bucketOf = (at: number) => Math.floor(((at - from) * buckets) / (to - from + 1));
  const counts: Uint32Array[] = [];
  /** By place: the first bucket the flow has not been counted in; hours come in order. */
  const open = new Uint8Array(states.length);
  let observations = 0;
  /** In `first` … `last`, both buckets. */
  const see = (flow: number, seen: number, first: number, last: number) => {
    const at = flow - base;
    if ((states[at] ?? isLeftOut) === isLeftOut) {
      return;
    }
    states[at] = isCounted;
    observations += seen;
    const group = target[destination[at] as number] as number;
    for (let bucket = Math.max(first, open[at] as number); bucket <= last; bucket += 1) {
      const inBucket = counts[bucket] ?? new Uint32Array(targets.length);
      counts[bucket] = inBucket;
      inBucket[group] = (inBucket[group] as number) + 1;
      open[at] = bucket + 1;
    }
  };
  for (const hour of from > to ? [] : hoursWithin(reader, hourOf(from), hourOf(to))) {
    const [start, end] = [hour * hourMs, (hour + 1) * hourMs - 1];
    const [first, last] = [bucketOf(Math.max(start, from)), bucketOf(Math.min(end, to))];
    if (first === last && start >= from && end <= to) {
      readFlows(reader, hour, (flow, seen) => see(flow, seen, first, first));
      continue;
    }
    readRows(reader, hour, (flow, seen, since, until) => {
      const [at, end] = [start + since, start + until];
      if (at <= to && end >= from) {
        see(flow, seen, bucketOf(Math.max(at, from)), bucketOf(Math.min(end, to)));
      }
    });
  }
  const timeline = counts.flatMap((inBucket, bucket) =>
    largest(inBucket, limits.summaryTimelineTargets, (group) => targets[group] ?? '').map((group) => ({
      key: targets[group] ?? '',
      bucket,
      count: inBucket[group] as number,
    })),
  );
  return { timeline, observations };
}

/** Who was seen in an hour, and how often. */
function readFlows(reader: Reader, hour: number, see: (flow: number, observations: number) => void): void {
  const packed = reader.prepare('SELECT flows FROM flow_hour_pack WHERE hour = ?').get(hour) as
    | Pick<HourPack, 'flows'>
    | undefined;
  if (packed) {
    eachFlow(packed.flows, see);
    return;
  }
  readHour(reader, hour, see);
}

/** Likewise, with first and last sighting in milliseconds into the hour. */
function readRows(
  reader: Reader,
  hour: number,
  see: (flow: number, observations: number, first: number, last: number) => void,
): void {
  const packed = reader.prepare('SELECT flows, spans FROM flow_hour_pack WHERE hour = ?').get(hour) as
    | HourPack
    | undefined;
  if (packed) {
    eachRow(packed, see);
    return;
  }
  readHour(reader, hour, see);
}

/** An hour that is not packed: the one that is running, mostly. */
function readHour(
  reader: Reader,
  hour: number,
  see: (flow: number, observations: number, first: number, last: number) => void,
): void {
  const rows = reader
    .prepare('SELECT flow_id, observations, first, last FROM flow_hour WHERE hour = ? ORDER BY flow_id')
    .raw()
    .iterate(hour) as Iterable<[number, number, number, number]>;
  const start = hour * hourMs;
  for (const [flow, observations, first, last] of rows) {
    see(flow, observations, first - start, last - start);
  }
}

// Counts the hours of flows into the buckets of a window.
import { lowerBound } from '#kernel/columns/sorted-search.ts';
import { cutAt, type HourBuckets, isBucket, outside, type Reach } from './buckets.ts';
import { hourParts, overflow } from './index/hours.ts';
import type { FlowRun } from './index/runs.ts';
import type { FlowStore } from './index/type.ts';

/** Whether a flow is in the window. The hours of an undecided flow, seen before and after the window, decide it. */
export const FlowState = { excluded: 0, included: 1, undecided: 2 } as const;

const { excluded, included } = FlowState;

/** Counts a flow once in each bucket that one of its hours, clipped to its sightings, overlaps. */
export class HourCounter {
  /** Observations of all hours that overlap the window. */
  observations = 0;
  /** Flows of each target, bucket by bucket. */
  readonly timeline: Uint32Array;
  readonly #store: FlowStore;
  readonly #hours: HourBuckets;
  readonly #buckets: number;

  constructor(store: FlowStore, hours: HourBuckets, targets: number, buckets: number) {
    this.timeline = new Uint32Array(targets * buckets);
    this.#store = store;
    this.#hours = hours;
    this.#buckets = buckets;
  }

  /** Counts the flows of a run that `states` does not exclude, and marks undecided ones in the window as included. */
  countRun(run: FlowRun, states: Uint8Array): void {
    const { row } = this.#store.deltaEntries;
    let delta = lowerBound(row, run.start);
    let at = run.start;
    while (at < run.end) {
      const next = Math.min(run.end, row[delta] ?? run.end);
      this.#countMain(run, states, at, next);
      delta = next < run.end ? this.#countDelta(run, states, next, delta) : delta;
      at = next + 1;
    }
  }

  /** Counts flows without an entry in the delta. This loop and that of the aggregates dominate the cost of a summary. */
  #countMain({ target, start }: FlowRun, states: Uint8Array, from: number, to: number): void {
    const { mainLength, hours } = this.#store;
    const { starts, entries, observations, overflows } = hours;
    const { bucketOf, parts } = this.#hours;
    const { timeline } = this;
    const group = target * this.#buckets;
    const end = Math.min(to, mainLength);
    let seen = 0;
    for (let at = from; at < end; at += 1) {
      if (states[at - start] === excluded) {
        continue;
      }
      let after = 0;
      const entriesEnd = starts[at + 1] as number;
      for (let entry = starts[at] as number; entry < entriesEnd; entry += 1) {
        const packed = entries[entry] as number;
        let bucket = bucketOf[packed >>> 16] as number;
        if (bucket < 0) {
          if (bucket === outside) {
            continue;
          }
          const cut = (cutAt - bucket) * hourParts;
          bucket = parts[cut + (packed & 255)] as number;
          if (!isBucket(bucket) || parts[cut + ((packed >>> 8) & 255)] !== bucket) {
            const reach = this.#reachOfMain(at, packed);
            if (reach === outside) {
              continue;
            }
            after = this.#add(group, reach, after);
            bucket = reach & 255;
          }
        }
        const times = observations[entry] as number;
        seen += times === overflow ? (overflows.get(entry) as number) : times;
        if (bucket >= after) {
          timeline[group + bucket] = (timeline[group + bucket] as number) + 1;
          after = bucket + 1;
        }
      }
      if (after > 0) {
        states[at - start] = included;
      }
    }
    this.observations += seen;
  }

  /** Counts a flow with entries in the delta, which add to its others or replace one. Returns the next delta entry. */
  #countDelta({ target, start }: FlowRun, states: Uint8Array, row: number, firstDelta: number): number {
    const { deltaEntries, mainLength, hours } = this.#store;
    const { starts, entries, firstHour, observations, overflows } = hours;
    const group = target * this.#buckets;
    const isIn = states[row - start] !== excluded;
    const end = row < mainLength ? (starts[row + 1] as number) : 0;
    let entry = row < mainLength ? (starts[row] as number) : 0;
    let delta = firstDelta;
    let after = 0;
    const count = (reach: Reach, times: number) => {
      if (isIn && reach !== outside) {
        this.observations += times;
        after = this.#add(group, reach, after);
      }
    };
    while (entry < end || deltaEntries.row[delta] === row) {
      const mainHour = entry < end ? firstHour + ((entries[entry] as number) >>> 16) : Number.POSITIVE_INFINITY;
      const deltaHour =
        deltaEntries.row[delta] === row ? (deltaEntries.hour[delta] as number) : Number.POSITIVE_INFINITY;
      if (mainHour < deltaHour) {
        const times = observations[entry] as number;
        const all = times === overflow ? (overflows.get(entry) as number) : times;
        count(this.#reachOfMain(row, entries[entry] as number), all);
        entry += 1;
        continue;
      }
      const first = deltaEntries.first[delta] as number;
      const last = deltaEntries.last[delta] as number;
      count(this.#hours.reachOf(deltaHour, first, last), deltaEntries.observations[delta] as number);
      entry += mainHour === deltaHour ? 1 : 0;
      delta += 1;
    }
    if (after > 0) {
      states[row - start] = included;
    }
    return delta;
  }

  #reachOfMain(row: number, packed: number): Reach {
    return this.#hours.reachOfMain(packed >>> 16, row, (packed >>> 8) & 255, packed & 255);
  }

  /** Counts a flow in the buckets of `reach` from `after` on; returns the one after the last it is counted in. */
  #add(group: number, reach: Reach, after: number): number {
    const last = reach & 255;
    for (let bucket = Math.max(reach >> 8, after); bucket <= last; bucket += 1) {
      this.timeline[group + bucket] = (this.timeline[group + bucket] as number) + 1;
    }
    return Math.max(after, last + 1);
  }
}

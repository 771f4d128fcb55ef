// Counts the hours of flows into the buckets of a window.
import { lowerBound } from '#kernel/columns/sorted-search.ts';
import { cutAt, type HourBuckets, isBucket, outside, type Reach } from './buckets.ts';
import { hourParts, tooMany } from './index/hours.ts';
import type { FlowRun } from './index/runs.ts';
import type { FlowStore } from './index/store.ts';

/** What is known of a flow: it is not in the window, it is, or it was there before and after: then its hours decide. */
export const isLeftOut = 0;
export const isCounted = 1;
export const isOpen = 2;

/** Counts each flow in every bucket once that one of its hours, cut to its sightings, reaches into. */
export class HourCounter {
  /** In all rows that reach into the window. */
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

  /** The flows of a run that are not left out by `states`; open ones that are in the window are marked as counted. */
  countRun(run: FlowRun, states: Uint8Array): void {
    const { place } = this.#store.looseRows;
    let loose = lowerBound(place, run.start);
    let at = run.start;
    while (at < run.end) {
      const next = Math.min(run.end, place[loose] ?? run.end);
      this.#countStored(run, states, at, next);
      loose = next < run.end ? this.#countLoose(run, states, next, loose) : loose;
      at = next + 1;
    }
  }

  /** Flows whose rows are all stored. This loop and that of the tallies are most of what a summary costs. */
  #countStored({ target, start }: FlowRun, states: Uint8Array, from: number, to: number): void {
    const { sorted, hours } = this.#store;
    const { starts, rows, observations, many } = hours;
    const { bucketOf, parts } = this.#hours;
    const { timeline } = this;
    const group = target * this.#buckets;
    const end = Math.min(to, sorted);
    let seen = 0;
    for (let at = from; at < end; at += 1) {
      if (states[at - start] === isLeftOut) {
        continue;
      }
      let after = 0;
      const rowsEnd = starts[at + 1] as number;
      for (let row = starts[at] as number; row < rowsEnd; row += 1) {
        const packed = rows[row] as number;
        let bucket = bucketOf[packed >>> 16] as number;
        if (bucket < 0) {
          if (bucket === outside) {
            continue;
          }
          const cut = (cutAt - bucket) * hourParts;
          bucket = parts[cut + (packed & 255)] as number;
          if (!isBucket(bucket) || parts[cut + ((packed >>> 8) & 255)] !== bucket) {
            const reach = this.#reachOfStored(at, packed);
            if (reach === outside) {
              continue;
            }
            after = this.#add(group, reach, after);
            bucket = reach & 255;
          }
        }
        const times = observations[row] as number;
        seen += times === tooMany ? (many.get(row) as number) : times;
        if (bucket >= after) {
          timeline[group + bucket] = (timeline[group + bucket] as number) + 1;
          after = bucket + 1;
        }
      }
      if (after > 0) {
        states[at - start] = isCounted;
      }
    }
    this.observations += seen;
  }

  /** A flow with loose rows: they come in between its others, or replace the one of the same hour. Returns the loose row after. */
  #countLoose({ target, start }: FlowRun, states: Uint8Array, at: number, firstLoose: number): number {
    const { looseRows, sorted, hours } = this.#store;
    const { starts, rows, firstHour, observations, many } = hours;
    const group = target * this.#buckets;
    const isIn = states[at - start] !== isLeftOut;
    const end = at < sorted ? (starts[at + 1] as number) : 0;
    let row = at < sorted ? (starts[at] as number) : 0;
    let loose = firstLoose;
    let after = 0;
    const count = (reach: Reach, times: number) => {
      if (isIn && reach !== outside) {
        this.observations += times;
        after = this.#add(group, reach, after);
      }
    };
    while (row < end || looseRows.place[loose] === at) {
      const storedHour = row < end ? firstHour + ((rows[row] as number) >>> 16) : Number.POSITIVE_INFINITY;
      const looseHour = looseRows.place[loose] === at ? (looseRows.hour[loose] as number) : Number.POSITIVE_INFINITY;
      if (storedHour < looseHour) {
        const times = observations[row] as number;
        count(this.#reachOfStored(at, rows[row] as number), times === tooMany ? (many.get(row) as number) : times);
        row += 1;
        continue;
      }
      const [first, last] = [looseRows.first[loose] as number, looseRows.last[loose] as number];
      count(this.#hours.reachOf(looseHour, first, last), looseRows.observations[loose] as number);
      row += storedHour === looseHour ? 1 : 0;
      loose += 1;
    }
    if (after > 0) {
      states[at - start] = isCounted;
    }
    return loose;
  }

  #reachOfStored(at: number, packed: number): Reach {
    return this.#hours.reachOfStored(packed >>> 16, at, (packed >>> 8) & 255, packed & 255);
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

// Which buckets of a window the hours of flows overlap.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import { HourRows } from '../store/hour-pack.ts';
import { findHours, readHourRows } from '../store/hour-rows.ts';
import { hourParts, toHourPart } from './index/hours.ts';
import type { RowIdMap } from './index/row-id-map.ts';
import type { FlowStore } from './index/type.ts';

interface Window {
  /** Both inclusive. */
  from: number;
  to: number;
  /** 1…240; they divide the window evenly. */
  buckets: number;
}

type Index = Pick<FlowStore, 'hours' | 'rowIds'>;

/** The first bucket, shifted left by eight bits, and the last one; or `outside`. */
export type Reach = number;
export const outside: Reach = -1;
/** Positions that are no bucket: more than one bucket, before the window, after it. */
const isCut = -2;
const before = -1;
const afterwards = 255;
/** The `bucketOf` of the first hour that spans several buckets; those of the next ones count down from it. */
export const cutAt = -2;

/** Whether a position is a bucket. */
export function isBucket(position: number): boolean {
  return position >= 0 && position < afterwards;
}

export class HourBuckets {
  /** By the number of an hour of the index: its bucket, `outside`, or `cutAt` minus its number among the cut hours. */
  readonly bucketOf: Int16Array;
  /** The positions of the parts of each cut hour, hour after hour. */
  readonly parts: Int16Array;
  readonly #window: Window;
  /** The bucket of the end of the window: a window of a few milliseconds does not reach all of them. */
  readonly #lastBucket: number;
  readonly #existing: ReadonlySet<number>;
  /** Rows of cut hours with a sighting in a cut part, by number of the hour and row. */
  readonly #exact = new Map<number, ReadonlyMap<number, Reach>>();

  constructor(reader: Reader, window: Window, { hours, rowIds }: Index) {
    const { firstHour, endHour } = hours;
    const { from, to } = window;
    this.#window = window;
    this.#lastBucket = this.#positionOf(to);
    this.#existing = new Set(from > to ? [] : findHours(reader, hourOf(from), hourOf(to)));
    this.bucketOf = new Int16Array(endHour - firstHour).fill(outside);
    const cut: Int16Array[] = [];
    for (const hour of this.#existing) {
      const number = hour - firstHour;
      if (number < 0 || number >= this.bucketOf.length) {
        continue;
      }
      const bucket = this.#bucketOfAll(hour * hourMs, (hour + 1) * hourMs - 1);
      this.bucketOf[number] = bucket === isCut ? cutAt - cut.length : bucket;
      if (bucket === isCut) {
        const parts = this.#partsOf(hour);
        cut.push(parts);
        this.#exact.set(number, this.#readExact(reader, hour, parts, rowIds));
      }
    }
    this.parts = Int16Array.from(cut.flatMap((parts) => [...parts]));
  }

  /** The reach of a row of the index in the hour with this number, by the parts of its sightings. */
  reachOfMain(number: number, row: number, first: number, last: number): Reach {
    const bucket = this.bucketOf[number] as number;
    if (bucket >= outside) {
      return bucket === outside ? outside : (bucket << 8) | bucket;
    }
    const at = (cutAt - bucket) * hourParts;
    const start = this.parts[at + first] as number;
    const end = this.parts[at + last] as number;
    return start === isCut || end === isCut
      ? (this.#exact.get(number)?.get(row) ?? outside)
      : this.#between(start, end);
  }

  /** The reach of sightings, in milliseconds into their hour. */
  reachOf(hour: number, first: number, last: number): Reach {
    if (!this.#existing.has(hour)) {
      return outside;
    }
    const start = hour * hourMs;
    return this.#between(this.#positionOf(start + first), this.#positionOf(start + last));
  }

  /** The common position of the instants `first` to `last`; `isCut` when there is none. */
  #bucketOfAll(first: number, last: number): number {
    const position = this.#positionOf(first);
    return position === this.#positionOf(last) ? position : isCut;
  }

  #between(first: number, last: number): Reach {
    return last === before || first === afterwards
      ? outside
      : (Math.max(first, 0) << 8) | Math.min(last, this.#lastBucket);
  }

  /** The bucket of an instant, `before` or `afterwards`. */
  #positionOf(at: number): number {
    const { from, to, buckets } = this.#window;
    if (at < from) {
      return before;
    }
    return at > to ? afterwards : Math.floor(((at - from) * buckets) / (to - from + 1));
  }

  #partsOf(hour: number): Int16Array {
    const ends = (part: number) => hour * hourMs + Math.ceil((part * hourMs) / hourParts);
    return new Int16Array(hourParts).map((_, part) => this.#bucketOfAll(ends(part), ends(part + 1) - 1));
  }

  #readExact(reader: Reader, hour: number, parts: Int16Array, rowIds: RowIdMap): Map<number, Reach> {
    const exact = new Map<number, Reach>();
    const rows = new HourRows();
    readHourRows(reader, hour, rows);
    for (let at = 0; at < rows.length; at += 1) {
      const first = rows.first[at] as number;
      const last = rows.last[at] as number;
      if (parts[toHourPart(first)] === isCut || parts[toHourPart(last)] === isCut) {
        exact.set(rowIds.get(rows.flow[at] as number), this.reachOf(hour, first, last));
      }
    }
    return exact;
  }
}

// Which buckets of a window the hours of flows reach into.
import type { Reader } from '#kernel/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time.ts';
import { HourRows } from '../store/hour-pack.ts';
import { hoursWithin, readHourRows } from '../store/hour-rows.ts';
import { type FlowHours, hourParts, partOf } from './index/hours.ts';
import type { PlaceTable } from './index/row-ids.ts';

interface Window {
  /** Both inclusive. */
  from: number;
  to: number;
  /** 1…240; they divide the window evenly. */
  buckets: number;
}

/** Of what a store keeps: the hours told by parts. */
interface Kept {
  hours: FlowHours;
  places: PlaceTable;
}

/** The first bucket above eight bits for the last one; or `outside`. */
export type Reach = number;
export const outside: Reach = -1;
/** What is not in one bucket; instants before the window, and after it. */
const isCut = -2;
const before = -1;
const afterwards = 255;
/** Of the first cut hour; the next ones are below. */
export const cutAt = -2;

/** Whether a position is a bucket. */
export function isBucket(position: number): boolean {
  return position >= 0 && position < afterwards;
}

export class HourBuckets {
  /** By the number of a stored hour: the bucket it lies in, `outside`, or `cutAt` less its number among the cut ones. */
  readonly bucketOf: Int16Array;
  /** Of each cut hour, one after the other, where its parts lie: a bucket, or none that `isBucket`. */
  readonly parts: Int16Array;
  readonly #window: Window;
  /** That of the end of the window: one of few milliseconds does not reach them all. */
  readonly #lastBucket: number;
  readonly #existing: ReadonlySet<number>;
  /** Of the rows of cut hours that lie in a part that is cut, by number of the hour and place. */
  readonly #exact = new Map<number, ReadonlyMap<number, Reach>>();

  constructor(reader: Reader, window: Window, { hours, places }: Kept) {
    const { firstHour, endHour } = hours;
    const { from, to } = window;
    this.#window = window;
    this.#lastBucket = this.#positionOf(to);
    this.#existing = new Set(from > to ? [] : hoursWithin(reader, hourOf(from), hourOf(to)));
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
        this.#exact.set(number, this.#readExact(reader, hour, parts, places));
      }
    }
    this.parts = Int16Array.from(cut.flatMap((parts) => [...parts]));
  }

  /** Of a row of the stored hour with this number, told by the parts of its sightings. */
  reachOfStored(number: number, place: number, first: number, last: number): Reach {
    const bucket = this.bucketOf[number] as number;
    if (bucket >= outside) {
      return bucket === outside ? outside : (bucket << 8) | bucket;
    }
    const at = (cutAt - bucket) * hourParts;
    const [start, end] = [this.parts[at + first] as number, this.parts[at + last] as number];
    return start === isCut || end === isCut
      ? (this.#exact.get(number)?.get(place) ?? outside)
      : this.#between(start, end);
  }

  /** Of a row whose sightings are known in milliseconds into its hour. */
  reachOf(hour: number, first: number, last: number): Reach {
    if (!this.#existing.has(hour)) {
      return outside;
    }
    const start = hour * hourMs;
    return this.#between(this.#positionOf(start + first), this.#positionOf(start + last));
  }

  /** Where all instants lie from `first` to `last`; `isCut` when not in the same bucket. */
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

  #readExact(reader: Reader, hour: number, parts: Int16Array, places: PlaceTable): Map<number, Reach> {
    const exact = new Map<number, Reach>();
    const rows = new HourRows();
    readHourRows(reader, hour, rows);
    for (let row = 0; row < rows.length; row += 1) {
      const [first, last] = [rows.first[row] as number, rows.last[row] as number];
      if (parts[partOf(first)] === isCut || parts[partOf(last)] === isCut) {
        exact.set(places.of(rows.flow[row] as number), this.reachOf(hour, first, last));
      }
    }
    return exact;
  }
}

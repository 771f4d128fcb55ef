// Counts the rows of one router's whole reads, to estimate how many connections begin and end between two reads. The
// counts cover about a day and are kept in memory only.
import { dayMs } from '#kernel/time/time.ts';
import type { RowCounts, WholeRead } from '../activity.ts';
import type { Session } from '../driver.ts';
import type { Service, ShownBy } from './service.ts';
import { Services } from './services.ts';
import type { LeastLife } from './timers.ts';

/** Intervals between two reads; beyond this, a read between them failed. */
const mostIntervals = 2;
/** Weight of the latest read in `takesMs`. */
const latestWeight = 1 / 8;

/** A whole read until it is stored. */
interface Reading {
  at: number;
  gapMs: number | null;
  hasRows: boolean;
  by: ShownBy | null;
}

export class UnseenCounts implements RowCounts {
  readonly services = new Services();
  readonly intervalMs: number;
  /** Null before a whole table with rows was stored. `none`: its rows have no times. */
  by: ShownBy | 'none' | null = null;
  /** Time between the reads that were counted, milliseconds, and their number. */
  countedMs = 0;
  reads = 0;
  /** How long a read takes on average, milliseconds. */
  takesMs = 0;

  #least: LeastLife = () => 0;
  #lastAt: number | null = null;
  #reading: Reading | null = null;

  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  /** `whole` is null when the table was not read to its end: then neither this read nor the next one is counted. */
  begin(whole: WholeRead | null, least: LeastLife): void {
    this.#reading = null;
    if (whole === null) {
      this.#lastAt = null;
      return;
    }
    const { from, to } = whole;
    const tookMs = to - from;
    this.takesMs += (tookMs - this.takesMs) * (this.takesMs === 0 ? 1 : latestWeight);
    const gapMs = this.#lastAt === null ? Number.POSITIVE_INFINITY : from - this.#lastAt;
    const isNext = gapMs > 0 && gapMs <= mostIntervals * this.intervalMs;
    this.#least = least;
    this.#reading = { at: from, gapMs: isNext ? gapMs : null, hasRows: false, by: null };
    for (const service of this.services) {
      service.begin(this.#reading.gapMs);
    }
  }

  /** `isNew`: no read showed it before. */
  row({ proto, dport, ageSec, ttl, printedFrom, printedTo }: Session, isNew: boolean): void {
    const reading = this.#reading;
    if (reading) {
      reading.hasRows = true;
      reading.by ??= shownBy(ageSec, ttl);
      const service = this.services.of(proto, dport, this.#least, this.#made);
      service.row(ageSec, ttl, isNew, printedFrom === printedTo);
    }
  }

  /** Counts the last read: the caller has stored it. */
  stored(): void {
    const reading = this.#reading;
    this.#reading = null;
    if (reading === null) {
      return;
    }
    const { at, gapMs, hasRows } = reading;
    const by = reading.by ?? (hasRows ? 'none' : this.by);
    if (by !== this.by && this.by !== null) {
      // What was counted by other times is another estimate.
      this.#forget();
    } else {
      for (const service of this.services) {
        service.count(gapMs, by === 'none' ? null : by);
      }
      this.countedMs += gapMs ?? 0;
      this.reads += gapMs === null ? 0 : 1;
      this.#lastAt = at;
    }
    this.by = by;
    if (this.countedMs > dayMs) {
      this.#fade();
    }
    this.services.shrink();
  }

  readonly #made = (service: Service): void => service.begin(this.#reading?.gapMs ?? null);

  #forget(): void {
    this.services.clear();
    this.countedMs = 0;
    this.reads = 0;
    this.#lastAt = null;
  }

  #fade(): void {
    this.countedMs /= 2;
    this.reads /= 2;
    for (const service of this.services) {
      service.fade();
    }
  }
}

function shownBy(ageSec: number | null, ttl: number | null): ShownBy | null {
  if (ageSec === null) {
    return ttl === null ? null : 'entry_timer';
  }
  return ttl === null ? 'entry_age' : 'entry_life';
}

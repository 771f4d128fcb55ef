// The counts of one service of a router: a protocol and destination port, or the ports of a protocol that have no counts
// of their own.

/** Rows after which the longest remaining time says how long the timer is. */
const knownRows = 20;

/** Shorter windows than what routers print say nothing. */
const leastWindowMs = 1000;

/** What a table shows of an entry: when it began and when it will end, or one of both. */
export type ShownBy = 'entry_life' | 'entry_age' | 'entry_timer';

export class Service {
  readonly proto: string;
  /** Null: all ports of the protocol without counts of their own. */
  readonly dport: number | null;
  /** Connections that reads showed for the first time, and how many there were by the estimate. */
  seen = 0;
  estimated = 0;

  readonly #deliveredMs: number;
  readonly #rest: Service | null;
  /** Rows with a remaining time, and the longest of these, seconds. */
  #rows = 0;
  #longestSec = 0;
  /** Entries in the whole table before. */
  #listed = 0;
  /** Of the read that is under way: entries, new ones, those that began or end within the window, and shares that lives miss. */
  #shown = 0;
  #fresh = 0;
  #near = 0;
  #missed = 0;
  #gapMs = 0;
  #windowMs = 0;

  /** `rest` are the other ports of the protocol, whose timer stands for this one until its rows show it. */
  constructor(proto: string, dport: number | null, deliveredMs: number, rest: Service | null) {
    this.proto = proto;
    this.dport = dport;
    this.#deliveredMs = deliveredMs;
    this.#rest = rest;
  }

  /** No entry stays shorter, milliseconds. */
  get leastMs(): number {
    const isKnown = this.#rows >= knownRows && this.#longestSec > 0;
    const shownMs = isKnown ? this.#longestSec * 1000 : (this.#rest?.leastMs ?? Number.POSITIVE_INFINITY);
    return Math.min(this.#deliveredMs, shownMs);
  }

  get size(): number {
    return this.seen + this.estimated + this.#listed;
  }

  /** A read begins `gapMs` after the one before; null: nothing is known of the time between. */
  begin(gapMs: number | null): void {
    this.#shown = 0;
    this.#fresh = 0;
    this.#near = 0;
    this.#missed = 0;
    this.#gapMs = gapMs ?? 0;
    this.#windowMs = gapMs === null ? 0 : Math.max(leastWindowMs, Math.min(this.leastMs, gapMs));
  }

  /** `isCut`: the age is the difference of two times that were both cut to the second. */
  row(ageSec: number | null, ttl: number | null, isNew: boolean, isCut: boolean): void {
    this.#shown += 1;
    this.#fresh += isNew ? 1 : 0;
    if (ageSec !== null && ttl !== null) {
      this.#missed += ttl * 1000 <= this.#windowMs ? Math.max(0, 1 - ((ageSec + ttl) * 1000) / this.#gapMs) : 0;
    } else if (ageSec !== null) {
      const atEdge = isCut && ageSec * 1000 === this.#windowMs ? 0.5 : 0;
      this.#near += ageSec * 1000 < this.#windowMs ? 1 : atEdge;
    } else if (ttl !== null && ttl * 1000 <= this.#windowMs) {
      this.#near += 1;
    }
    if (ttl !== null) {
      this.#rows += 1;
      this.#longestSec = Math.max(this.#longestSec, ttl);
    }
  }

  /**
   * The read is stored. An entry with a remaining time up to the window ends in it, which a read meets with probability
   * window / gap: it stands for gap / window entries. With its age its life is known, and so which share of these no read can
   * meet. Without, those that began are those that ended, and by how many the table grew. Where only ages are known, entries
   * with an age up to the window are all that began in it, for none can be gone.
   */
  count(gapMs: number | null, by: ShownBy | null): void {
    if (gapMs !== null) {
      this.seen += this.#fresh;
      this.estimated += by === null || gapMs <= this.#windowMs ? this.#fresh : this.#begun(gapMs / this.#windowMs, by);
    }
    this.#listed = this.#shown;
  }

  #begun(windows: number, by: ShownBy): number {
    switch (by) {
      case 'entry_life':
        return this.#fresh + this.#missed * windows;
      case 'entry_age':
        return this.#near * windows;
      case 'entry_timer':
        return this.#near * windows + this.#shown - this.#listed;
    }
  }

  /** Adds what `other` has counted. */
  join(other: Service): void {
    this.seen += other.seen;
    this.estimated += other.estimated;
    this.#listed += other.#listed;
    this.#rows += other.#rows;
    this.#longestSec = Math.max(this.#longestSec, other.#longestSec);
  }

  /** What was counted weighs half; the timer is looked for again. */
  fade(): void {
    this.seen /= 2;
    this.estimated /= 2;
    this.#rows = 0;
    this.#longestSec = 0;
  }
}

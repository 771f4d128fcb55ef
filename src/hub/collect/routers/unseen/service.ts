// The counts of one service of a router: one protocol and destination port, or all ports of a protocol without counts of
// their own.

/** After this many rows, the longest remaining time is taken for the timer. */
const knownRows = 20;

/** Routers print whole seconds: a shorter window would hold no information. */
const leastWindowMs = 1000;

/** What a table shows of an entry: age and remaining time (`entry_life`), or one of both. */
export type ShownBy = 'entry_life' | 'entry_age' | 'entry_timer';

export class Service {
  readonly proto: string;
  /** Null for all ports of the protocol without counts of their own. */
  readonly dport: number | null;
  /** Connections that reads showed for the first time, and how many there were by the estimate. */
  seen = 0;
  estimated = 0;

  readonly #deliveredMs: number;
  readonly #rest: Service | null;
  /** Rows with a remaining time, and the longest of these, seconds. */
  #rows = 0;
  #longestSec = 0;
  /** Entries in the previous whole table. */
  #listed = 0;
  /** Counts of the current read: entries, new ones, those that began or end within the window, and missed shares. */
  #shown = 0;
  #fresh = 0;
  #near = 0;
  #missed = 0;
  #gapMs = 0;
  #windowMs = 0;

  /** `rest` are the other ports of the protocol. Their timer is used until the rows of this service show its own. */
  constructor(proto: string, dport: number | null, deliveredMs: number, rest: Service | null) {
    this.proto = proto;
    this.dport = dport;
    this.#deliveredMs = deliveredMs;
    this.#rest = rest;
  }

  /** The shortest time that an entry stays in the table, milliseconds. */
  get leastMs(): number {
    const isKnown = this.#rows >= knownRows && this.#longestSec > 0;
    const shownMs = isKnown ? this.#longestSec * 1000 : (this.#rest?.leastMs ?? Number.POSITIVE_INFINITY);
    return Math.min(this.#deliveredMs, shownMs);
  }

  get size(): number {
    return this.seen + this.estimated + this.#listed;
  }

  /** Begins a read, `gapMs` after the previous one; null when the time between is unknown. */
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
   * Adds the current read to the counts, once it is stored. A read meets an entry that ends within the window with
   * probability window / gap: the entry stands for gap / window entries. If its age is known too, so is its life, and the
   * share of such entries that no read meets. Else the number that began is the number that ended plus the growth of the
   * table. If only ages are known, all entries that began within the window are still there and are counted.
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

  /** Halves the weight of earlier counts and learns the timer anew. */
  fade(): void {
    this.seen /= 2;
    this.estimated /= 2;
    this.#rows = 0;
    this.#longestSec = 0;
  }
}

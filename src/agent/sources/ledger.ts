// Holds the connections between two calls of take(): one entry each, even when several sources show it.
import type { Clock } from '#kernel/time/clock.ts';
import { type SeenConnection, type Tuple, tupleKey, unknownProcess } from './connection.ts';
import type { Identity } from './processes.ts';
import { isWatched } from './scope.ts';
import type { SocketBytes } from './ss-line.ts';

/** When the socket table that shows a connection was read last. */
export interface Presence {
  seenAt: number;
}

interface Counts {
  in: bigint;
  out: bigint;
}

export interface Held {
  readonly key: string;
  readonly connection: Omit<SeenConnection, 'bytesIn' | 'bytesOut'>;
  /** Set as long as a socket table shows it. */
  presence: Presence | null;
  /** Possible owners, until it is known which of them opened it. */
  candidates: readonly Identity[] | null;
  endedAt: number | null;
  isChanged: boolean;
  isTaken: boolean;
  /** All bytes since the start; null until the first reading, and after each `take()` until the next one. */
  counted: Counts | null;
  /** The part of them that was reported; null when the start was not seen and nothing was read yet. */
  reported: Counts | null;
  hasFinalCounts: boolean;
}

export interface Start extends Tuple, Identity {
  at: number;
  collector: SeenConnection['collector'];
  confidence: SeenConnection['confidence'];
  /** Whether it began while the watch ran: its bytes count from 0. */
  isStartSeen: boolean;
}

interface WaitingEnd {
  end: SocketBytes;
  at: number;
}

const maxHeld = 65_536;
const recentMs = 120_000;

export interface LedgerOptions {
  clock: Clock;
  includeLoopback: boolean;
  /** Whether a missed end was that of an outbound connection, as far as can be told. */
  isOutbound: (end: SocketBytes) => boolean;
  /** How long an end waits for a source that shows its connection, and a connection for its last byte counts. */
  settleMs: () => number;
  maxHeld?: number;
}

export class Ledger {
  readonly counters = { connections: 0, withoutProcess: 0, missedByPolling: 0, lostEvents: 0 };

  readonly #options: LedgerOptions;
  readonly #maxHeld: number;
  readonly #all = new Set<Held>();
  readonly #ended = new Set<Held>();
  readonly #byKey = new Map<string, Held>();
  /** When ended connections were returned by take(), by tuple. */
  readonly #recent = new Map<string, number>();
  /** Ends of connections that nothing has shown yet. */
  readonly #waiting = new Map<string, WaitingEnd>();
  #takenAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#maxHeld = options.maxHeld ?? maxHeld;
  }

  find(key: string): Held | undefined {
    const held = this.#byKey.get(key);
    return held?.endedAt === null ? held : undefined;
  }

  /** Whether the tuple is held, or was until lately. */
  wasSeen(key: string): boolean {
    return this.#byKey.has(key) || this.#recent.has(key) || this.#waiting.has(key);
  }

  openConnections(): IteratorObject<Held> {
    return this.#all.values().filter(({ endedAt }) => endedAt === null);
  }

  /**
   * Adds a connection; null when its destination is not watched. Beyond `maxHeld`, drops the oldest ended connection, or
   * the oldest of all, and counts it as lost.
   */
  open({ at, isStartSeen, ...start }: Start): Held | null {
    if (!isWatched(start.remoteAddress, this.#options.includeLoopback) || start.remotePort === 0) {
      return null;
    }
    const held: Held = {
      key: tupleKey(start),
      connection: { ...start, firstObservedAt: at, lastObservedAt: at },
      presence: null,
      candidates: null,
      endedAt: null,
      isChanged: true,
      isTaken: false,
      counted: null,
      reported: isStartSeen ? { in: 0n, out: 0n } : null,
      hasFinalCounts: false,
    };
    this.counters.connections += 1;
    this.counters.withoutProcess += start.processID === 0 ? 1 : 0;
    this.#all.add(held);
    this.#byKey.set(held.key, held);
    const early = this.#waiting.get(held.key);
    if (early) {
      this.#waiting.delete(held.key);
      this.finalCounts(early.end, early.at);
    }
    while (this.#all.size > this.#maxHeld) {
      const [oldest] = this.#ended.size > 0 ? this.#ended : this.#all;
      this.#forget(oldest as Held);
      this.counters.lostEvents += 1;
    }
    return held;
  }

  end(held: Held, at: number): void {
    if (held.endedAt === null) {
      held.endedAt = at;
      held.presence = null;
      held.isChanged = true;
      held.connection.lastObservedAt = Math.max(held.connection.lastObservedAt, at);
      this.#ended.add(held);
    }
  }

  name(held: Held, { processID, processName }: Identity, confidence: SeenConnection['confidence']): void {
    const isNews = held.connection.processID === 0 && processID !== 0;
    this.counters.withoutProcess -= isNews ? 1 : 0;
    Object.assign(held.connection, { processID, processName, confidence });
    held.candidates = null;
    held.isChanged = true;
  }

  count(held: Held, { bytesIn, bytesOut }: Pick<SocketBytes, 'bytesIn' | 'bytesOut'>): void {
    if (held.reported === null) {
      held.reported = { in: bytesIn, out: bytesOut };
    } else {
      held.counted = { in: bytesIn, out: bytesOut };
      held.isChanged = true;
    }
  }

  /** The same for the open connection of this key, if there is one. New bytes mean traffic until now. */
  countKey(key: string, counts: Pick<SocketBytes, 'bytesIn' | 'bytesOut'>): void {
    const held = this.find(key);
    if (held) {
      const before = held.counted ?? held.reported;
      if (before !== null && (before.in !== counts.bytesIn || before.out !== counts.bytesOut)) {
        held.connection.lastObservedAt = Math.max(held.connection.lastObservedAt, this.#options.clock.now());
      }
      this.count(held, counts);
    }
  }

  /** Ends a connection with its last counts. One that no source has shown within `settleMs` counts as missed. */
  finalCounts(socket: SocketBytes, at: number): void {
    const key = tupleKey(socket);
    const held = this.#byKey.get(key);
    if (held && !held.hasFinalCounts) {
      this.#endWithCounts(held, socket, at);
    } else if (!held && !this.#recent.has(key) && isWatched(socket.remoteAddress, this.#options.includeLoopback)) {
      this.#waiting.set(key, { end: socket, at });
    }
  }

  /** Opens the connections of ends that have waited long enough, and forgets old tuples. */
  settle(now: number): void {
    for (const [key, { end, at }] of this.#waiting) {
      if (!this.#isSettling(at, now)) {
        this.#waiting.delete(key);
        this.#addMissed(end, at);
      }
    }
    for (const [key, at] of this.#recent) {
      if (at <= now && now - at < recentMs && this.#recent.size <= this.#maxHeld) {
        break;
      }
      this.#recent.delete(key);
    }
  }

  /** See `Watch.take`. */
  take(): SeenConnection[] {
    const now = this.#options.clock.now();
    this.settle(now);
    const taken: SeenConnection[] = [];
    for (const held of this.#all) {
      const { presence, endedAt } = held;
      if (presence && presence.seenAt > this.#takenAt) {
        held.isChanged = true;
        held.connection.lastObservedAt = Math.max(held.connection.lastObservedAt, presence.seenAt);
      }
      const isWaiting = endedAt !== null && !held.hasFinalCounts && this.#isSettling(endedAt, now);
      if (held.isChanged && !isWaiting) {
        taken.push(report(held));
        if (endedAt !== null) {
          this.#forget(held);
          this.#recent.set(held.key, now);
        }
      }
    }
    this.#takenAt = now;
    return taken;
  }

  /** Stops waiting for other sources: the next take() returns everything. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether other sources may still report on a connection that ended at `at`. */
  #isSettling(at: number, now: number): boolean {
    return !this.#isClosed && at <= now && now - at < this.#options.settleMs();
  }

  #addMissed(socket: SocketBytes, at: number): void {
    if (!this.#options.isOutbound(socket)) {
      return;
    }
    this.counters.missedByPolling += 1;
    const { bytesIn, bytesOut, openedBy: _, ...tuple } = socket;
    const unseen = { at, collector: 'socket-table', confidence: 'sampled', isStartSeen: true } as const;
    const held = this.open({ ...tuple, ...unknownProcess, ...unseen });
    if (held) {
      this.#endWithCounts(held, socket, at);
    }
  }

  #endWithCounts(held: Held, socket: SocketBytes, at: number): void {
    this.count(held, socket);
    held.hasFinalCounts = true;
    this.end(held, at);
  }

  #forget(held: Held): void {
    this.#all.delete(held);
    this.#ended.delete(held);
    if (this.#byKey.get(held.key) === held) {
      this.#byKey.delete(held.key);
    }
  }
}

/** The connection as it is now, with the bytes since the last report. */
function report(held: Held): SeenConnection {
  const { counted, reported, connection } = held;
  const bytes =
    counted && reported
      ? { bytesIn: atLeast0(counted.in - reported.in), bytesOut: atLeast0(counted.out - reported.out) }
      : { bytesIn: null, bytesOut: null };
  held.reported = counted ?? reported;
  held.counted = null;
  held.isChanged = false;
  held.isTaken = true;
  return { ...connection, ...bytes };
}

function atLeast0(value: bigint): bigint {
  return value > 0n ? value : 0n;
}

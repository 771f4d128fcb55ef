// The connections that are held between two calls of take(): one entry for each, however many sources show it.
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
  /** Threads of which one has opened it, as long as it is open which. */
  candidates: readonly Identity[] | null;
  endedAt: number | null;
  isChanged: boolean;
  isTaken: boolean;
  /** All bytes since the start; null before the first reading, and once they were taken. */
  counted: Counts | null;
  /** What of them was reported; null when the start was not seen and there is no reading yet. */
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

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger({
  clock,
  includeLoopback,
  isOutbound,
  settleMs,
  maxHeld: limit = maxHeld,
}: LedgerOptions) {
  const all = new Set<Held>();
  const ended = new Set<Held>();
  const byKey = new Map<string, Held>();
  /** Connections that ended and were taken, by their tuple. */
  const recent = new Map<string, number>();
  const waiting = new Map<string, WaitingEnd>();
  const counters = { connections: 0, withoutProcess: 0, missedByPolling: 0, lostEvents: 0 };
  let takenAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  function forget(held: Held): void {
    all.delete(held);
    ended.delete(held);
    if (byKey.get(held.key) === held) {
      byKey.delete(held.key);
    }
  }

  function find(key: string): Held | undefined {
    const held = byKey.get(key);
    return held?.endedAt === null ? held : undefined;
  }

  function end(held: Held, at: number): void {
    if (held.endedAt === null) {
      held.endedAt = at;
      held.presence = null;
      held.isChanged = true;
      held.connection.lastObservedAt = Math.max(held.connection.lastObservedAt, at);
      ended.add(held);
    }
  }

  /** Null when its destination is not watched. What is too much, the oldest ended first, is counted as lost. */
  function open({ at, isStartSeen, ...start }: Start): Held | null {
    if (!isWatched(start.remoteAddress, includeLoopback) || start.remotePort === 0) {
      return null;
    }
    const held: Held = {
      key: tupleKey(start),
      connection: { ...start, firstObservedAt: at, lastObservedAt: at },
      ...{ presence: null, candidates: null, endedAt: null, isChanged: true, isTaken: false, counted: null },
      reported: isStartSeen ? { in: 0n, out: 0n } : null,
      hasFinalCounts: false,
    };
    counters.connections += 1;
    counters.withoutProcess += start.processID === 0 ? 1 : 0;
    all.add(held);
    byKey.set(held.key, held);
    const early = waiting.get(held.key);
    if (early) {
      waiting.delete(held.key);
      finalCounts(early.end, early.at);
    }
    while (all.size > limit) {
      const [oldest] = ended.size > 0 ? ended : all;
      forget(oldest as Held);
      counters.lostEvents += 1;
    }
    return held;
  }

  function count(held: Held, { bytesIn, bytesOut }: Pick<SocketBytes, 'bytesIn' | 'bytesOut'>): void {
    if (held.reported === null) {
      held.reported = { in: bytesIn, out: bytesOut };
    } else {
      held.counted = { in: bytesIn, out: bytesOut };
      held.isChanged = true;
    }
  }

  /** The same for whatever is open under this key: bytes that are new are a sign of traffic until now. */
  function countKey(key: string, counts: Pick<SocketBytes, 'bytesIn' | 'bytesOut'>): void {
    const held = find(key);
    if (held) {
      const before = held.counted ?? held.reported;
      if (before !== null && (before.in !== counts.bytesIn || before.out !== counts.bytesOut)) {
        held.connection.lastObservedAt = Math.max(held.connection.lastObservedAt, clock.now());
      }
      count(held, counts);
    }
  }

  /** A connection has ended with these counts; when nothing shows it within `settleMs`, it was missed. */
  function finalCounts(socket: SocketBytes, at: number): void {
    const key = tupleKey(socket);
    const held = byKey.get(key);
    if (held && !held.hasFinalCounts) {
      count(held, socket);
      held.hasFinalCounts = true;
      end(held, at);
    } else if (!held && !recent.has(key) && isWatched(socket.remoteAddress, includeLoopback)) {
      waiting.set(key, { end: socket, at });
    }
  }

  function settle(now: number): void {
    for (const [key, { end: missed, at }] of waiting) {
      if (now - at < settleMs() && at <= now && !isClosed) {
        continue;
      }
      waiting.delete(key);
      if (isOutbound(missed)) {
        counters.missedByPolling += 1;
        const { bytesIn, bytesOut, openedBy: _, ...tuple } = missed;
        const unseen = { at, collector: 'socket-table', confidence: 'sampled', isStartSeen: true } as const;
        const held = open({ ...tuple, ...unknownProcess, ...unseen });
        if (held) {
          count(held, missed);
          held.hasFinalCounts = true;
          end(held, at);
        }
      }
    }
    for (const [key, at] of recent) {
      if (at <= now && now - at < recentMs && recent.size <= limit) {
        break;
      }
      recent.delete(key);
    }
  }

  /** The process of a connection is known now. */
  function name(held: Held, identity: Identity, confidence: SeenConnection['confidence']): void {
    const isNews = held.connection.processID === 0 && identity.processID !== 0;
    counters.withoutProcess -= isNews ? 1 : 0;
    Object.assign(held.connection, { processID: identity.processID, processName: identity.processName, confidence });
    held.candidates = null;
    held.isChanged = true;
  }

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

  function take(): SeenConnection[] {
    const now = clock.now();
    settle(now);
    const taken: SeenConnection[] = [];
    for (const held of all) {
      const { presence, endedAt } = held;
      if (presence && presence.seenAt > takenAt) {
        held.isChanged = true;
        held.connection.lastObservedAt = Math.max(held.connection.lastObservedAt, presence.seenAt);
      }
      const isWaiting =
        endedAt !== null && !held.hasFinalCounts && !isClosed && now >= endedAt && now - endedAt < settleMs();
      if (held.isChanged && !isWaiting) {
        taken.push(report(held));
        if (endedAt !== null) {
          forget(held);
          recent.set(held.key, now);
        }
      }
    }
    takenAt = now;
    return taken;
  }

  return {
    ...{ open, find, end, count, countKey, finalCounts, settle, name, take, counters },
    /** Whether the tuple is held, or was until lately. */
    wasSeen: (key: string) => byKey.has(key) || recent.has(key) || waiting.has(key),
    openConnections: () => all.values().filter(({ endedAt }) => endedAt === null),
    /** Nothing waits any longer. */
    close() {
      isClosed = true;
    },
  };
}

function atLeast0(value: bigint): bigint {
  return value > 0n ? value : 0n;
}

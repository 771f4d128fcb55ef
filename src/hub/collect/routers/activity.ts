// Turns the sessions of a NAT table into observations of traffic. An entry alone proves no traffic: its timers show when
// the last packet came.
import { limits } from '#contract/limits.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { FlowEnds, Observation } from '../../record/connections/store/observation.ts';
import type { Session } from './driver.ts';
import { flowKey, SessionEnds } from './session-ends.ts';
import { clampTimes, type SessionTimes, updateTimes } from './session-times.ts';

/** Without a timer in the table, a TCP entry counts as in use for this long after it was first seen. */
const untimedUseMs = hourMs;
/** Rows between two yields to the event loop. */
const rowsPerTurn = 2000;

/** Routers print whole seconds: two prints of one instant may differ by this. */
const roundingMs = 1000;

/** A session that is missing from this many successive incomplete reads is forgotten. */
const rememberedReads = 10;

/** A session in memory. Instants are epoch milliseconds. */
interface TrackedSession {
  /** The result of `flowKey`. */
  flow: string;
  /** Remaining NAT timeout at `readAt`, seconds. */
  ttl: number | null;
  /** When the latest line of the session arrived. */
  readAt: number;
  /** When its first line arrived. */
  firstAt: number;
  /** Last sign of traffic. */
  at: number;
  /** Number of the read that showed the session last. */
  read: number;
  /** Start of the session until it is stored; null for a session that does not count as new. */
  startedAt: number | null;
  times: SessionTimes;
}

/** A table that was read to its end: requested at `from`, complete at `to`, epoch milliseconds. */
export interface WholeRead {
  from: number;
  to: number;
}

/** Statistics of rows, which count with the read that is stored. */
export interface RowCounts {
  /** `isNew`: the observation of this row counts as a new session. */
  row(session: Session, isNew: boolean): void;
  /** The observations of the last read are stored. */
  stored(): void;
}

/** Remembers the sessions of one router from read to read. */
export function createActivity(rowCounts?: RowCounts) {
  /** In the order in which they were last shown. */
  let known = new Map<string, TrackedSession>();
  const ends = new SessionEnds();
  /** When the last whole table was requested. */
  let wholeAt: number | null = null;
  let unstored: TrackedSession[] = [];
  let reads = 0;
  return {
    /**
     * Returns the observations of one read, and the flows that ended; an incomplete table ends none. A session stays new,
     * with the start that its first read showed, until `stored` is called. Ends that were not stored come again.
     * Sessions missing from incomplete tables are remembered for ten reads, so that they are not new when they come back.
     * Beyond twice the largest table, the oldest are forgotten earlier.
     */
    async observe(
      sessions: readonly Session[],
      whole: WholeRead | null,
    ): Promise<{ observations: Observation[]; ends: FlowEnds | null }> {
      const read = reads + 1;
      const shown = new Map<string, TrackedSession>();
      const observations: Observation[] = [];
      for (const [index, session] of sessions.entries()) {
        if (index % rowsPerTurn === rowsPerTurn - 1) {
          await yieldToEventLoop();
        }
        const flow = flowKey(session);
        const key = [flow, session.sport, session.vrf].join('|');
        const before = clampToNow(known.get(key), session.printedTo);
        const at = findLastTraffic(session, before);
        const isNew = before ? before.startedAt !== null : reads > 0;
        rowCounts?.row(session, isNew);
        const { ttl, ageSec, printedTo: readAt } = session;
        const startedAt = Math.min(before?.startedAt ?? (ageSec === null ? at : readAt - ageSec * 1000), at);
        const absentAt = wholeAt === null || ends.hasUnknown ? null : Math.min(wholeAt, readAt);
        const times = updateTimes(session, before?.times ?? null, absentAt);
        const firstAt = before?.firstAt ?? readAt;
        shown.set(key, { flow, ttl, readAt, firstAt, at, read, startedAt: isNew ? startedAt : null, times });
        observations.push({ ...toObservation(session, startedAt, at, isNew), times });
      }
      const ended = whole ? ends.take(known, shown, whole.to) : ends.skip();
      if (whole) {
        wholeAt = whole.from;
        known = shown;
      } else if (addIncomplete(known, shown, read)) {
        ends.forgotten();
      }
      unstored = [...shown.values()].filter(({ startedAt }) => startedAt !== null);
      reads = read;
      return { observations, ends: ended };
    },
    /** The caller has stored the observations of the last read. */
    stored() {
      for (const session of unstored) {
        session.startedAt = null;
      }
      unstored = [];
      ends.stored();
      rowCounts?.stored();
    },
    /** Returns how many sessions are remembered. */
    kept: () => known.size,
  };
}

/** After the clock was set back: moves all times later than `now` to `now`. */
function clampToNow(session: TrackedSession | undefined, now: number): TrackedSession | undefined {
  if (session === undefined || session.readAt <= now) {
    return session;
  }
  const { firstAt, at, times } = session;
  const clamped = { firstAt: Math.min(firstAt, now), at: Math.min(at, now), times: clampTimes(times, now) };
  return { ...session, readAt: now, ...clamped };
}

/** Appends the sessions of the incomplete read number `read` to `known`. Returns whether it forgot old sessions. */
function addIncomplete(
  known: Map<string, TrackedSession>,
  shown: ReadonlyMap<string, TrackedSession>,
  read: number,
): boolean {
  for (const [key, session] of shown) {
    known.delete(key);
    known.set(key, session);
  }
  const before = known.size;
  for (const [key, session] of known) {
    if (session.read > read - rememberedReads && known.size <= limits.answerRows) {
      break;
    }
    known.delete(key);
  }
  return known.size < before;
}

/**
 * Returns the last sign of traffic, epoch milliseconds. The router may have printed the line at any time from `printedFrom`
 * to `printedTo`. The earlier sign stays unless every such time proves later traffic.
 */
function findLastTraffic(session: Session, before: TrackedSession | undefined): number {
  const { idleSec, ttl, printedFrom, printedTo } = session;
  if (idleSec !== null) {
    const earliest = printedFrom - idleSec * 1000 - roundingMs;
    return before && earliest <= before.at ? before.at : printedTo - idleSec * 1000;
  }
  if (!before) {
    return printedTo;
  }
  if (ttl !== null && before.ttl !== null) {
    const sinceMs = Math.max(0, printedFrom - before.readAt);
    const mostIdleTtl = before.ttl - Math.floor(sinceMs / 1000) + roundingMs / 1000;
    return ttl > mostIdleTtl ? printedTo : before.at;
  }
  return session.proto === 'TCP' && printedTo - before.firstAt > untimedUseMs ? before.at : printedTo;
}

function toObservation(session: Session, startedAt: number, at: number, isNew: boolean): Observation {
  return {
    src: session.src,
    dst: session.dst,
    dport: session.dport,
    proto: session.proto,
    sport: session.sport,
    ttl: session.ttl,
    startedAt,
    at,
    newSession: isNew ? (session.ageSec === null ? 'poll' : 'exact') : undefined,
  };
}

// Turns the sessions of a NAT table into observations of traffic. An entry alone proves no traffic: its timers show when
// the last packet came.
import { limits } from '#contract/limits.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { FlowEnds, Observation } from '../../record/connections/store/observation.ts';
import type { Session } from './driver.ts';
import { flowKey, SessionEnds } from './session-ends.ts';
import { clampTimes, type SessionTimes, updateTimes } from './session-times.ts';

/** Without any timer in the listing, a TCP entry counts as in use for this long after it was first seen. */
const plainStalenessMs = hourMs;
const turnEvery = 2000;

/** Routers print whole seconds: two prints of one instant differ by up to this. */
const roundingMs = 1000;

/** A session that was in none of this many reads is forgotten, even when all of them were incomplete. */
const rememberedReads = 10;

interface Known {
  flow: string;
  ttl: number | null;
  /** When the line arrived. */
  readAt: number;
  firstAt: number;
  at: number;
  /** Number of the read that showed it last. */
  read: number;
  /** When it began, while it is new and not stored. */
  startedAt: number | null;
  times: SessionTimes;
}

/** A table that was read to its end: requested at `from`, complete at `to`, epoch milliseconds. */
export interface WholeRead {
  from: number;
  to: number;
}

/** Counts the rows of reads. */
export interface RowCounts {
  /** `isNew`: the observation of this row counts as a new session. */
  row(session: Session, isNew: boolean): void;
  /** The caller has stored the observations of the last read. */
  stored(): void;
}

export interface Seen {
  observations: Observation[];
  /** Null when the table was not read to its end: no session counts as ended then. */
  ends: FlowEnds | null;
}

export function createActivity(unseen?: RowCounts) {
  /** In the order in which they were last shown. */
  let known = new Map<string, Known>();
  const ends = new SessionEnds();
  /** When the last whole table was requested. */
  let wholeAt: number | null = null;
  let fresh: Known[] = [];
  let reads = 0;
  return {
    /**
     * Returns the observations of one read. `at` of each is the last sign of traffic. With `idleSec`, that is the arrival of
     * the line less `idleSec`; else the arrival, when the remaining time went up since the last read; else the earlier `at`.
     * The router may have printed a line at any time since the table was requested. `at` changes only when every such time
     * proves traffic since the last read.
     * Entries missing from incomplete tables are remembered for ten reads, so that they do not count as new when they come
     * back. Beyond twice the largest table, the oldest are forgotten earlier. A session stays new, with the start that its
     * first read showed, until `stored` is called. The ends of reads that were not stored come again.
     */
    async observe(sessions: readonly Session[], whole: WholeRead | null) {
      const read = reads + 1;
      const shown = new Map<string, Known>();
      const observations: Observation[] = [];
      for (const [index, session] of sessions.entries()) {
        if (index % turnEvery === turnEvery - 1) {
          await yieldToEventLoop();
        }
        const flow = flowKey(session);
        const key = [flow, session.sport, session.vrf].join('|');
        const before = notAfter(session.printedTo, known.get(key));
        const at = findLastTraffic(session, before);
        const isNew = before ? before.startedAt !== null : reads > 0;
        unseen?.row(session, isNew);
        const startedAt = Math.min(before?.startedAt ?? toStart(session, at), at);
        const { ttl, printedTo: readAt } = session;
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
      } else if (addIncomplete(known, shown, read) > 0) {
        ends.forgotten();
      }
      fresh = [...shown.values()].filter((seen) => seen.startedAt !== null);
      reads = read;
      return { observations, ends: ended };
    },
    /** The caller has stored the observations of the last read. */
    stored() {
      for (const seen of fresh) {
        seen.startedAt = null;
      }
      fresh = [];
      ends.stored();
      unseen?.stored();
    },
    /** Returns how many sessions are remembered. */
    kept: () => known.size,
  };
}

/** After the clock was set back: moves all times later than `now` to `now`. */
function notAfter(now: number, seen: Known | undefined): Known | undefined {
  return seen !== undefined && seen.readAt > now
    ? {
        ...seen,
        readAt: now,
        firstAt: Math.min(seen.firstAt, now),
        at: Math.min(seen.at, now),
        times: clampTimes(seen.times, now),
      }
    : seen;
}

/** Appends the sessions of the incomplete read `read` to `known`; returns how many sessions were forgotten. */
function addIncomplete(known: Map<string, Known>, shown: ReadonlyMap<string, Known>, read: number): number {
  for (const [key, seen] of shown) {
    known.delete(key);
    known.set(key, seen);
  }
  let forgotten = 0;
  for (const [key, seen] of known) {
    if (seen.read > read - rememberedReads && known.size <= limits.answerRows) {
      break;
    }
    known.delete(key);
    forgotten += 1;
  }
  return forgotten;
}

function findLastTraffic(session: Session, before: Known | undefined): number {
  const { idleSec, ttl, printedFrom, printedTo } = session;
  if (idleSec !== null) {
    const earliest = printedFrom - idleSec * 1000 - roundingMs;
    return before && earliest <= before.at ? before.at : printedTo - idleSec * 1000;
  }
  if (!before) {
    return printedTo;
  }
  if (ttl !== null && before.ttl !== null) {
    const leastMs = Math.max(0, printedFrom - before.readAt);
    const most = before.ttl - Math.floor(leastMs / 1000) + roundingMs / 1000;
    return ttl > most ? printedTo : before.at;
  }
  return session.proto === 'TCP' && printedTo - before.firstAt > plainStalenessMs ? before.at : printedTo;
}

function toStart({ ageSec, printedTo }: Session, at: number): number {
  return ageSec === null ? at : printedTo - ageSec * 1000;
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

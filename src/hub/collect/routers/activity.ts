// Sessions of a table → observations of traffic. Being in a NAT table is not traffic: timers show when the last packet was.
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

/** What the router rounds when it prints whole seconds, one print against another. */
const roundingMs = 1000;

/** Reads after which a session that was in none of them is forgotten, though their tables were incomplete. */
const rememberedReads = 10;

interface Known {
  flow: string;
  ttl: number | null;
  /** When the line was here. */
  readAt: number;
  firstAt: number;
  at: number;
  /** Number of the read that showed it last. */
  read: number;
  /** When it began, while it is new and not stored. */
  startedAt: number | null;
  times: SessionTimes;
}

/** A table that was read to its end: asked for at `from`, all here at `to`, epoch milliseconds. */
export interface WholeRead {
  from: number;
  to: number;
}

/** Counts the rows of reads. */
export interface RowCounts {
  /** `isNew`: as of an observation. */
  row(session: Session, isNew: boolean): void;
  /** What the last read showed is in the database. */
  stored(): void;
}

/** What a read showed. */
export interface Seen {
  observations: Observation[];
  /** Null when the table was not read to its end: then no session is taken for ended. */
  ends: FlowEnds | null;
}

/** What one router's table held at the last read; compares the next one with it. */
export interface Activity {
  /**
   * Observations of one read. Times are taken from when the line of a session was here, however long the table took. `at`
   * of each is the last sign of traffic: that instant less `idleSec` where the router shows it; else that instant when
   * the remaining time went up since the last read; else the `at` of the earlier read. A line may have been printed any
   * time since the table was asked for: what does not prove traffic since the last read by that either leaves `at` alone.
   * Entries missing from incomplete tables are remembered for ten reads, so that nothing is taken for new when they are
   * back; the oldest are forgotten earlier beyond twice the largest table. A session is new, with the start that the
   * first read of it showed, until `stored` was called after a read. The ends of reads that were not stored
   * come again.
   */
  observe(sessions: readonly Session[], whole: WholeRead | null): Promise<Seen>;
  /** The observations of the last read are in the database. */
  stored(): void;
  /** Sessions remembered now. */
  kept(): number;
}

export function createActivity(unseen?: RowCounts): Activity {
  /** In the order in which they were last shown. */
  let known = new Map<string, Known>();
  const ends = new SessionEnds();
  /** When the last whole table was asked for. */
  let wholeAt: number | null = null;
  let fresh: Known[] = [];
  let reads = 0;
  return {
    async observe(sessions, whole) {
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
        const at = lastTraffic(session, before);
        const isNew = before ? before.startedAt !== null : reads > 0;
        unseen?.row(session, isNew);
        const startedAt = Math.min(before?.startedAt ?? startedAtBy(session, at), at);
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
      } else if (join(known, shown, read) > 0) {
        ends.forgotten();
      }
      fresh = [...shown.values()].filter((seen) => seen.startedAt !== null);
      reads = read;
      return { observations, ends: ended };
    },
    stored() {
      for (const seen of fresh) {
        seen.startedAt = null;
      }
      fresh = [];
      ends.stored();
      unseen?.stored();
    },
    kept: () => known.size,
  };
}

/** As it was before the clock was put back: what was seen later than `now` was seen by now. */
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

/** Adds what the incomplete read `read` showed to `known`, at its end; returns how many sessions it forgot. */
function join(known: Map<string, Known>, shown: ReadonlyMap<string, Known>, read: number): number {
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

function lastTraffic(session: Session, before: Known | undefined): number {
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

function startedAtBy({ ageSec, printedTo }: Session, at: number): number {
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

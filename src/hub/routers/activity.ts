// Sessions of a table → observations of traffic. Being in a NAT table is not traffic: timers tell when the last packet was.
import { limits } from '#contract/limits.ts';
import { nextTurn } from '#kernel/clock.ts';
import type { Observation } from '../connections/observation.ts';
import type { Session } from './driver.ts';

/** Without any timer in the listing, a TCP entry counts as in use for this long after it was first seen. */
const plainStalenessMs = 3_600_000;
const turnEvery = 2000;

interface Seen {
  ttl: number | null;
  tableAt: number;
  firstAt: number;
  at: number;
}

/** What one router's table held at the last read; compares the next one with it. */
export interface Activity {
  /**
   * Observations of one read at `now`. `at` of each is the last sign of traffic: `now − idleSec` where the router shows
   * it; else `now` when the remaining time went up since the last read; else the instant of the earlier read.
   * Entries missing from an incomplete table are remembered, so that nothing is taken for new when they are back; the
   * oldest are forgotten beyond twice the largest table. A session is new, with the start that the first read of it
   * showed, until `stored` was called after a read.
   */
  observe(sessions: readonly Session[], complete: boolean, now: number): Promise<Observation[]>;
  /** The observations of the last read are in the database. */
  stored(): void;
}

export function createActivity(): Activity {
  let known = new Map<string, Seen>();
  /** When sessions began that are new and not stored. */
  let starts = new Map<string, number>();
  let isFirst = true;
  return {
    async observe(sessions, complete, now) {
      const next = complete ? new Map<string, Seen>() : new Map(known);
      const nextStarts = complete ? new Map<string, number>() : new Map(starts);
      const observations: Observation[] = [];
      for (const [index, session] of sessions.entries()) {
        if (index % turnEvery === turnEvery - 1) {
          await nextTurn();
        }
        const key = `${session.vrf ?? ''}|${session.proto}|${session.src}|${session.sport}|${session.dst}|${session.dport}`;
        const before = notAfter(now, known.get(key));
        const at = lastTraffic(session, before, now);
        next.delete(key);
        next.set(key, { ttl: session.ttl, tableAt: now, firstAt: before?.firstAt ?? now, at });
        const isNew = starts.has(key) || (!isFirst && !before);
        const startedAt = Math.min(starts.get(key) ?? startOf(session, at, now), at);
        if (isNew) {
          nextStarts.set(key, startedAt);
        }
        observations.push(toObservation(session, startedAt, at, isNew));
      }
      forgetOldest(next);
      forgetOldest(nextStarts);
      known = next;
      starts = nextStarts;
      isFirst = false;
      return observations;
    },
    stored: () => starts.clear(),
  };
}

/** As it was before the clock was put back: what was seen later than `now` was seen by now. */
function notAfter(now: number, seen: Seen | undefined): Seen | undefined {
  return seen !== undefined && seen.tableAt > now
    ? { ...seen, tableAt: now, firstAt: Math.min(seen.firstAt, now), at: Math.min(seen.at, now) }
    : seen;
}

/** A table that never comes whole would be remembered without bound. */
function forgetOldest(seen: Map<string, unknown>): void {
  for (const key of seen.keys()) {
    if (seen.size <= limits.answerRows) {
      return;
    }
    seen.delete(key);
  }
}

function lastTraffic(session: Session, before: Seen | undefined, now: number): number {
  if (session.idleSec !== null) {
    return now - session.idleSec * 1000;
  }
  if (!before) {
    return now;
  }
  if (session.ttl !== null && before.ttl !== null) {
    const expected = before.ttl - Math.floor((now - before.tableAt) / 1000);
    return session.ttl > expected + 1 ? now : before.at;
  }
  return session.proto === 'TCP' && now - before.firstAt > plainStalenessMs ? before.at : now;
}

function startOf(session: Session, at: number, now: number): number {
  return session.ageSec === null ? at : now - session.ageSec * 1000;
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

// Bounds for the first and the last packet of a session, from the lines of its router.
import type { PacketTimes, Span } from '../../record/connections/store/uncertainty.ts';
import type { Session } from './driver.ts';

/** Routers print whole seconds: some round up, some down. */
const roundedUpMs = 1000;
/** Error of an age that is the difference of two printed times, both cut to the second. */
const cutMs = 3000;
/** Added to the end of a stored span, so that a different rounding of the same time does not store it again. */
const spareMs = 2000;

/** When an entry would expire, by the remaining time in one line. */
interface Timer {
  endsAfter: number;
  endsBefore: number;
  printedFrom: number;
}

/** Times of one session, from all its lines so far. */
export interface SessionTimes extends PacketTimes {
  /**
   * `shown` is of the line that showed traffic last, `latest` of the last line. `lastTo` is the latest instant of the last
   * traffic.
   */
  timers: { shown: Timer; lastTo: number; latest: Timer } | null;
}

/**
 * `before` are the times from earlier lines. `absentAt` is when a whole table without this session was requested, null if
 * none was read. The result includes the line of `session`.
 */
export function updateTimes(session: Session, before: SessionTimes | null, absentAt: number | null): SessionTimes {
  const first = before?.first ?? toFirstSpan(session, absentAt);
  const since = before?.last.from ?? first.from;
  const { last: line, timers } = findLastTraffic(session, before) ?? {
    last: { from: since, to: session.printedTo, by: 'poll' as const },
    timers: toTimers(session, session.printedTo),
  };
  // The earlier span still holds when the line shows nothing later.
  const isSame = before !== null && line.by === before.last.by && line.to <= before.last.to;
  const spare = line.by === 'poll' ? 0 : spareMs;
  const last = isSame ? before.last : { ...line, from: greater(line.from, since), to: line.to + spare };
  return { first: { ...first, to: Math.min(first.to, last.to) }, last, timers };
}

function toFirstSpan({ ageSec, printedFrom, printedTo }: Session, absentAt: number | null): Span {
  return ageSec === null
    ? { from: absentAt, to: printedTo, by: 'poll' }
    : { from: printedFrom - ageSec * 1000 - cutMs, to: printedTo - ageSec * 1000 + roundedUpMs, by: 'entry_age' };
}

type LastTraffic = { last: Span; timers: SessionTimes['timers'] } | null;

function findLastTraffic(session: Session, before: SessionTimes | null): LastTraffic {
  const { idleSec, printedFrom, printedTo } = session;
  if (idleSec === null) {
    return findLastByTimer(session, before);
  }
  const to = Math.min(printedTo, printedTo - idleSec * 1000 + roundedUpMs);
  const from = printedFrom - idleSec * 1000 - cutMs;
  return { last: { from, to, by: 'entry_timer' }, timers: toTimers(session, to) };
}

function toTimer({ ttl, printedFrom, printedTo }: Session): Timer | null {
  return ttl === null
    ? null
    : {
        endsAfter: printedFrom + ttl * 1000 - roundedUpMs,
        endsBefore: printedTo + ttl * 1000 + roundedUpMs,
        printedFrom,
      };
}

function toTimers(session: Session, lastTo: number): SessionTimes['timers'] {
  const timer = toTimer(session);
  return timer && { shown: timer, lastTo, latest: timer };
}

/**
 * Without packets, the end of a timer stays where it is. A packet restarts the timer, or, if it closes the connection,
 * starts a shorter one. The end then moves by as much as the last packet is later.
 */
function findLastByTimer(session: Session, before: SessionTimes | null): LastTraffic {
  const timer = toTimer(session);
  if (timer === null || !before?.timers) {
    return null;
  }
  const { shown, lastTo, latest } = before.timers;
  const { printedTo } = session;
  if (hasMoved(shown, timer)) {
    const since = hasMoved(latest, timer) ? latest : shown;
    const last = { from: since.printedFrom, to: printedTo, by: 'entry_timer' as const };
    return { last, timers: toTimers(session, printedTo) };
  }
  const movedMs = Math.max(0, timer.endsBefore - shown.endsAfter);
  const last = { from: before.last.from, to: Math.min(printedTo, lastTo + movedMs), by: 'entry_timer' as const };
  return { last, timers: { ...before.timers, latest: timer } };
}

function hasMoved(earlier: Timer, later: Timer): boolean {
  return later.endsAfter > earlier.endsBefore || later.endsBefore < earlier.endsAfter;
}

function greater(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** After the clock was set back: moves all times later than `now` to `now`. */
export function clampTimes(times: SessionTimes, now: number): SessionTimes {
  const bound = ({ from, to, by }: Span) => ({
    from: from === null ? null : Math.min(from, now),
    to: Math.min(to, now),
    by,
  });
  return { first: bound(times.first), last: bound(times.last), timers: null };
}

// When the first and the last packet of a session were, as far as the lines of its router say.
import type { PacketTimes, Span } from '../../record/connections/store/uncertainty.ts';
import type { Session } from './driver.ts';

/** What routers round: they print whole seconds, some up and some down. */
const roundedUpMs = 1000;
/** Behind an age that is the difference of two printed times, both cut to the second, there may be three. */
const cutMs = 3000;
/** Added to the end of a time that is stored, so that the same time is not stored again when its rounding differs. */
const spareMs = 2000;

/** When an entry would run out by what a line says of it. */
interface Timer {
  endsAfter: number;
  endsBefore: number;
  printedFrom: number;
}

/** What the lines of one session have said so far. */
export interface SessionTimes extends PacketTimes {
  /** Of the line that showed traffic last, with the latest instant of that; and of the last line. */
  timers: { shown: Timer; lastTo: number; latest: Timer } | null;
}

/**
 * `before` is what earlier lines said; `absentAt` when a whole table was asked for that did not show the session, null if
 * none was read. The result holds as of the line.
 */
export function updateTimes(session: Session, before: SessionTimes | null, absentAt: number | null): SessionTimes {
  const first = before?.first ?? toFirstSpan(session, absentAt);
  const since = before?.last.from ?? first.from;
  const { last: line, timers } = lastOfLine(session, before) ?? {
    last: { from: since, to: session.printedTo, by: 'poll' as const },
    timers: toTimers(session, session.printedTo),
  };
  // What was said before still holds when nothing is later.
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

type LastOfLine = { last: Span; timers: SessionTimes['timers'] } | null;

function lastOfLine(session: Session, before: SessionTimes | null): LastOfLine {
  const { idleSec, printedFrom, printedTo } = session;
  if (idleSec === null) {
    return lastByTimer(session, before);
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
 * A timer runs by itself; a packet sets it back, or, as one of a close, sets a shorter one. Its end moves by as much as the
 * last packet is later.
 */
function lastByTimer(session: Session, before: SessionTimes | null): LastOfLine {
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

/** As it was before the clock was put back: nothing was later than `now`. */
export function clampTimes(times: SessionTimes, now: number): SessionTimes {
  const bound = ({ from, to, by }: Span) => ({
    from: from === null ? null : Math.min(from, now),
    to: Math.min(to, now),
    by,
  });
  return { first: bound(times.first), last: bound(times.last), timers: null };
}

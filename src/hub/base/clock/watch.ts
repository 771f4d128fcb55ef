// Checks the clock every minute. When a clock that was ahead is set back, stored times later than now are corrected.
// An earlier clock alone corrects nothing: only a stored gap, a period that the clock jumped over, shows that the times
// after it were wrong. Credentials expire in either case, because the steady clock does not follow the clock back.

import type { Db, Writer } from '#kernel/sqlite/sqlite.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import { dayMs, minuteMs } from '#kernel/time/time.ts';
import type { Base } from '../feature.ts';
import { createStatement, type Statement } from '../statements.ts';
import { clampFutureSteadyTimes, clampFutureTimes, shiftSteadyTimes } from './clamp.ts';
import type { ClockCorrections } from './times.ts';

/** A smaller difference is normal: small corrections of the clock, pauses of the machine and restarts cause it. */
const toleranceMs = 300_000;
/** A smaller lead of the steady clock is not corrected. */
const leadMs = 1000;
const maxGaps = 32;
/** A clock that ran on for this long after a gap was right: an earlier time is then the wrong one. */
const trustedAfterMs = 14 * dayMs;
/** At the first start, the right time may be this long ago. A clock without a battery is years behind. */
const maxBeforeFirstMs = 366 * dayMs;

interface Options extends Pick<Base, 'clock' | 'steadyClock' | 'db' | 'log'> {
  times: readonly ClockCorrections[];
  /** Called after stored times were corrected. */
  onCorrected: () => void;
}

/** Checks the clock at once, then every minute. */
export function startClockWatch({ db, clock, steadyClock, log, times, onCorrected }: Options) {
  /** What the clock showed when it was first found set back from a wrong time; null otherwise. */
  let setBackAt: number | null = null;
  let warning: Statement | null = null;
  let isFirst = true;
  let lastReading: ClockReading | null = null;

  const warn = (statement: Statement) => {
    if (warning === null) {
      log.warn({}, statement.sentence);
    }
    warning = statement;
  };
  /** Sets the steady clock back to the system clock, and shifts its stored times later than `after` by as much. */
  const resetSteadyClock = (writer: Writer, after: number): number => {
    const rows = shiftSteadyTimes(writer, times, { by: steadyClock.aheadMs(), after });
    steadyClock.reset();
    return rows;
  };
  /** Stores the steady time after `work`. A write that fails undoes a reset of the steady clock. */
  const writeSteadyTime = async (work?: (writer: Writer) => void): Promise<void> => {
    const before = steadyClock.now();
    try {
      await db.write((writer) => {
        work?.(writer);
        writer.prepare('UPDATE clock_look SET steady_at = ?').run(steadyClock.now());
      });
    } catch (error) {
      steadyClock.raiseTo(before);
      throw error;
    }
  };
  const handleEarlierTime = async (now: number, last: number) => {
    const behind = `the clock shows ${isoTime(now)}, earlier than before (${isoTime(last)})`;
    if (!isInGap(db, now, last)) {
      await writeSteadyTime();
      const sentence = `${behind}: set it if it is wrong; what was recorded stays as it is until the clock has caught up`;
      warn(createStatement('clock_back', sentence, { at: now }));
      return;
    }
    if (setBackAt === null || now < setBackAt - toleranceMs) {
      setBackAt = now;
      await writeSteadyTime();
      const sentence = `${behind}, and was ahead until now: what was recorded with later times is brought back in a minute`;
      warn(createStatement('clock_was_ahead', sentence, { at: now }));
      return;
    }
    let rows = await db.write((writer) => clampFutureTimes(writer, times, now));
    await writeSteadyTime((writer) => {
      rows += resetSteadyClock(writer, now);
      // The part of a gap before now remains: the clock may be set back further.
      writer.prepare('DELETE FROM clock_gap WHERE from_at > ?').run(now - toleranceMs);
      writer.prepare('UPDATE clock_gap SET to_at = min(to_at, ?)').run(now);
      saveLastTime(writer, now);
    });
    setBackAt = null;
    warning = null;
    log.warn(
      { rows, aheadMs: last - now },
      `the clock was ahead and is right again: ${rows} rows with later times were brought back to now`,
    );
    onCorrected();
  };
  const checkClock = async () => {
    if (isFirst) {
      // The steady clock resumes from the last check. A hub that was killed may have stored later times since.
      await db.write((writer) => clampFutureSteadyTimes(writer, times, steadyClock.now()));
      isFirst = false;
    }
    const now = clock.now();
    const last = readLastTime(db);
    if (last !== null && now < last - toleranceMs) {
      await handleEarlierTime(now, last);
      return;
    }
    setBackAt = null;
    warning = null;
    const isNewLead = lastReading !== null && isSameAdvance(lastReading, { at: now, monotonic: clock.monotonic() });
    await writeSteadyTime((writer) => {
      if (last === null || now > last + toleranceMs) {
        saveGap(writer, last ?? findNewestSighting(db, now), now);
      }
      saveLastTime(writer, Math.max(now, last ?? now));
      if (steadyClock.aheadMs() >= leadMs) {
        resetSteadyClock(writer, isNewLead ? now : Number.MIN_SAFE_INTEGER);
      }
    });
    lastReading = { at: now, monotonic: clock.monotonic() };
  };
  const job = startJob(clock, log, { name: 'the look at the clock', firstMs: 0, everyMs: minuteMs, run: checkClock });
  return {
    /** Returns a statement while the clock is earlier than before; else null. */
    warning: () => warning,
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

/** What the wall clock (epoch milliseconds) and the monotonic clock (milliseconds) showed at a check. */
interface ClockReading {
  at: number;
  monotonic: number;
}

/** Whether both clocks advanced equally. A lead of the steady clock then arose between the two checks. */
function isSameAdvance(before: ClockReading, now: ClockReading): boolean {
  return Math.abs(now.at - before.at - (now.monotonic - before.monotonic)) < leadMs;
}

function readLastTime(db: Db): number | null {
  return (db.prepare('SELECT at FROM clock_look').get() as { at: number } | undefined)?.at ?? null;
}

/** Returns what the steady clock showed at the last check, in epoch milliseconds; null before the first check. */
export function readLastSteadyTime(db: Pick<Db, 'prepare'>): number | null {
  return db.prepare('SELECT coalesce(steady_at, at) FROM clock_look').pluck().get() as number | null;
}

function saveLastTime(writer: Writer, at: number): void {
  writer
    .prepare('INSERT INTO clock_look (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at')
    .run(at);
}

/** Stores that the clock jumped over the time between `from` and `to`, and drops the oldest gaps. */
function saveGap(writer: Writer, from: number, to: number): void {
  writer.prepare('INSERT INTO clock_gap (from_at, to_at) VALUES (?, ?)').run(from, to);
  writer
    .prepare('DELETE FROM clock_gap WHERE rowid NOT IN (SELECT rowid FROM clock_gap ORDER BY to_at DESC LIMIT ?)')
    .run(maxGaps);
}

/** Whether the clock jumped over `now` on its way to `last`: then the times after that gap are wrong. */
function isInGap(db: Db, now: number, last: number): boolean {
  return (
    db
      .prepare('SELECT 1 FROM clock_gap WHERE from_at <= ? AND to_at > ? AND to_at >= ?')
      .get(now + toleranceMs, now, last - trustedAfterMs) !== undefined
  );
}

/** Returns the last time for the first check: the newest sighting in the log, at most `now`. */
function findNewestSighting(db: Db, now: number): number {
  const { at } = db.prepare('SELECT max(last_seen) AS at FROM flow').get() as { at: number | null };
  return Math.min(at ?? now - maxBeforeFirstMs, now);
}

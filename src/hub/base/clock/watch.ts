// Looks at the clock every minute. When the clock was ahead and has come back, stored times later than now are corrected.
// A clock that is merely behind changes nothing: only a gap that the clock jumped over shows that its later times were
// wrong. Credentials expire in either case, because the steady clock goes on.

import type { Db, Writer } from '#kernel/sqlite/sqlite.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import { dayMs, minuteMs } from '#kernel/time/time.ts';
import type { Base } from '../feature.ts';
import { createStatement, type Statement } from '../statements.ts';
import { clampFutureSteadyTimes, clampFutureTimes, shiftSteadyTimes } from './clamp.ts';
import type { ClockCorrections } from './times.ts';

const lookEveryMs = minuteMs;
/** A difference that corrections of a clock, pauses of a machine and restarts explain. */
const toleranceMs = 300_000;
/** A lead of the steady clock that is worth a write. */
const leadMs = 1000;
const gapsKept = 32;
/** A clock that ran on for this long after a gap is right: an earlier time is then the wrong one. */
const believedAfterMs = 14 * dayMs;
/** The right time may be this long before the first start. Clocks without a battery show a time years ago. */
const beforeFirstMs = 366 * dayMs;

interface Options extends Pick<Base, 'clock' | 'steadyClock' | 'db' | 'log'> {
  times: readonly ClockCorrections[];
  /** Called after stored times were corrected. */
  onCorrected: () => void;
}

/** Looks at the clock at once, then every minute. */
export function startClockWatch({ db, clock, steadyClock, log, times, onCorrected }: Options) {
  /** `backSince`: the time of the first look that found the clock back. */
  const state: { backSince: number | null; warning: Statement | null; isFirst: boolean; looked: Look | null } = {
    backSince: null,
    warning: null,
    isFirst: true,
    looked: null,
  };

  const warn = (warning: Statement) => {
    if (state.warning === null) {
      log.warn({}, warning.sentence);
    }
    state.warning = warning;
  };
  /** Moves what the steady clock wrote after `after` to the time of the clock, which both show from then on. */
  const resetSteady = (writer: Writer, after: number): number => {
    const rows = shiftSteadyTimes(writer, times, { by: steadyClock.aheadMs(), after });
    steadyClock.reset();
    return rows;
  };
  /** After a write that fails, the steady clock goes on from where it was. */
  const writeLook = async (work?: (writer: Writer) => void): Promise<void> => {
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
  const correct = async (now: number) => {
    let rows = await db.write((writer) => clampFutureTimes(writer, times, now));
    await writeLook((writer) => {
      rows += resetSteady(writer, now);
      // It may come back further: the rest of a gap is still one.
      writer.prepare('DELETE FROM clock_gap WHERE from_at > ?').run(now - toleranceMs);
      writer.prepare('UPDATE clock_gap SET to_at = min(to_at, ?)').run(now);
      saveLook(writer, now);
    });
    return rows;
  };
  const handleEarlierTime = async (now: number, last: number) => {
    const wasAhead = isInGap(db, now, last);
    const behind = `the clock shows ${isoTime(now)}, earlier than before (${isoTime(last)})`;
    if (!wasAhead) {
      await writeLook();
      const sentence = `${behind}: set it if it is wrong; what was recorded stays as it is until the clock has caught up`;
      warn(createStatement('clock_back', sentence, { at: now }));
      return;
    }
    if (state.backSince === null || now < state.backSince - toleranceMs) {
      state.backSince = now;
      await writeLook();
      const sentence = `${behind}, and was ahead until now: what was recorded with later times is brought back in a minute`;
      warn(createStatement('clock_was_ahead', sentence, { at: now }));
      return;
    }
    const rows = await correct(now);
    state.backSince = null;
    state.warning = null;
    log.warn(
      { rows, aheadMs: last - now },
      `the clock was ahead and is right again: ${rows} rows with later times were brought back to now`,
    );
    onCorrected();
  };
  const look = async () => {
    if (state.isFirst) {
      // What was written after the last look of a hub that was killed may be later than the steady clock is known to be.
      await db.write((writer) => clampFutureSteadyTimes(writer, times, steadyClock.now()));
      state.isFirst = false;
    }
    const now = clock.now();
    const last = readLastLook(db);
    if (last !== null && now < last - toleranceMs) {
      await handleEarlierTime(now, last);
      return;
    }
    state.backSince = null;
    state.warning = null;
    const keptPace = state.looked !== null && hasKeptPace(state.looked, { at: now, monotonic: clock.monotonic() });
    await writeLook((writer) => {
      if (last === null || now > last + toleranceMs) {
        saveGap(writer, last ?? findNewestTime(db, now), now);
      }
      saveLook(writer, Math.max(now, last ?? now));
      if (steadyClock.aheadMs() >= leadMs) {
        resetSteady(writer, keptPace ? now : Number.MIN_SAFE_INTEGER);
      }
    });
    state.looked = { at: now, monotonic: clock.monotonic() };
  };
  const job = startJob(clock, log, { name: 'the look at the clock', firstMs: 0, everyMs: lookEveryMs, run: look });
  return {
    /** A statement while the clock is earlier than it was; else null. */
    warning: () => state.warning,
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

/** What both clocks showed at a look, in milliseconds. */
interface Look {
  at: number;
  monotonic: number;
}

/** Whether the clock advanced as much as time did: then a lead of the steady clock comes from a clock that was ahead between two looks. */
function hasKeptPace(before: Look, now: Look): boolean {
  return Math.abs(now.at - before.at - (now.monotonic - before.monotonic)) < leadMs;
}

function readLastLook(db: Db): number | null {
  return (db.prepare('SELECT at FROM clock_look').get() as { at: number } | undefined)?.at ?? null;
}

/** Returns what the steady clock showed at the last look; null before the first look. */
export function readLastSteadyTime(db: Pick<Db, 'prepare'>): number | null {
  return db.prepare('SELECT coalesce(steady_at, at) FROM clock_look').pluck().get() as number | null;
}

function saveLook(writer: Writer, at: number): void {
  writer
    .prepare('INSERT INTO clock_look (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at')
    .run(at);
}

/** Stores a gap that the clock jumped over, and drops the oldest ones. */
function saveGap(writer: Writer, from: number, to: number): void {
  writer.prepare('INSERT INTO clock_gap (from_at, to_at) VALUES (?, ?)').run(from, to);
  writer
    .prepare('DELETE FROM clock_gap WHERE rowid NOT IN (SELECT rowid FROM clock_gap ORDER BY to_at DESC LIMIT ?)')
    .run(gapsKept);
}

/** Whether the clock passed over `now` before it came to `last`: then all that came after has a wrong time. */
function isInGap(db: Db, now: number, last: number): boolean {
  return (
    db
      .prepare('SELECT 1 FROM clock_gap WHERE from_at <= ? AND to_at > ? AND to_at >= ?')
      .get(now + toleranceMs, now, last - believedAfterMs) !== undefined
  );
}

/** Stands for the last look when none is stored: the newest sighting of the log, at most `now`. */
function findNewestTime(db: Db, now: number): number {
  const { at } = db.prepare('SELECT max(last_seen) AS at FROM flow').get() as { at: number | null };
  return Math.min(at ?? now - beforeFirstMs, now);
}

// What has been sent and what is to be sent: the only writer of the tables sink_….
import type { Db, Writer } from '#kernel/sqlite/sqlite.ts';
import { hourOf } from '#kernel/time/time.ts';
import type { HoursFound, Unit } from '../connections/closed-hours/type.ts';

export interface SinkState {
  position: number | null;
  sweptAt: number | null;
  lastSentAt: number | null;
  /** Hours that the retention removed before they were sent. */
  lostHours: number;
}

/** Hours that are not sent yet, as whole hours since the epoch. */
export interface Backlog {
  hours: number;
  rows: number;
  oldest: number | null;
  /** Of these, hours whose rows the server refuses. */
  refused: number;
}

export type SinkStore = ReturnType<typeof createSinkStore>;

/** Time after which refused rows are tried again. */
const refusedMs = 21_600_000;

export function createSinkStore(db: Db) {
  return {
    state: () => readState(db),
    backlog: () => readBacklog(db),
    /** Starts over when rows were sent to another target before. */
    open: (target: string) => db.write((writer) => begin(writer, target)),
    /** Makes all hours due, also confirmed ones. */
    forget: () =>
      db.write((writer) => {
        writer.prepare('DELETE FROM sink_hour').run();
        writer.prepare('UPDATE sink_due SET is_check = 0, not_before = 0').run();
        writer.prepare('UPDATE sink_state SET position = NULL').run();
      }),
    /** Returns the hours that need not be counted again. */
    known: () => db.prepare('SELECT hour FROM sink_hour UNION SELECT hour FROM sink_due').pluck().all() as number[],
    /** Stores the result of a look. With `sweeps`, compares every hour, not only recent ones. */
    found: (found: HoursFound, options: { sweeps: boolean; recent: number; closedAt: number; now: number }) =>
      db.write((writer) => saveLook(writer, found, options)),
    /** At most `most` hours that are due at `now`: unsent hours, then hours to compare again, each from the oldest on. */
    due: (now: number, most: number) => findDueHours(db, now, most),
    /** Resolves to a version above all earlier ones. */
    nextVersion: (now: number) =>
      db.write((writer) => {
        const next = 'UPDATE sink_state SET version = max(version + 1, ?) RETURNING version';
        return (writer.prepare(next).get(now) as { version: number }).version;
      }),
    /** Stores that the server has the hours of `unit`, whether they were sent or had not changed. */
    sent: (unit: Unit, looks: ReadonlyMap<number, number>, now: number) =>
      db.write((writer) => saveSent(writer, unit, looks, now)),
    /** Stores that the server refuses rows of this hour, which becomes due again after `refusedMs`. */
    refused: (hour: number, now: number) =>
      db.write((writer) => {
        writer.prepare('UPDATE sink_due SET not_before = ?, is_check = 0 WHERE hour = ?').run(now + refusedMs, hour);
      }),
    /** Makes refused hours due now. */
    tryRefused: () =>
      db.write((writer) => {
        writer.prepare('UPDATE sink_due SET not_before = 0').run();
      }),
  };
}

function readState(db: Db): SinkState {
  const columns = 'position, swept_at AS sweptAt, last_sent_at AS lastSentAt, lost_hours AS lostHours';
  const row = db.prepare(`SELECT ${columns} FROM sink_state`).get() as SinkState | undefined;
  return row ?? { position: null, sweptAt: null, lastSentAt: null, lostHours: 0 };
}

function readBacklog(db: Db): Backlog {
  return db
    .prepare(
      `SELECT count(*) AS hours, coalesce(sum(rows), 0) AS rows, min(hour) AS oldest,
         count(*) FILTER (WHERE not_before > 0) AS refused FROM sink_due WHERE is_check = 0`,
    )
    .get() as Backlog;
}

function begin(writer: Writer, target: string): void {
  const before = writer.prepare('SELECT target FROM sink_state').get() as { target: string } | undefined;
  if (before?.target !== target) {
    writer.prepare('DELETE FROM sink_hour').run();
    writer.prepare('DELETE FROM sink_due').run();
    writer
      .prepare(
        `INSERT INTO sink_state (id, target) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET
           target = excluded.target, position = NULL, swept_at = NULL, last_sent_at = NULL, lost_hours = 0`,
      )
      .run(target);
  }
}

/** Hours without a confirmation become due. Hours that changed or are recent, or all, are compared again. */
function saveLook(
  writer: Writer,
  { position, hours, changed, rows }: HoursFound,
  { sweeps, recent, closedAt, now }: { sweeps: boolean; recent: number; closedAt: number; now: number },
): void {
  const { look } = writer
    .prepare('UPDATE sink_state SET look = look + 1, position = ? RETURNING look')
    .get(position) as {
    look: number;
  };
  const sent = new Set(writer.prepare('SELECT hour FROM sink_hour').pluck().all() as number[]);
  const due = new Set(writer.prepare('SELECT hour FROM sink_due').pluck().all() as number[]);
  const rowsOf = new Map(rows);
  const put = writer.prepare(
    `INSERT INTO sink_due (hour, rows, is_check, look) VALUES (?, ?, ?, ?)
     ON CONFLICT (hour) DO UPDATE SET look = excluded.look, rows = max(rows, excluded.rows)`,
  );
  const isAll = sweeps || changed === null;
  const again = new Set(isAll ? hours : [...(changed ?? []), ...recentHours(hours, sent, due, recent)]);
  for (const hour of hours) {
    if (again.has(hour) || !(sent.has(hour) || due.has(hour))) {
      put.run(hour, rowsOf.get(hour) ?? 0, sent.has(hour) ? 1 : 0, look);
    }
  }
  if (isAll) {
    writer.prepare('UPDATE sink_state SET swept_at = ?').run(now);
  }
  dropRemoved(writer, hours, hourOf(closedAt), due, sent);
}

/** After a new hour, the hours before it are compared again: names become known later than the traffic. */
function recentHours(
  hours: readonly number[],
  sent: ReadonlySet<number>,
  due: ReadonlySet<number>,
  recent: number,
): readonly number[] {
  const newest = hours.at(-1);
  return newest === undefined || sent.has(newest) || due.has(newest) ? [] : hours.slice(-recent);
}

/**
 * Drops hours that are no longer in the log. Unsent hours before its first hour are lost: the retention removed them.
 * Hours that are not closed, because the clock was set back, stay.
 */
function dropRemoved(
  writer: Writer,
  hours: readonly number[],
  open: number,
  due: ReadonlySet<number>,
  sent: ReadonlySet<number>,
): void {
  const drop = writer.prepare('DELETE FROM sink_due WHERE hour = ? RETURNING is_check AS isCheck');
  const forget = writer.prepare('DELETE FROM sink_hour WHERE hour = ?');
  const inLog = new Set(hours);
  const first = hours[0] ?? open;
  const gone = (known: ReadonlySet<number>) => [...known].filter((hour) => hour < open && !inLog.has(hour));
  const unsent = gone(due).filter((hour) => (drop.get(hour) as { isCheck: number }).isCheck === 0);
  const lost = unsent.filter((hour) => hour < first);
  for (const hour of gone(sent)) {
    forget.run(hour);
  }
  writer.prepare('UPDATE sink_state SET lost_hours = lost_hours + ?').run(lost.length);
}

/** A retry time beyond `refusedMs` means that the clock was set back: the hour is due. */
function findDueHours(db: Db, now: number, most: number) {
  const rows = db
    .prepare(
      `SELECT d.hour, d.look, h.digest FROM sink_due d LEFT JOIN sink_hour h ON h.hour = d.hour
       WHERE d.not_before <= ? OR d.not_before > ? ORDER BY d.is_check, d.hour LIMIT ?`,
    )
    .all(now, now + refusedMs, most) as { hour: number; look: number; digest: Uint8Array | null }[];
  return {
    wanted: rows.map(({ hour, digest }) => ({ hour, digest })),
    looks: new Map(rows.map(({ hour, look }) => [hour, look])),
  };
}

function saveSent(writer: Writer, unit: Unit, looks: ReadonlyMap<number, number>, now: number): void {
  const put = writer.prepare('INSERT OR REPLACE INTO sink_hour (hour, rows, digest) VALUES (?, ?, ?)');
  const done = writer.prepare('DELETE FROM sink_due WHERE hour = ? AND look = ?');
  const changed = writer.prepare('UPDATE sink_due SET is_check = 1, not_before = 0 WHERE hour = ?');
  for (const { hour, rows, digest } of unit.hours) {
    put.run(hour, rows, digest);
    done.run(hour, looks.get(hour) ?? 0);
    changed.run(hour);
  }
  if (unit.bodies.length > 0) {
    writer.prepare('UPDATE sink_state SET last_sent_at = ?').run(now);
  }
}

// Reads what became of the events of a destination, and deletes what is old.
import type { ToldState } from '#contract/destinations.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import type { ToldEvent } from '../base/told-event.ts';

/** SQL conditions for rows of the destination `@destination`. */
export const isWaiting = 'destination = @destination AND message_id IS NULL AND withdrawn_at IS NULL';
export const isOpen = "destination = @destination AND state = 'open'";

/** Deletes what was delivered or given up before `before`, and everything of destinations that are not in `known`. */
export function pruneOutbox(db: Db, before: number, known: readonly string[]) {
  return db.write((writer) => {
    const isOld = "state <> 'open' AND ended_at < ?";
    writer
      .prepare(`DELETE FROM outbox_event WHERE message_id IN (SELECT id FROM outbox_message WHERE ${isOld})`)
      .run(before);
    writer.prepare('DELETE FROM outbox_event WHERE withdrawn_at < ?').run(before);
    writer.prepare(`DELETE FROM outbox_message WHERE ${isOld}`).run(before);
    for (const table of ['outbox_event', 'outbox_message']) {
      const isUnknown = 'destination NOT IN (SELECT value FROM json_each(?))';
      writer.prepare(`DELETE FROM ${table} WHERE ${isUnknown}`).run(JSON.stringify(known));
    }
  });
}

export function countUndelivered(db: Pick<Db, 'prepare'>, destination: string) {
  return db
    .prepare(
      `SELECT count(*) AS waiting, min(created_at) AS oldestAt FROM outbox_event
       WHERE (${isWaiting}) OR message_id IN (SELECT id FROM outbox_message WHERE ${isOpen})`,
    )
    .get({ destination }) as { waiting: number; oldestAt: number | null };
}

export function getDeliveryState(db: Pick<Db, 'prepare'>, destination: string) {
  const lastSent = db
    .prepare(
      "SELECT ended_at AS at FROM outbox_message WHERE destination = ? AND state = 'sent' ORDER BY ended_at DESC LIMIT 1",
    )
    .get(destination) as { at: number } | undefined;
  const lastFailed = db
    .prepare(
      `SELECT failed_at AS at, error FROM outbox_message WHERE destination = ? AND failed_at IS NOT NULL
       ORDER BY failed_at DESC LIMIT 1`,
    )
    .get(destination) as { at: number; error: string } | undefined;
  const isFailing = lastFailed !== undefined && lastFailed.at > (lastSent?.at ?? 0);
  return {
    /** Number of events that are not delivered yet. */
    waiting: countUndelivered(db, destination).waiting,
    lastSentAt: lastSent?.at ?? null,
    lastFailedAt: lastFailed?.at ?? null,
    lastError: isFailing ? lastFailed.error : null,
  };
}

interface LastRow {
  content: string;
  putAt: number;
  state: 'open' | 'sent' | 'given_up' | null;
  attempts: number | null;
  endedAt: number | null;
  error: string | null;
  withdrawnAt: number | null;
}

export function listLast(db: Pick<Db, 'prepare'>, destination: string, count: number) {
  const rows = db
    .prepare(
      `SELECT e.content, e.created_at AS putAt, m.state, m.attempts, m.ended_at AS endedAt, m.error, e.withdrawn_at AS withdrawnAt
       FROM outbox_event e LEFT JOIN outbox_message m ON m.id = e.message_id
       WHERE e.destination = ? ORDER BY e.id DESC LIMIT ?`,
    )
    .all(destination, count) as LastRow[];
  return rows.map(({ content, putAt, state, attempts, endedAt, error, withdrawnAt }) => {
    const { kind, state: of, title, at } = JSON.parse(content) as ToldEvent;
    const delivery: ToldState =
      withdrawnAt !== null || state === 'given_up' ? 'given_up' : state === 'sent' ? 'delivered' : 'waiting';
    const stopped = delivery === 'waiting' ? null : (endedAt ?? withdrawnAt);
    return { kind, state: of, title, at, putAt, delivery, attempts: attempts ?? 0, endedAt: stopped, error };
  });
}

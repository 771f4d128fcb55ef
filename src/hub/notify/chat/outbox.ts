// Alerts on their way to the chat workspace, in the database: put in with the detection, taken out when delivered.
import { chatLimits } from '#contract/chat-limits.ts';
import type { Db, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { createId } from '#kernel/text/secret.ts';
import type { ChatAlert } from '../../base/chat-alert.ts';
import { formatAlert, formatDigest } from './message-text.ts';

/** The one message that is being delivered. */
export interface OpenMessage {
  id: number;
  /** UUID that goes with every try. */
  clientId: string;
  text: string;
  attempts: number;
  createdAt: number;
  /** Not to be tried before, epoch milliseconds. */
  nextAt: number;
}

export type DeliveryState = ReturnType<typeof readDeliveryState>;

export type Outbox = ReturnType<typeof createOutbox>;

interface WaitingRow {
  id: number;
  content: string;
}

const waiting = 'message_id IS NULL AND withdrawn_at IS NULL';
const openColumns = `id, client_id AS clientId, text, attempts, created_at AS createdAt, next_at AS nextAt`;

/** Called with the keys of alerts in the transaction that marks their message as delivered, at `now`. */
export type MarkSent = (writer: Writer, keys: readonly string[], now: number) => WriteSteps<void>;

export function createOutbox(db: Db, onSent: MarkSent) {
  const openMessage = (from: Pick<Db, 'prepare'>) =>
    from.prepare(`SELECT ${openColumns} FROM chat_message WHERE state = 'open'`).get() as OpenMessage | undefined;
  const messagesSince = (from: number, to: number) =>
    (
      db
        .prepare(
          'SELECT created_at AS at FROM chat_message WHERE created_at > ? AND created_at <= ? ORDER BY created_at',
        )
        .all(from, to) as { at: number }[]
    ).map(({ at }) => at);
  const end = (writer: Writer, id: number, state: 'sent' | 'given_up', now: number) =>
    writer.prepare('UPDATE chat_message SET state = ?, ended_at = ? WHERE id = ?').run(state, now, id);

  return {
    /** Puts an alert in within the caller's transaction; one whose key is known changes nothing. */
    put(writer: Writer, { key, ...content }: ChatAlert, now: number) {
      writer
        .prepare('INSERT INTO chat_alert (key, created_at, content) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING')
        .run(key, now, JSON.stringify(content));
    },
    /**
     * The message to deliver: the open one, else one made of what waits; a time when the next may be made, else null.
     * Five messages a minute at most: more alerts are combined into one message afterwards.
     */
    next: async (now: number) => {
      const open = openMessage(db);
      if (open) {
        return open;
      }
      const oldest = db.prepare(`SELECT created_at AS at FROM chat_alert WHERE ${waiting} ORDER BY id LIMIT 1`).get() as
        | { at: number }
        | undefined;
      if (!oldest) {
        return null;
      }
      const [first, ...others] = messagesSince(now - chatLimits.chatMinuteMs, now);
      if (first !== undefined && others.length + 1 >= chatLimits.chatMessagesPerMinute) {
        return { notBefore: first + chatLimits.chatMinuteMs };
      }
      const then = messagesSince(oldest.at - chatLimits.chatMinuteMs, oldest.at).length;
      const taken = Math.max(then, first === undefined ? 0 : others.length + 1);
      return db.write((writer) => compose(writer, chatLimits.chatMessagesPerMinute - taken, now));
    },
    /** Marks the message as delivered and calls `onSent` with the keys of its alerts, in the same transaction; returns them. */
    sent: (message: OpenMessage, now: number) =>
      db.write(function* (writer) {
        end(writer, message.id, 'sent', now);
        const alerts = writer.prepare('SELECT key FROM chat_alert WHERE message_id = ?').all(message.id);
        const keys = (alerts as { key: string }[]).map(({ key }) => key);
        yield* onSent(writer, keys, now);
        return keys;
      }),
    /** Schedules the next try at `nextAt`; gives the message up when that is null. */
    failed: (message: OpenMessage, error: string, now: number, nextAt: number | null) =>
      db.write((writer) => {
        writer
          .prepare(
            'UPDATE chat_message SET attempts = attempts + 1, failed_at = ?, error = ?, next_at = ? WHERE id = ?',
          )
          .run(now, error, nextAt ?? now, message.id);
        if (nextAt === null) {
          end(writer, message.id, 'given_up', now);
        }
      }),
    /** Gives up alerts that were put in before `before`, because they are too old or nobody is to be notified. */
    withdraw: (before: number, now: number) =>
      db.write((writer) => {
        const open = openMessage(writer);
        if (open && open.createdAt < before) {
          end(writer, open.id, 'given_up', now);
        }
        writer.prepare(`UPDATE chat_alert SET withdrawn_at = ? WHERE ${waiting} AND created_at < ?`).run(now, before);
      }),
    /** Lets the open message be tried at once. */
    retryNow: (now: number) =>
      db.write((writer) => void writer.prepare("UPDATE chat_message SET next_at = ? WHERE state = 'open'").run(now)),
    state: () => readDeliveryState(db),
    /** When the oldest alert that is not delivered was put in; null when there is none. */
    oldestAt: () => readOldestAt(db),
    /** Deletes alerts and messages that were delivered or given up before `before`. */
    prune: (before: number) =>
      db.write((writer) => {
        const isOld = "state <> 'open' AND ended_at < ?";
        writer
          .prepare(`DELETE FROM chat_alert WHERE message_id IN (SELECT id FROM chat_message WHERE ${isOld})`)
          .run(before);
        writer.prepare('DELETE FROM chat_alert WHERE withdrawn_at < ?').run(before);
        writer.prepare(`DELETE FROM chat_message WHERE ${isOld}`).run(before);
      }),
  };
}

function readDeliveryState(db: Pick<Db, 'prepare'>) {
  const { count } = db
    .prepare(
      `SELECT (SELECT count(*) FROM chat_alert WHERE ${waiting}) + (SELECT count(*) FROM chat_alert
             WHERE message_id = (SELECT id FROM chat_message WHERE state = 'open')) AS count`,
    )
    .get() as { count: number };
  const lastSent = db
    .prepare("SELECT ended_at AS at FROM chat_message WHERE state = 'sent' ORDER BY ended_at DESC LIMIT 1")
    .get() as { at: number } | undefined;
  const lastFailed = db
    .prepare('SELECT failed_at AS at, error FROM chat_message WHERE error IS NOT NULL ORDER BY failed_at DESC LIMIT 1')
    .get() as { at: number; error: string } | undefined;
  const isFailing = lastFailed !== undefined && lastFailed.at > (lastSent?.at ?? 0);
  return {
    /** Alerts that no message contains yet. */
    waiting: count,
    lastSentAt: lastSent?.at ?? null,
    lastFailedAt: lastFailed?.at ?? null,
    lastError: isFailing ? lastFailed.error : null,
  };
}

function readOldestAt(db: Pick<Db, 'prepare'>): number | null {
  return db
    .prepare(
      `SELECT min(created_at) FROM chat_alert
       WHERE (${waiting}) OR message_id = (SELECT id FROM chat_message WHERE state = 'open')`,
    )
    .pluck()
    .get() as number | null;
}

/**
 * Makes a message of the oldest alert that waits; of all that have no text of several lines when there are more than
 * `places` for single ones and the oldest is one of them: such a text is not said in a line.
 */
function* compose(writer: Writer, places: number, now: number): WriteSteps<OpenMessage | null> {
  const rows = writer.prepare(`SELECT id, content FROM chat_alert WHERE ${waiting} ORDER BY id`).all() as WaitingRow[];
  const parsed: { id: number; alert: ChatAlert }[] = [];
  for (const { id, content } of rows.length > places ? rows : rows.slice(0, 1)) {
    parsed.push({ id, alert: JSON.parse(content) as ChatAlert });
    yield;
  }
  const isAlone = parsed[0]?.alert.body !== undefined;
  const included = isAlone ? parsed.slice(0, 1) : parsed.filter(({ alert }) => alert.body === undefined);
  const alerts = included.map(({ alert }) => alert);
  const [only] = alerts;
  if (!only) {
    return null;
  }
  const text = alerts.length === 1 ? formatAlert(only) : formatDigest(alerts);
  const message = writer
    .prepare(
      `INSERT INTO chat_message (client_id, text, state, created_at, next_at) VALUES (?, ?, 'open', ?, ?)
       RETURNING ${openColumns}`,
    )
    .get(createId(), text, now, now) as OpenMessage;
  const assign = writer.prepare('UPDATE chat_alert SET message_id = ? WHERE id = ?');
  for (const { id } of included) {
    assign.run(message.id, id);
    yield;
  }
  return message;
}

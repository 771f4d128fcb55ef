// The outbox of one destination, in the database. An event is put in by the transaction of what happened, and stays until it is delivered.
import type { Db, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { ToldEvent } from '../base/told-event.ts';
import { nextMessage, type OpenMessage, type QueueOptions } from './outbox-queue.ts';
import { countUndelivered, getDeliveryState, isOpen, isWaiting, listLast } from './outbox-state.ts';

export type Outbox = ReturnType<typeof createOutbox>;

/** Called with the keys of events in the transaction that marks their message as delivered, at `now`. */
export type MarkSent = (writer: Writer, keys: readonly string[], now: number) => WriteSteps<void>;

export interface OutboxOptions extends QueueOptions {
  onSent?: MarkSent;
}

export function createOutbox(options: OutboxOptions) {
  const { db, destination, onSent } = options;
  const end = (writer: Writer, id: number, state: 'sent' | 'given_up', now: number) =>
    writer.prepare('UPDATE outbox_message SET state = ?, ended_at = ? WHERE id = ?').run(state, now, id);

  return {
    /** Puts an event in within the caller's transaction; one whose key is known changes nothing. */
    put(writer: Writer, { key, ...content }: ToldEvent, now: number) {
      writer
        .prepare(
          `INSERT INTO outbox_event (destination, key, created_at, content) VALUES (?, ?, ?, ?)
           ON CONFLICT (destination, key) DO NOTHING`,
        )
        .run(destination, key, now, JSON.stringify(content));
    },
    /** Whether one of these events was put in for this destination. */
    hasAny: (reader: Pick<Db, 'prepare'>, keys: readonly string[]) =>
      reader
        .prepare('SELECT 1 FROM outbox_event WHERE destination = ? AND key IN (SELECT value FROM json_each(?)) LIMIT 1')
        .get(destination, JSON.stringify(keys)) !== undefined,
    next: (now: number, dangerOnly?: boolean) => nextMessage(options, now, dangerOnly),
    /** Marks the message as delivered and calls `onSent` with the keys of its events, in the same transaction; returns them. */
    sent: (message: OpenMessage, now: number) =>
      db.write(function* (writer) {
        end(writer, message.id, 'sent', now);
        const find = writer.prepare('SELECT key FROM outbox_event WHERE message_id = ?').pluck();
        const keys = find.all(message.id) as string[];
        yield* onSent?.(writer, keys, now) ?? [];
        return keys;
      }),
    /** Schedules the next try at `nextAt`; gives the message up when that is null. */
    failed: (message: OpenMessage, error: string, now: number, nextAt: number | null) =>
      db.write((writer) => {
        writer
          .prepare(
            'UPDATE outbox_message SET attempts = attempts + 1, failed_at = ?, error = ?, next_at = ? WHERE id = ?',
          )
          .run(now, error, nextAt ?? now, message.id);
        if (nextAt === null) {
          end(writer, message.id, 'given_up', now);
        }
      }),
    /** Gives up events that were put in before `before`, because they are too old or nobody is to be notified. */
    withdraw: (before: number, now: number) =>
      db.write((writer) => {
        const values = { destination, before, now };
        writer
          .prepare(
            `UPDATE outbox_message SET state = 'given_up', ended_at = @now WHERE ${isOpen} AND created_at < @before`,
          )
          .run(values);
        writer
          .prepare(`UPDATE outbox_event SET withdrawn_at = @now WHERE ${isWaiting} AND created_at < @before`)
          .run(values);
      }),
    /** Lets the open message be tried at once. */
    retryNow: (now: number) =>
      db.write((writer) => {
        writer.prepare(`UPDATE outbox_message SET next_at = @now WHERE ${isOpen}`).run({ destination, now });
      }),
    /** Deletes everything of this destination. */
    forget: () =>
      db.write((writer) => {
        writer.prepare('DELETE FROM outbox_event WHERE destination = ?').run(destination);
        writer.prepare('DELETE FROM outbox_message WHERE destination = ?').run(destination);
      }),
    state: () => getDeliveryState(db, destination),
    /** The last `count` events, newest first, and what became of them. */
    listLast: (count: number) => listLast(db, destination, count),
    /** When the oldest event that is not delivered was put in; null when there is none. */
    oldestAt: () => countUndelivered(db, destination).oldestAt,
  };
}

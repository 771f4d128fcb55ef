// Finds or makes the message that an outbox delivers next.
import type { Db, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { createId } from '#kernel/text/secret.ts';
import type { ToldEvent } from '../base/told-event.ts';
import { isOpen, isWaiting } from './outbox-state.ts';

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

/** Returns when messages were made after `from` and until `to`, epoch milliseconds. */
export type ListMade = (from: number, to: number) => readonly number[];

export interface QueueOptions {
  db: Db;
  /** `chat`, or the id of a destination. */
  destination: string;
  /** The text that every try of a message sends. */
  format(events: readonly ToldEvent[]): string;
  /** How many messages of one event may be made now, the oldest of which waits since `oldestAt`. Absent: any number. */
  countPlaces?: (listMade: ListMade, oldestAt: number, now: number) => number | { notBefore: number };
}

interface WaitingRow {
  id: number;
  key: string;
  content: string;
}

const isDanger = "content ->> 'level' = 'danger'";
const isOfDanger = `EXISTS (SELECT 1 FROM outbox_event e WHERE e.message_id = outbox_message.id AND ${isDanger})`;
const columns = 'id, client_id AS clientId, text, attempts, created_at AS createdAt, next_at AS nextAt';

/**
 * Resolves to the message to deliver: the open one, else one made of what waits; a time when the next may be made, else
 * null. `dangerOnly`: only what is dangerous counts, ahead of older events that go on waiting.
 */
export async function nextMessage(options: QueueOptions, now: number, dangerOnly = false) {
  const { db, destination, countPlaces } = options;
  const open = db
    .prepare(
      `SELECT ${columns} FROM outbox_message WHERE ${isOpen} ${dangerOnly ? `AND ${isOfDanger}` : ''} ORDER BY id LIMIT 1`,
    )
    .get({ destination }) as OpenMessage | undefined;
  if (open) {
    return open;
  }
  const counted = dangerOnly ? `${isWaiting} AND ${isDanger}` : isWaiting;
  const oldestAt = db
    .prepare(`SELECT created_at FROM outbox_event WHERE ${counted} ORDER BY id LIMIT 1`)
    .pluck()
    .get({ destination }) as number | undefined;
  if (oldestAt === undefined) {
    return null;
  }
  const listMade: ListMade = (from, to) =>
    db
      .prepare(
        `SELECT created_at FROM outbox_message WHERE destination = ? AND created_at > ? AND created_at <= ?
         ORDER BY created_at`,
      )
      .pluck()
      .all(destination, from, to) as number[];
  const places = countPlaces?.(listMade, oldestAt, now) ?? Number.POSITIVE_INFINITY;
  return typeof places === 'object' ? places : db.write((writer) => compose(writer, options, { places, counted, now }));
}

/**
 * Makes a message of the oldest event that counts; of all that have no text of several lines when there are more than
 * `places` for single ones and the oldest is one of them: such a text is not said in a line.
 */
function* compose(
  writer: Writer,
  { destination, format }: QueueOptions,
  { places, counted, now }: { places: number; counted: string; now: number },
): WriteSteps<OpenMessage | null> {
  const most = places === Number.POSITIVE_INFINITY ? 'LIMIT 1' : '';
  const rows = writer
    .prepare(`SELECT id, key, content FROM outbox_event WHERE ${counted} ORDER BY id ${most}`)
    .all({ destination }) as WaitingRow[];
  const parsed: { id: number; event: ToldEvent }[] = [];
  for (const { id, key, content } of rows.length > places ? rows : rows.slice(0, 1)) {
    parsed.push({ id, event: { key, ...(JSON.parse(content) as Omit<ToldEvent, 'key'>) } });
    yield;
  }
  const isAlone = parsed[0]?.event.body !== undefined;
  const included = isAlone ? parsed.slice(0, 1) : parsed.filter(({ event }) => event.body === undefined);
  if (included.length === 0) {
    return null;
  }
  const message = writer
    .prepare(
      `INSERT INTO outbox_message (destination, client_id, text, state, created_at, next_at)
       VALUES (?, ?, ?, 'open', ?, ?) RETURNING ${columns}`,
    )
    .get(destination, createId(), format(included.map(({ event }) => event)), now, now) as OpenMessage;
  const assign = writer.prepare('UPDATE outbox_event SET message_id = ? WHERE id = ?');
  for (const { id } of included) {
    assign.run(message.id, id);
    yield;
  }
  return message;
}

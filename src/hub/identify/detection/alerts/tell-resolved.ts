// Whoever was told of an alert learns that it is resolved, where people want that.
import { limits } from '#contract/limits.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { Telling } from '../../../base/told-event.ts';
import { toResolvedEvent } from '../alert-message.ts';
import type { MessageLinks } from './message-links.ts';
import { readAlert } from './queries.ts';

export interface ResolvedTellerOptions {
  telling: Pick<Telling, 'put' | 'tellsResolved'>;
  links: Pick<MessageLinks, 'toAlert'>;
}

export interface Resolution {
  id: number;
  /** The event of the history that resolved it. */
  eventId: number;
  /** Who did it; null: the hub. */
  by: string | null;
  now: number;
}

/** Queues the message in the transaction that resolves the alert. A rule that keeps the alert quiet keeps this quiet too. */
export type TellResolved = (writer: Writer, resolution: Resolution) => void;

export function createResolvedTeller({ telling, links }: ResolvedTellerOptions): TellResolved {
  return (writer, { id, eventId, by, now }) => {
    const told = telling.tellsResolved() ? findTold(writer, eventId) : null;
    if (told === null) {
      return;
    }
    const alert = readAlert(writer, id, now);
    if (alert.state === 'resolved') {
      const link = links.toAlert(id);
      const event = { ...toResolvedEvent(`resolved|${eventId}`, alert, by, now), ...(link && { link }) };
      const isRemembered = told.since > now - limits.chatRecordMs;
      telling.put(writer, event, now, isRemembered ? { after: told.keys } : {});
    }
  };
}

/**
 * The keys of the events about the alert, and when the first was made; null when the alert was resolved before this event of
 * the history, or nobody was told of it. Who was told long ago is forgotten: then everybody who wants it is told.
 */
function findTold(writer: Writer, eventId: number): { since: number; keys: string[] } | null {
  const rows = writer
    .prepare(
      `SELECT l.chat_key AS key, l.detected_at AS at FROM alert_event e JOIN detection l ON l.alert_id = e.alert_id
       WHERE e.id = ? AND e.state_before <> 'resolved' AND l.chat_key IS NOT NULL ORDER BY l.detected_at`,
    )
    .all(eventId) as { key: string; at: number }[];
  const [first] = rows;
  return first ? { since: first.at, keys: rows.map(({ key }) => key) } : null;
}

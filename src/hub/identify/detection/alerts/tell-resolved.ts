// Tells that an alert is resolved to whoever was told of the alert and wants to know.
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
    const toldSince = telling.tellsResolved() ? findToldSince(writer, eventId) : null;
    if (toldSince === null) {
      return;
    }
    const alert = readAlert(writer, id, now);
    if (alert.state === 'resolved') {
      const link = links.toAlert(id);
      const event = { ...toResolvedEvent(`resolved|${eventId}`, alert, by, now), ...(link && { link }) };
      // The outbox forgets after 30 days who was told. Then everybody who wants to know is told.
      const isRemembered = toldSince > now - limits.chatRecordMs;
      telling.put(writer, event, now, isRemembered ? { after: listToldKeys(writer, eventId) } : {});
    }
  };
}

const toldDetections = `FROM alert_event e JOIN detection l ON l.alert_id = e.alert_id
  WHERE e.id = ? AND e.state_before <> 'resolved' AND l.chat_key IS NOT NULL`;

/** When people were told of the alert first; null when it was resolved before this event of the history, or nobody was told. */
function findToldSince(writer: Writer, eventId: number): number | null {
  return writer.prepare(`SELECT min(l.detected_at) ${toldDetections}`).pluck().get(eventId) as number | null;
}

/** Keys of the events about the alert. */
function listToldKeys(writer: Writer, eventId: number): string[] {
  return writer.prepare(`SELECT l.chat_key ${toldDetections}`).pluck().all(eventId) as string[];
}

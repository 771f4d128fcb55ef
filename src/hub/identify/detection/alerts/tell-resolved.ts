// The chat workspace learns that an alert is resolved, where people want that and the workspace was told of the alert.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { AlertChannel } from '../../../base/chat-alert.ts';
import { toResolvedAlert } from '../alert-message.ts';
import type { MessageLinks } from './message-links.ts';
import { readAlert } from './queries.ts';

export interface ResolvedTellerOptions {
  chat: Pick<AlertChannel, 'isReady' | 'put' | 'tellsResolved'>;
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

export function createResolvedTeller({ chat, links }: ResolvedTellerOptions): TellResolved {
  return (writer, { id, eventId, by, now }) => {
    if (!chat.tellsResolved() || !chat.isReady() || !isResolutionOfToldAlert(writer, eventId)) {
      return;
    }
    const alert = readAlert(writer, id, now);
    if (alert.state === 'resolved') {
      const link = links.toAlert(id);
      chat.put(writer, { ...toResolvedAlert(`resolved|${eventId}`, alert, by, now), ...(link && { link }) }, now);
    }
  };
}

/** Whether the alert was not resolved before the event, and a message about it was made for the workspace. */
function isResolutionOfToldAlert(writer: Writer, eventId: number): boolean {
  const row = writer
    .prepare(
      `SELECT 1 FROM alert_event e WHERE e.id = ? AND e.state_before <> 'resolved'
         AND EXISTS (SELECT 1 FROM detection l WHERE l.alert_id = e.alert_id AND l.chat_key IS NOT NULL)`,
    )
    .get(eventId);
  return row !== undefined;
}

// Sends a sentence to the chosen destinations, and stores the outcome as an event. No provider is asked.
import type { AiNotificationEvent } from '#contract/ai-notifications.ts';
import { createId } from '#kernel/text/secret.ts';
import type { ChatFeature } from '../../../notify/chat/feature.ts';
import { appendEvent, markEventsSent } from './event-log.ts';
import { type MakingOptions, publish, toFailureMembers } from './making.ts';

type Options = Pick<MakingOptions, 'clock' | 'db' | 'live' | 'settings'> & { chat: Pick<ChatFeature, 'sendTest'> };

/** Rejects as `SendTest` when the chat workspace does not take it; the event of that is stored. */
export async function testDestinations(options: Options): Promise<AiNotificationEvent> {
  const { clock, db, chat, settings } = options;
  const { ui, chat: toChat } = settings().ai.notifications.destinations;
  const at = clock.now();
  const eventId = createId();
  const event = {
    eventId,
    triggerType: 'test' as const,
    triggerKey: null,
    cause: 'test',
    createdAt: at,
    rangeFrom: at,
    rangeTo: at,
    provider: null,
    model: null,
  };
  const store = (rest: ReturnType<typeof toFailureMembers>, sentAt: number | null) =>
    db.save(function* (writer) {
      appendEvent(writer, { ...event, ...rest });
      if (rest.chatKey !== null && sentAt !== null) {
        yield* markEventsSent(writer, [rest.chatKey], sentAt);
      }
    });
  try {
    if (toChat) {
      await chat.sendTest('Gatehouse can send analyses here');
    }
  } catch (error) {
    await store(toFailureMembers(error), null);
    publish(options, eventId);
    throw error;
  }
  const chatKey = toChat ? `ai|${eventId}` : null;
  const body = ui ? 'Gatehouse can show analyses here.' : null;
  await store({ ...toFailureMembers(null), errorCode: null, body, chatKey }, clock.now());
  return publish(options, eventId);
}

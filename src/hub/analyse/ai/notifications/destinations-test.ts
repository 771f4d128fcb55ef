// Sends a sentence to the chosen destinations, and stores the outcome as an event. No provider is asked.
import type { AiNotificationEvent } from '#contract/ai-notifications.ts';
import { createId } from '#kernel/text/secret.ts';
import type { ChatFeature } from '../../../notify/chat/feature.ts';
import { type AnalysisMakerOptions, noAnswer, publish, toErrorCode } from './analysis-maker.ts';
import { appendEvent, markEventsSent, type NewEvent } from './event-log.ts';

type Options = Pick<AnalysisMakerOptions, 'clock' | 'db' | 'live' | 'settings'> & {
  chat: Pick<ChatFeature, 'sendTest'>;
};

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
    ...noAnswer,
  };
  const store = (rest: Pick<NewEvent, 'body' | 'chatKey' | 'errorCode'>, sentAt: number | null) =>
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
    await store({ body: null, chatKey: null, errorCode: toErrorCode(error) }, null);
    publish(options, eventId);
    throw error;
  }
  const chatKey = toChat ? `ai|${eventId}` : null;
  const body = ui ? 'Gatehouse can show analyses here.' : null;
  await store({ body, chatKey, errorCode: null }, clock.now());
  return publish(options, eventId);
}

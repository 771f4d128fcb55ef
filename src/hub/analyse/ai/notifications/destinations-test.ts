// Sends a fixed sentence to the destinations of AI notifications, and stores the outcome. No AI provider is asked.
import type { AiNotificationEvent } from '#contract/ai-notifications.ts';
import { createId } from '#kernel/text/secret.ts';
import type { ChatFeature } from '../../../notify/chat/feature.ts';
import { type AnalysisMakerOptions, noAnswer, publish, toErrorCode } from './analysis-maker.ts';
import { appendEvent, markEventsSent, type NewEvent } from './event-log.ts';

type DestinationsTestOptions = Pick<AnalysisMakerOptions, 'clock' | 'db' | 'live' | 'settings'> & {
  chat: Pick<ChatFeature, 'sendTest'>;
};

/** Resolves with the stored event. When `sendTest` rejects, stores a failed event and rejects with the same error. */
export async function testDestinations(options: DestinationsTestOptions): Promise<AiNotificationEvent> {
  const { clock, db, chat, settings } = options;
  const { ui: showsOnPage, chat: sendsToChat } = settings().ai.notifications.destinations;
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
  const store = (outcome: Pick<NewEvent, 'body' | 'chatKey' | 'errorCode'>, now: number) =>
    db.save(function* (writer) {
      appendEvent(writer, { ...event, ...outcome });
      if (outcome.chatKey !== null) {
        yield* markEventsSent(writer, [outcome.chatKey], now);
      }
    });
  try {
    if (sendsToChat) {
      await chat.sendTest('Gatehouse can send analyses here');
    }
  } catch (error) {
    await store({ body: null, chatKey: null, errorCode: toErrorCode(error) }, at);
    publish(options, eventId);
    throw error;
  }
  const chatKey = sendsToChat ? `ai|${eventId}` : null;
  const body = showsOnPage ? 'Gatehouse can show analyses here.' : null;
  await store({ body, chatKey, errorCode: null }, clock.now());
  return publish(options, eventId);
}

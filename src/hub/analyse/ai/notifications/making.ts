// Makes one analysis. Its usage, its event and the alert that carries it are stored in one transaction. A failure is an event
// too.
import type { z } from 'zod';
import type { AiNotificationEvent, aiNotificationNotice } from '#contract/ai-notifications.ts';
import type { AiCitation } from '#contract/ai-records.ts';
import { AppError } from '#kernel/errors.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { createId } from '#kernel/text/secret.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { Base } from '../../../base/feature.ts';
import type { Settings } from '../../../base/settings/schema.ts';
import type { ChatFeature } from '../../../notify/chat/feature.ts';
import type { Live } from '../../../notify/live/live.ts';
import type { Questions } from '../analysis/questions.ts';
import { findCitations } from '../citations/citations.ts';
import type { Answer, Generation } from '../generations.ts';
import { readUsage } from '../usage/usage-log.ts';
import { type Analysed, createAnalysisAlert } from './alert.ts';
import { appendEvent, type NewEvent, readEvent } from './event-log.ts';

export interface MakingOptions extends Pick<Base, 'clock' | 'db' | 'log'> {
  /** Read again when the answer is stored: the destinations may have changed. */
  settings: () => Settings;
  chat: Pick<ChatFeature, 'isReady' | 'put' | 'wake'>;
  live: Pick<Live, 'publish'>;
  compose: Questions['compose'];
}

/** What an analysis is made for. Its event has `key` as its `triggerKey`, or `failedKey` when it fails. */
export interface Occasion extends Pick<Analysed, 'type' | 'cause'> {
  key: string | null;
  failedKey: string | null;
}

/** Stores a failure, unless the signal is aborted, and rejects as `Questions.compose` and `Generation.ask`. */
export type Make = (generation: Generation, occasion: Occasion, signal: AbortSignal) => Promise<AiNotificationEvent>;

export function createMaking(options: MakingOptions): Make {
  const { clock, db, log, settings, chat, compose } = options;
  return async (generation, { type, cause, key, failedKey }, signal) => {
    const { ai, general } = settings();
    const to = clock.now();
    const from = to - ai.notifications.rangeHours * hourMs;
    const event = { eventId: createId(), triggerType: type, cause, rangeFrom: from, rangeTo: to };
    const store = (writer: Writer, answer: Answer, citations: readonly AiCitation[]) => {
      const { destinations } = settings().ai.notifications;
      const chatKey = destinations.chat && chat.isReady() ? `ai|${event.eventId}` : null;
      // An answer that no alert carries is shown in any case: it would be lost otherwise.
      const isShown = destinations.ui || chatKey === null;
      appendEvent(writer, { ...event, triggerKey: key, chatKey, ...toAnswerMembers(answer, citations, isShown) });
      if (chatKey !== null) {
        chat.put(writer, createAnalysisAlert(chatKey, { type, cause, from, to }, answer), answer.generatedAt);
      }
    };
    const requestId = createId();
    try {
      const asked = { from, to, language: general.language };
      const { request, context } = await compose({ input: asked, builder: generation }, signal);
      await generation.ask({
        kind: 'notification',
        requestId,
        request,
        signal,
        keep: (writer, answer) => store(writer, answer, findCitations(answer.text, context)),
      });
    } catch (error) {
      if (!signal.aborted) {
        const { provider, model } = generation.target;
        const used = { ...toFailureMembers(error), ...readUsage(db, requestId) };
        const failed = { ...event, triggerKey: failedKey, createdAt: clock.now(), provider, model, ...used };
        await db
          .save((writer) => appendEvent(writer, failed))
          .then(() => publish(options, event.eventId))
          .catch((unsaved: unknown) =>
            log.error({ err: unsaved }, 'an analysis failed, and the log has no event of it'),
          );
      }
      throw error;
    }
    chat.wake();
    return publish(options, event.eventId);
  };
}

/** Sends the notice of a stored event to the live streams; returns the event. */
export function publish({ db, live }: Pick<MakingOptions, 'db' | 'live'>, eventId: string): AiNotificationEvent {
  const event = readEvent(db, eventId);
  const { body: _, citations: __, ...notice } = event;
  live.publish('ai-notification', notice satisfies z.input<typeof aiNotificationNotice>);
  return event;
}

function toAnswerMembers(answer: Answer, citations: readonly AiCitation[], isShown: boolean) {
  const { generatedAt, provider, model, text, usage, estimatedCostUsd } = answer;
  return {
    createdAt: generatedAt,
    provider,
    model,
    usage,
    estimatedCostUsd,
    errorCode: null,
    ...(isShown ? { body: text, citations } : { body: null, citations: [] }),
  };
}

/** Members of the event of a failure. */
export function toFailureMembers(
  error: unknown,
): Pick<NewEvent, 'body' | 'citations' | 'chatKey' | 'usage' | 'estimatedCostUsd' | 'errorCode'> {
  return {
    body: null,
    citations: [],
    chatKey: null,
    usage: null,
    estimatedCostUsd: null,
    errorCode: error instanceof AppError ? error.code : 'internal',
  };
}

// Makes one analysis. Stores its usage, its event and the alert with its text in one transaction.
import type { z } from 'zod';
import type { AiNotificationEvent, aiNotificationNotice } from '#contract/ai-notifications.ts';
import type { AiCitation } from '#contract/ai-records.ts';
import { AppError } from '#kernel/errors.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { createId } from '#kernel/text/secret.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { Base } from '../../../base/feature.ts';
import type { Settings } from '../../../base/settings/schema.ts';
import type { Telling } from '../../../base/told-event.ts';
import type { ChatFeature } from '../../../notify/chat/feature.ts';
import type { Live } from '../../../notify/live/live.ts';
import type { Questions } from '../analysis/questions.ts';
import { findCitations } from '../citations/citations.ts';
import type { Answer, Generation } from '../generations.ts';
import { readUsage } from '../usage/usage-log.ts';
import { type Analysed, createAnalysisEvent } from './alert.ts';
import { appendEvent, readEvent } from './event-log.ts';

export interface AnalysisMakerOptions extends Pick<Base, 'clock' | 'db' | 'log'> {
  /** Called again when the answer is stored: the destinations may have changed. */
  settings: () => Settings;
  chat: Pick<ChatFeature, 'isReady'>;
  telling: Pick<Telling, 'put' | 'wake'>;
  live: Pick<Live, 'publish'>;
  compose: Questions['compose'];
}

/** Why an analysis is made. `key` becomes the `triggerKey` of its event, `failedKey` that of the event of a failure. */
export interface AnalysisPurpose extends Pick<Analysed, 'type' | 'cause'> {
  key: string | null;
  failedKey: string | null;
}

/**
 * Resolves with the stored event. Rejects as `Questions.compose` and `Generation.ask`; stores an event of that failure
 * first, unless `signal` is aborted.
 */
export type MakeAnalysis = (
  generation: Generation,
  purpose: AnalysisPurpose,
  signal: AbortSignal,
) => Promise<AiNotificationEvent>;

export function createAnalysisMaker(options: AnalysisMakerOptions): MakeAnalysis {
  const { clock, db, log, settings, chat, telling, compose } = options;
  return async (generation, { type, cause, key, failedKey }, signal) => {
    const { ai, general } = settings();
    const to = clock.now();
    const from = to - ai.notifications.rangeHours * hourMs;
    const event = { eventId: createId(), triggerType: type, cause, rangeFrom: from, rangeTo: to };
    const store = (writer: Writer, answer: Answer, citations: readonly AiCitation[]) => {
      const { destinations } = settings().ai.notifications;
      const toldKey = `ai|${event.eventId}`;
      const chatKey = destinations.chat && chat.isReady() ? toldKey : null;
      // Without an alert, the answer would be lost if the page did not show it.
      const isShown = destinations.ui || chatKey === null;
      appendEvent(writer, { ...event, triggerKey: key, chatKey, ...toAnswerMembers(answer, citations, isShown) });
      const told = createAnalysisEvent(toldKey, { type, cause, from, to }, answer);
      telling.put(writer, told, answer.generatedAt, { toChat: chatKey !== null });
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
        const made = { createdAt: clock.now(), provider, model, errorCode: toErrorCode(error) };
        const failed = { ...event, triggerKey: failedKey, ...made, ...noAnswer, ...readUsage(db, requestId) };
        await db
          .save((writer) => appendEvent(writer, failed))
          .then(() => publish(options, event.eventId))
          .catch((unsaved: unknown) =>
            log.error({ err: unsaved }, 'an analysis failed, and its event could not be stored'),
          );
      }
      throw error;
    }
    telling.wake();
    return publish(options, event.eventId);
  };
}

/** Sends a stored event, without its text, to the live streams. Returns the whole event. */
export function publish({ db, live }: Pick<AnalysisMakerOptions, 'db' | 'live'>, eventId: string): AiNotificationEvent {
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

/** What an event has when no provider answered. */
export const noAnswer = { body: null, citations: [], chatKey: null, usage: null, estimatedCostUsd: null };

export function toErrorCode(error: unknown): string {
  return error instanceof AppError ? error.code : 'internal';
}

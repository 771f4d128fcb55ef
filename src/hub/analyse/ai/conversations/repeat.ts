// A request that is sent again: the answer of the first time, or why there is none. No provider is asked.
import type { z } from 'zod';
import type { aiChatRoutes } from '#contract/ai-chat.ts';
import { AppError } from '#kernel/errors.ts';
import { type AskedWith, toAskedWith } from './asked-with.ts';
import type { KnownRequest } from './requests.ts';

export type ChatBody = z.output<typeof aiChatRoutes.chat.body>;
export type ChatReply = z.output<(typeof aiChatRoutes.chat.reply)[200]>;

/** Where the question of a request is stored. */
export type Place = Pick<ChatReply, 'conversationId' | 'requestId' | 'startedNewConversation'>;

/**
 * The stored answer. Throws AppError `ai_request_conflict` when the id named a request with another content, `ai_busy` while there is no
 * answer, and `ai_request_failed` when there will be none.
 */
export function toRepeatedReply(known: KnownRequest, requestId: string, body: ChatBody): ChatReply {
  const { conversationId, startedNewConversation, answer, pricing } = known;
  const details: Place = { conversationId, requestId, startedNewConversation };
  const difference = findDifference(known, body);
  if (difference !== null) {
    throw new AppError('ai_request_conflict', `this requestId was used ${difference}: ask with a new one`);
  }
  if (answer === null) {
    throw new AppError('ai_busy', 'this question is being answered: wait until the answer is there, at most 30 s', {
      details,
    });
  }
  if (answer.status === 'failed') {
    const sentence = `this question got no answer (${answer.errorCode}): ask again with a new requestId`;
    throw new AppError('ai_request_failed', sentence, { details });
  }
  const { usageInputTokens: input, usageOutputTokens: output, usageTotalTokens: total } = answer;
  const isCounted = typeof input === 'number' && typeof output === 'number' && typeof total === 'number';
  const usage = isCounted ? { inputTokens: input, outputTokens: output, totalTokens: total } : null;
  return {
    success: true,
    ...details,
    message: answer,
    usage,
    pricing,
    estimatedCostUsd: answer.estimatedCostUsd ?? null,
  };
}

/**
 * How the first request differs from the one that is sent now, for a message; null when it does not. What the hub fills in
 * when it is left out (conversation, end of the period, language, facts of a preview) is compared only when it is given.
 */
function findDifference(known: KnownRequest, body: ChatBody): string | null {
  const { conversationId, message, from, to, sourceKind = null, sourceId = null } = body;
  if (![undefined, known.conversationId, known.named].includes(conversationId)) {
    return 'in another conversation';
  }
  if (message !== known.message) {
    return 'for another message';
  }
  if (from !== known.from || (to !== undefined && to !== known.to)) {
    return 'for another period';
  }
  if (sourceKind !== known.sourceKind || sourceId !== known.sourceId) {
    return 'for another source';
  }
  return known.askedWith && findOtherContent(known.askedWith, body);
}

function findOtherContent(before: AskedWith, { language = before.language, ...body }: ChatBody): string | null {
  const now = toAskedWith(body, language);
  if (now.priorAnalysis !== before.priorAnalysis) {
    return 'with another earlier analysis';
  }
  if (now.language !== before.language) {
    return 'in another language';
  }
  return now.previewId !== null && now.previewId !== before.previewId ? 'for another preview' : null;
}

// A request that is sent again: the answer of the first time, or why there is none. No provider is asked.
import type { z } from 'zod';
import type { aiChatRoutes } from '#contract/ai-chat.ts';
import { AppError } from '#kernel/errors.ts';
import type { KnownRequest } from './requests.ts';

export type ChatBody = z.output<typeof aiChatRoutes.chat.body>;
export type ChatReply = z.output<(typeof aiChatRoutes.chat.reply)[200]>;

/** Where the question of a request is stored. */
export type Place = Pick<ChatReply, 'conversationId' | 'requestId' | 'startedNewConversation'>;

/**
 * The stored answer. Throws AppError `ai_request_conflict` when the id named another question, `ai_busy` while there is no
 * answer, and `ai_request_failed` when there will be none.
 */
export function repeatedReply(
  known: KnownRequest,
  requestId: string,
  { conversationId: named, message }: Pick<ChatBody, 'conversationId' | 'message'>,
): ChatReply {
  const { conversationId, startedNewConversation, answer, pricing } = known;
  const details: Place = { conversationId, requestId, startedNewConversation };
  if (![undefined, conversationId, known.named].includes(named)) {
    throw new AppError('ai_request_conflict', 'this requestId was used in another conversation: ask with a new one');
  }
  if (message !== known.message) {
    throw new AppError('ai_request_conflict', 'this requestId was used for another message: ask with a new one');
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

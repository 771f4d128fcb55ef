// One bounded request to the chat workspace: so much time, so many bytes, no redirect followed.
import type { FetchFunction } from '@slack/web-api';
import { chatLimits } from '#contract/chat-limits.ts';
import { boundedFetch, pickHeaders } from '#kernel/http/bounded-fetch.ts';
import { findRetrySeconds } from '#kernel/http/retry-after.ts';
import type { Clock } from '#kernel/time/clock.ts';

/**
 * The `fetch` given to the client: 10 s for the whole answer, 1 MB of body
 * (docs/reference/wire-contract/4-endpoints.md#chat-workspace).
 */
export function createChatFetch(clock: Clock, signal?: AbortSignal): FetchFunction {
  return async (address, { headers: sent = {}, body: form = '' } = {}) => {
    const { status, headers, body } = await boundedFetch(clock, address, {
      method: 'POST',
      headers: sent,
      body: String(form),
      timeoutMs: chatLimits.chatTimeoutMs,
      maxBytes: chatLimits.chatAnswerBytes,
      signal,
      late: () => new Error(`no answer within ${chatLimits.chatTimeoutMs / 1000} s`),
      tooLong: () => new Error('the answer is larger than 1 MB'),
    });
    return new Response(body, {
      status,
      headers: [
        ...pickHeaders(headers, ['content-type', 'x-oauth-scopes', 'x-accepted-oauth-scopes']),
        ...(status === 429
          ? [['retry-after', String(findRetrySeconds(headers['retry-after']) ?? 30)] as [string, string]]
          : []),
      ],
    });
  };
}

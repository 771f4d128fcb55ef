// `cloud_b`: OpenAI, by its Responses API. It is asked to store nothing.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { AiUrls } from '../../../base/settings/ai-urls.ts';
import { getServiceUrl } from './addresses.ts';
import { exchange, sendQuestion } from './exchange.ts';
import {
  createAnswerFilteredError,
  createAnswerRefusedError,
  createFailedError,
  createNoTextError,
} from './failure.ts';
import { type JsonObject, joinTexts, readObject, readObjects } from './json.ts';
import { selectTextModels } from './model-names.ts';
import type { ModelAnswer, Provider, Target, Usage } from './provider.ts';
import { parseUsage } from './usage.ts';

/** Models that complete texts, and do not answer. */
const completes = /^(?:babbage|davinci)|-instruct\b/;

export function createCloudB(clock: Clock, urls: AiUrls | undefined): Provider {
  const base = getServiceUrl('cloud_b', urls);
  const buildHeaders = ({ key }: Target) => ({ authorization: `Bearer ${key}` });
  return {
    buildRequest: ({ model }, { system, turns }) => ({
      url: `${base}/v1/responses`,
      body: JSON.stringify({
        model,
        instructions: system,
        input: turns.map(({ role, text }) => ({ role, content: text })),
        max_output_tokens: limits.aiOutputTokens,
        store: false,
      }),
    }),
    send: (target, request, signal, notices) =>
      sendQuestion(
        clock,
        { recipient: target, ...request, headers: buildHeaders(target), signal, notices },
        { usage: parseUsageMember, answer: (answer, usage) => parseAnswer(target, answer, usage) },
      ),
    async models(target, signal) {
      const url = `${base}/v1/models`;
      const listed = await exchange(clock, { recipient: target, url, headers: buildHeaders(target), signal });
      return selectTextModels(
        readObjects(listed, 'data').map(({ id }) => id),
        (id) => !completes.test(id),
      );
    },
  };
}

function parseAnswer(target: Target, answer: JsonObject, usage: Usage | null): ModelAnswer {
  const parts = readObjects(answer, 'output').flatMap((item) => readObjects(item, 'content'));
  const texts = parts.filter(({ type }) => type === 'output_text');
  const text = joinTexts(texts, 'text');
  const { reason } = readObject(answer, 'incomplete_details');
  if (reason === 'content_filter') {
    throw createAnswerFilteredError(target);
  }
  if (parts.some(({ type }) => type === 'refusal')) {
    throw createAnswerRefusedError(target);
  }
  if (answer.status === 'failed') {
    const words = readObject(answer, 'error').message;
    throw createFailedError(target, { code: 'ai_gave_up', what: 'gave up', words }, 'try again later');
  }
  if (text === '') {
    throw createNoTextError(target, reason === 'max_output_tokens', usage?.output ?? null);
  }
  return { text, truncated: answer.status === 'incomplete', usage };
}

function parseUsageMember(answer: JsonObject): Usage | null {
  const usage = readObject(answer, 'usage');
  const { cached_tokens, cache_write_tokens } = readObject(usage, 'input_tokens_details');
  const counts = { input: usage.input_tokens, output: usage.output_tokens, total: usage.total_tokens };
  return parseUsage({ ...counts, cacheRead: cached_tokens, cacheWrite: cache_write_tokens }, true);
}

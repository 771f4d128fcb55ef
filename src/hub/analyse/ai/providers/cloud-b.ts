// `cloud_b`: OpenAI, by its Responses API. It is asked to store nothing.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { type AiUrls, addressOf } from './addresses.ts';
import { exchange, sendQuestion } from './exchange.ts';
import { answerFiltered, answerRefused, failed, noText, quoted } from './failure.ts';
import { type JsonObject, objectIn, objectsIn, textIn } from './json.ts';
import { textModels } from './model-names.ts';
import type { ModelAnswer, Provider, Target, Usage } from './provider.ts';
import { usageOf } from './usage.ts';

/** Models that complete texts, and do not answer. */
const completes = /^(?:babbage|davinci)|-instruct\b/;

export function createCloudB(clock: Clock, urls: AiUrls | undefined): Provider {
  const base = addressOf('cloud_b', urls);
  const headersOf = ({ key }: Target) => ({ authorization: `Bearer ${key}` });
  return {
    requestOf: ({ model }, { system, turns }) => ({
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
        { whom: target, ...request, headers: headersOf(target), signal, notices },
        { usage: readUsage, answer: (answer, usage) => answerOf(target, answer, usage) },
      ),
    async models(target, signal) {
      const url = `${base}/v1/models`;
      const listed = await exchange(clock, { whom: target, url, headers: headersOf(target), signal });
      return textModels(
        objectsIn(listed, 'data').map(({ id }) => id),
        (id) => !completes.test(id),
      );
    },
  };
}

function answerOf(target: Target, answer: JsonObject, usage: Usage | null): ModelAnswer {
  const parts = objectsIn(answer, 'output').flatMap((item) => objectsIn(item, 'content'));
  const said = parts.filter(({ type }) => type === 'output_text');
  const text = said
    .map((part) => textIn(part, 'text'))
    .join('')
    .trim();
  const { reason } = objectIn(answer, 'incomplete_details');
  if (reason === 'content_filter') {
    throw answerFiltered(target);
  }
  if (parts.some(({ type }) => type === 'refusal')) {
    throw answerRefused(target);
  }
  if (answer.status === 'failed') {
    const words = quoted(target, objectIn(answer, 'error').message);
    throw failed(target, `gave up${words}`, 'try again later');
  }
  if (text === '') {
    throw noText(target, reason === 'max_output_tokens', usage?.output ?? null);
  }
  return { text, truncated: answer.status === 'incomplete', usage };
}

function readUsage(answer: JsonObject): Usage | null {
  const usage = objectIn(answer, 'usage');
  const { cached_tokens, cache_write_tokens } = objectIn(usage, 'input_tokens_details');
  const told = { input: usage.input_tokens, output: usage.output_tokens, total: usage.total_tokens };
  return usageOf({ ...told, cacheRead: cached_tokens, cacheWrite: cache_write_tokens }, true);
}

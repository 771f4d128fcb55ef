// `cloud_a`: Anthropic, by its Messages API.
import { limits } from '#contract/limits.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import { type AiUrls, addressOf } from './addresses.ts';
import { exchange, sendQuestion } from './exchange.ts';
import { answerRefused, noText, tooLate } from './failure.ts';
import { type JsonObject, objectIn, objectsIn, textIn } from './json.ts';
import { textModels } from './model-names.ts';
import type { ModelAnswer, Provider, Target, Usage } from './provider.ts';
import { usageOf } from './usage.ts';

/** Since this version parameters of sampling are refused. */
const apiVersion = '2026-10-21';
const mostPages = 20;

export function createCloudA(clock: Clock, urls: AiUrls | undefined): Provider {
  const base = addressOf('cloud_a', urls);
  const headersOf = ({ key }: Target) => ({ 'x-api-key': key, 'anthropic-version': apiVersion });
  const allModels = async (target: Target, signal: AbortSignal) => {
    const ids: unknown[] = [];
    let after = '';
    for (let page = 0; page < mostPages; page += 1) {
      const url = `${base}/v1/models?limit=${limits.aiModels}${after}`;
      const listed = await exchange(clock, { whom: target, url, headers: headersOf(target), signal });
      ids.push(...objectsIn(listed, 'data').flatMap(({ id, lifecycle }) => (lifecycle === 'retired' ? [] : [id])));
      const last = textIn(listed, 'last_id');
      if (listed.has_more !== true || last === '' || ids.length >= limits.aiModels) {
        break;
      }
      after = `&after_id=${encodeURIComponent(last)}`;
    }
    return textModels(ids);
  };
  return {
    requestOf: ({ model }, { system, turns }) => ({
      url: `${base}/v1/messages`,
      body: JSON.stringify({
        model,
        max_tokens: limits.aiOutputTokens,
        system,
        messages: turns.map(({ role, text }) => ({ role, content: text })),
      }),
    }),
    send: (target, request, signal, notices) =>
      sendQuestion(
        clock,
        { whom: target, ...request, headers: headersOf(target), signal, notices },
        { usage: readUsage, answer: (answer, usage) => answerOf(target, answer, usage) },
      ),
    models: (target, signal) => {
      const late = () => tooLate(target, limits.aiTestMs);
      return withDeadline(clock, limits.aiTestMs, late, signal, (inner) => allModels(target, inner));
    },
  };
}

function answerOf(target: Target, answer: JsonObject, usage: Usage | null): ModelAnswer {
  const texts = objectsIn(answer, 'content').filter(({ type }) => type === 'text');
  const text = texts
    .map((block) => textIn(block, 'text'))
    .join('')
    .trim();
  const stop = answer.stop_reason;
  if (stop === 'refusal') {
    throw answerRefused(target);
  }
  const isAtLimit = stop === 'max_tokens' || stop === 'model_context_window_exceeded';
  if (text === '') {
    throw noText(target, isAtLimit, usage?.output ?? null);
  }
  return { text, truncated: isAtLimit, usage };
}

function readUsage(answer: JsonObject): Usage | null {
  const usage = objectIn(answer, 'usage');
  const { cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite } = usage;
  return usageOf({ input: usage.input_tokens, output: usage.output_tokens, cacheRead, cacheWrite }, false);
}

// `cloud_a`: Anthropic, by its Messages API.
import { limits } from '#contract/limits.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import type { AiUrls } from '../../../base/settings/ai-urls.ts';
import { getServiceUrl } from './addresses.ts';
import { exchange, sendQuestion } from './exchange.ts';
import { createAnswerRefusedError, createNoTextError, createTimeoutError } from './failure.ts';
import { type JsonObject, joinTexts, readObject, readObjects, readText } from './json.ts';
import { selectTextModels } from './model-names.ts';
import type { ModelAnswer, Provider, Target, Usage } from './provider.ts';
import { parseUsage } from './usage.ts';

/** Since this version parameters of sampling are refused. */
const apiVersion = '2026-10-21';
const mostPages = 20;

export function createCloudA(clock: Clock, urls: AiUrls | undefined): Provider {
  const base = getServiceUrl('cloud_a', urls);
  const buildHeaders = ({ key }: Target) => ({ 'x-api-key': key, 'anthropic-version': apiVersion });
  const allModels = async (target: Target, signal: AbortSignal) => {
    const ids: unknown[] = [];
    let after = '';
    for (let page = 0; page < mostPages; page += 1) {
      const url = `${base}/v1/models?limit=${limits.aiModels}${after}`;
      const listed = await exchange(clock, { recipient: target, url, headers: buildHeaders(target), signal });
      ids.push(...readObjects(listed, 'data').flatMap(({ id, lifecycle }) => (lifecycle === 'retired' ? [] : [id])));
      const last = readText(listed, 'last_id');
      if (listed.has_more !== true || last === '' || ids.length >= limits.aiModels) {
        break;
      }
      after = `&after_id=${encodeURIComponent(last)}`;
    }
    return selectTextModels(ids);
  };
  return {
    buildRequest: ({ model }, { system, turns }) => ({
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
        { recipient: target, ...request, headers: buildHeaders(target), signal, notices },
        { usage: parseUsageMember, answer: (answer, usage) => parseAnswer(target, answer, usage) },
      ),
    models: (target, signal) => {
      const late = () => createTimeoutError(target, limits.aiTestMs);
      return withDeadline(clock, limits.aiTestMs, late, signal, (inner) => allModels(target, inner));
    },
  };
}

function parseAnswer(target: Target, answer: JsonObject, usage: Usage | null): ModelAnswer {
  const blocks = readObjects(answer, 'content').filter(({ type }) => type === 'text');
  const text = joinTexts(blocks, 'text');
  const stop = answer.stop_reason;
  if (stop === 'refusal') {
    throw createAnswerRefusedError(target);
  }
  const isAtLimit = stop === 'max_tokens' || stop === 'model_context_window_exceeded';
  if (text === '') {
    throw createNoTextError(target, isAtLimit, usage?.output ?? null);
  }
  return { text, truncated: isAtLimit, usage };
}

function parseUsageMember(answer: JsonObject): Usage | null {
  const usage = readObject(answer, 'usage');
  const { cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite } = usage;
  return parseUsage({ input: usage.input_tokens, output: usage.output_tokens, cacheRead, cacheWrite }, false);
}

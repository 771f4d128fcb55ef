// Handlers of an analysis: what it would send, and the analysis itself.
import { limits } from '#contract/limits.ts';
import { createId } from '#kernel/text/secret.ts';
import type { RouteHandlers } from '../../../base/feature.ts';
import { type AiSettings, isCloud, isConsented } from '../choice.ts';
import { findCitations } from '../citations/citations.ts';
import type { Subject } from '../conversations/store.ts';
import type { Generations } from '../generations.ts';
import { computeCost, type PriceList, toAiPricing } from '../pricing/price.ts';
import { estimateTokens } from '../prompt.ts';
import type { Target } from '../providers/provider.ts';
import type { Previews } from './previews.ts';
import { formatFacts, type PastTurn } from './prompts.ts';
import type { Questions } from './questions.ts';

export type AnalysisRoutes = 'preview' | 'analyze';

/** Reads the last turns of a conversation; none when it was with another provider or model, or about another source. */
export type ReadHistory = (
  conversationId: string,
  subject: Subject,
  signal: AbortSignal,
) => Promise<readonly PastTurn[]>;

export interface AnalysisOptions {
  questions: Questions;
  previews: Pick<Previews, 'add'>;
  generations: Generations;
  prices: PriceList;
  settings: () => AiSettings;
  /** Epoch milliseconds. */
  now: () => number;
  /** Rejects with AppError `not_found` when there is no conversation of this id. */
  readHistory: ReadHistory;
  /** Throws AppError `invalid_body` for a period that is empty or too long. */
  checkPeriod: (asked: { from: number; to?: number | undefined }) => void;
}

export function createAnalysisHandlers(options: AnalysisOptions): RouteHandlers<'ai', AnalysisRoutes> {
  const { questions, previews, generations, settings, readHistory, checkPeriod } = options;
  return {
    async preview({ body: asked, signal }) {
      checkPeriod(asked);
      const target = generations.target();
      const builder = { target, buildRequest: generations.buildRequest.bind(null, target) };
      const { conversationId, sourceKind = null, sourceId = null } = asked;
      const subject = { provider: target.provider, model: target.model, sourceKind, sourceId };
      const history = conversationId === undefined ? [] : await readHistory(conversationId, subject, signal);
      const composed = await questions.compose({ input: { ...asked, previewId: undefined }, builder, history }, signal);
      const { request, context } = composed;
      const bytes = Buffer.byteLength(request.body);
      return {
        previewId: previews.add(asked, target, composed),
        provider: target.provider,
        model: target.model,
        external: isCloud(target.provider),
        consented: isConsented(settings(), target.provider),
        method: 'POST' as const,
        url: request.url,
        body: request.body,
        bytes,
        facts: formatFacts(context),
        ...estimate(options, target, bytes),
      };
    },
    async analyze({ body, principal, request, signal }) {
      checkPeriod(body);
      const caller = { principal, request };
      using generation = generations.begin({ confirmed: body.cloudConsentConfirmed === true, caller });
      const composed = await questions.compose({ input: body, builder: generation }, signal);
      const { answer } = await generation.ask({
        kind: 'analysis',
        requestId: createId(),
        request: composed.request,
        signal,
        keep: () => null,
      });
      const { provider, model, text, truncated, generatedAt, usage, pricing, estimatedCostUsd } = answer;
      return {
        success: true,
        range: { from: composed.from, to: composed.to },
        provider,
        model,
        text,
        truncated,
        citations: findCitations(text, composed.context),
        generatedAt,
        usage,
        pricing,
        estimatedCostUsd,
      };
    },
  };
}

/** What a request costs at most: tokens estimated from its bytes, and the longest answer. */
function estimate({ prices, now }: AnalysisOptions, { provider, model }: Target, bytes: number) {
  const price = prices.find(provider, model, now());
  const input = estimateTokens(bytes);
  const output = limits.aiOutputTokens;
  return {
    estimatedInputTokens: input,
    maxOutputTokens: output,
    pricing: price && toAiPricing(price),
    estimatedCostUsd: computeCost({ input, output, total: input + output, cacheRead: 0, cacheWrite: 0 }, price),
  };
}

// What providers offer, and whether the chosen one answers. Nothing of the network is sent.
import { AppError } from '#kernel/errors.ts';
import { createId } from '#kernel/text/secret.ts';
import type { RouteHandlers } from '../../../base/feature.ts';
import { type AiSettings, requireConsent, resolveListingTarget } from '../choice.ts';
import type { Generations } from '../generations.ts';
import { type PriceList, summarizePricing } from '../pricing/price.ts';
import type { Prompt } from '../prompt.ts';
import type { BedrockLists } from '../providers/bedrock/lists.ts';
import type { Providers } from '../providers/provider.ts';
import type { Caller } from '../sending.ts';

export interface DiscoveryOptions {
  settings: () => AiSettings;
  offline: boolean;
  providers: Providers;
  bedrock: BedrockLists;
  generations: Generations;
  prices: PriceList;
  /** Epoch milliseconds. */
  now: () => number;
}

export type DiscoveryHandlers = RouteHandlers<'ai', 'models' | 'guardrails' | 'test'>;

/** The whole prompt of a test: it holds nothing of the network. */
const testPrompt: Prompt = {
  system: 'This is a test of the connection.',
  turns: [{ role: 'user', text: 'Answer with the word: ready' }],
};

export function createDiscoveryHandlers(options: DiscoveryOptions): DiscoveryHandlers {
  const { settings, offline, providers, bedrock, generations, prices, now } = options;
  return {
    async models({ body: { region }, signal }) {
      requireAsking(settings(), offline);
      const models = await bedrock.models(region, signal);
      return {
        success: true,
        provider: 'cloud_c',
        models,
        modelPricing: summarizePricing(prices, 'cloud_c', models, now()),
      };
    },
    async guardrails({ body: { region }, signal }) {
      requireAsking(settings(), offline);
      return { success: true, provider: 'cloud_c', guardrails: await bedrock.guardrails(region, signal) };
    },
    async test({ principal, request, signal }) {
      const target = resolveListingTarget(settings(), offline);
      // Who presses the button confirms this request. The consent to the provider must be saved all the same.
      requireConsent(settings(), target, true);
      const { provider } = target;
      const models = await providers[provider].models(target, signal);
      const listed = { success: true as const, provider, models };
      const pricing = summarizePricing(prices, provider, models, now());
      const verifying = { generations, chosen: target.model, caller: { principal, request } };
      const verified = provider === 'cloud_c' ? await verifyModel(verifying, signal) : {};
      return { ...listed, modelPricing: pricing, ...verified };
    },
  };
}

/** Sends a short fixed sentence to the chosen model of cloud_c. */
async function verifyModel(
  { generations, chosen, caller }: { generations: Generations; chosen: string; caller: Caller },
  signal: AbortSignal,
) {
  if (chosen === '') {
    return { verified: false };
  }
  using generation = generations.begin({ confirmed: true, caller });
  const request = generation.buildRequest(testPrompt);
  const question = { kind: 'test' as const, requestId: createId(), request, signal, keep: () => undefined };
  const { answer } = await generation.ask(question);
  const { model, generatedAt, usage, pricing, estimatedCostUsd } = answer;
  return { verified: true, model, generatedAt, usage, pricing, estimatedCostUsd };
}

/** Throws AppError `ai_offline` in offline mode, and `ai_disabled` while no provider is chosen. */
function requireAsking({ provider }: AiSettings, offline: boolean): void {
  if (offline) {
    throw new AppError('ai_offline', 'the hub is in offline mode: it does not ask AWS what it offers');
  }
  if (provider === 'disabled') {
    throw new AppError(
      'ai_disabled',
      'no AI provider is chosen, so none is asked: choose AWS Bedrock and its region in the settings, then list',
    );
  }
}

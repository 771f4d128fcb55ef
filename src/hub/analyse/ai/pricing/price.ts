// Prices of models, and what a request costs by one of them.
import type { AiModelPricing, AiPricing, AiPricingStatus, AiProviderName } from '#contract/ai-records.ts';
import type { AiSettings } from '../choice.ts';
import type { Usage } from '../providers/provider.ts';

/** A price as it is copied to a request. Cached tokens cost as those of the input where no price of them is known. */
export interface Price extends AiPricing {
  cacheReadUsdPerMillion?: number | undefined;
  cacheWriteUsdPerMillion?: number | undefined;
}

export interface PriceList {
  /** A date: requests store it. */
  readonly version: string;
  /** The price of `model` at `at` (epoch milliseconds); null when the list has none. */
  find(provider: AiProviderName, model: string, at: number): Price | null;
}

/** USD; null when usage or price is not known. */
export function computeCost(usage: Usage | null, price: Price | null): number | null {
  if (!usage || !price) {
    return null;
  }
  const { inputUsdPerMillion: perInput, outputUsdPerMillion: perOutput } = price;
  const { cacheReadUsdPerMillion: perRead = perInput, cacheWriteUsdPerMillion: perWrite = perInput } = price;
  const plain = Math.max(usage.input - usage.cacheRead - usage.cacheWrite, 0);
  const sum = plain * perInput + usage.cacheRead * perRead + usage.cacheWrite * perWrite + usage.output * perOutput;
  return sum / 1_000_000;
}

export function toAiPricing(price: Price): AiPricing {
  const { cacheReadUsdPerMillion: _, cacheWriteUsdPerMillion: __, ...shown } = price;
  return shown;
}

export function findPricingStatus(
  prices: PriceList,
  provider: AiProviderName,
  model: string,
  at: number,
): AiPricingStatus {
  const price = prices.find(provider, model, at);
  return { provider, model, priced: price !== null, pricing: price && toAiPricing(price) };
}

/** Of the chosen model; null when no provider is chosen, or no model of it. */
export function findChosenPricing(
  prices: PriceList,
  { provider, models }: Pick<AiSettings, 'provider' | 'models'>,
  at: number,
): AiPricingStatus | null {
  return provider === 'disabled' || models[provider] === ''
    ? null
    : findPricingStatus(prices, provider, models[provider], at);
}

export function summarizePricing(
  prices: PriceList,
  provider: AiProviderName,
  models: readonly string[],
  at: number,
): AiModelPricing {
  const statuses = models.map((model) => findPricingStatus(prices, provider, model, at));
  const priced = statuses.filter((status) => status.priced).length;
  return { catalogVersion: prices.version, priced, unpriced: statuses.length - priced, models: statuses };
}

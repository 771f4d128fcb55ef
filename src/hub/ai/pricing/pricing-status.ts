// What is said of a model's price, and of those of a list of models.
import type { AiModelPricing, AiPricingStatus, AiProviderName } from '#contract/ai-records.ts';
import { type PriceList, shownPrice } from './price.ts';

/** `at`: epoch milliseconds. */
export function pricingStatus(prices: PriceList, provider: AiProviderName, model: string, at: number): AiPricingStatus {
  const price = prices.find(provider, model, at);
  return { provider, model, priced: price !== null, pricing: price && shownPrice(price) };
}

export function modelPricing(
  prices: PriceList,
  provider: AiProviderName,
  models: readonly string[],
  at: number,
): AiModelPricing {
  const all = models.map((model) => pricingStatus(prices, provider, model, at));
  const priced = all.filter((status) => status.priced).length;
  return { catalogVersion: prices.version, priced, unpriced: all.length - priced, models: all };
}

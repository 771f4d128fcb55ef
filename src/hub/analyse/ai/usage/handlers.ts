// Answers how many tokens AI requests used, what they cost, and which models have a price.
import type { Clock } from '#kernel/time/clock.ts';
import type { RouteHandlers } from '../../../base/feature.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import type { AiSettings } from '../choice.ts';
import type { PriceCatalog } from '../pricing/catalog.ts';
import { findChosenPricing, findPricingStatus } from '../pricing/price.ts';
import { findMonths } from './months.ts';
import type { aiUsageQueries } from './queries.ts';

export interface UsageHandlersOptions {
  clock: Clock;
  settings: () => Pick<AiSettings, 'provider' | 'models'>;
  reads: Pick<ReaderPool<typeof aiUsageQueries>, 'ask'>;
  prices: PriceCatalog;
}

type UsageHandlers = RouteHandlers<'ai', 'monthlyUsage' | 'pricingDiagnostics' | 'checkPricing'>;

export function createUsageHandlers({ clock, settings, reads, prices }: UsageHandlersOptions): UsageHandlers {
  const findContext = (timezoneOffset = 0) => ({
    pricing: prices.summary,
    selectedModel: findChosenPricing(prices, settings(), clock.now()),
    months: findMonths(clock.now(), timezoneOffset),
  });
  return {
    monthlyUsage: ({ query, signal }) => reads.ask('monthlyUsage', findContext(query.timezoneOffset), signal),
    pricingDiagnostics: ({ query, signal }) =>
      reads.ask('pricingDiagnostics', findContext(query.timezoneOffset), signal),
    checkPricing: ({ body: { provider, model } }) => ({
      success: true,
      ...findPricingStatus(prices, provider, model, clock.now()),
    }),
  };
}

// Prices of a hub without a catalog: a server of the network costs nothing per token, and nothing is known of the others.
import type { PriceList } from './price.ts';

const version = '2026-11-25';

export const localPrices: PriceList = {
  version,
  find: (provider) =>
    provider === 'local'
      ? {
          ...{ pricingVersion: version, priceId: 'local', effectiveFrom: '1970-01-01', sourceUrl: '', routing: 'any' },
          ...{ inputUsdPerMillion: 0, outputUsdPerMillion: 0 },
        }
      : null,
};

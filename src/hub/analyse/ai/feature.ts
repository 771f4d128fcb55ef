// AI insights as a feature: the chosen provider, its settings, and the one place for a generation.
import type { Base, Feature } from '../../base/feature.ts';
import { describeAvailability } from './availability.ts';
import { type ConfigHandlers, createConfigHandlers } from './config/handlers.ts';
import { createDiscoveryHandlers, type DiscoveryHandlers } from './discovery/handlers.ts';
import { createGenerations, type Generations, type GenerationsOptions } from './generations.ts';
import type { PriceList } from './pricing/price.ts';
import { createProviders } from './providers/providers.ts';

export interface AiFeature extends Feature<{ ai: ConfigHandlers & DiscoveryHandlers }> {
  readonly generations: Generations;
}

interface Peers {
  prices: PriceList;
  auth: GenerationsOptions['auth'];
}

/** Sends nothing by itself. */
export function startAiFeature(base: Base, { prices, auth }: Peers): AiFeature {
  const { clock, settings: document, offline, options } = base;
  const settings = () => document.current().ai;
  const { providers, bedrock, ...opened } = createProviders(base, options.aiUrls);
  const generations = createGenerations({ ...base, settings, providers, prices, auth });
  const shared = { settings, offline, prices, now: clock.now };
  return {
    generations,
    handlers: {
      ai: {
        ...createConfigHandlers({ ...shared, document }),
        ...createDiscoveryHandlers({ ...shared, providers, bedrock, generations }),
      },
    },
    status: () => ({ features: describeAvailability(settings(), offline) }),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

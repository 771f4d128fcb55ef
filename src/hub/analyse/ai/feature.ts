// AI insights as a feature: the chosen provider, its settings, and the one place for a generation.
import type { Base, Feature } from '../../base/feature.ts';
import { availability } from './availability.ts';
import { type ConfigHandlers, configHandlers } from './config/handlers.ts';
import { type DiscoveryHandlers, discoveryHandlers } from './discovery/handlers.ts';
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

/** Asks nobody by itself. */
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
        ...configHandlers({ ...shared, document }),
        ...discoveryHandlers({ ...shared, providers, bedrock, generations }),
      },
    },
    status: () => ({ features: availability(settings(), offline) }),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

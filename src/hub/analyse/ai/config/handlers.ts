// The AI settings: read without keys, changed as a whole.
import type { AiConfig } from '#contract/ai-config.ts';
import type { RouteHandlers } from '../../../base/feature.ts';
import type { SettingsDocument } from '../../../base/settings/document.ts';
import type { AiSettings } from '../choice.ts';
import { chosenPricing, type PriceList } from '../pricing/price.ts';
import { changedAi } from './change.ts';

export interface ConfigOptions {
  document: SettingsDocument;
  prices: PriceList;
  offline: boolean;
  /** Epoch milliseconds. */
  now: () => number;
}

export type ConfigHandlers = RouteHandlers<'ai', 'config' | 'saveConfig'>;

export function configHandlers({ document, prices, offline, now }: ConfigOptions): ConfigHandlers {
  return {
    config: () => shown(document.current().ai, prices, now()),
    saveConfig({ body }) {
      const { ai } = document.update((all) => ({ ...all, ai: changedAi(all.ai, body, offline) }));
      return { success: true, ...shown(ai, prices, now()) };
    },
  };
}

function shown(settings: AiSettings, prices: PriceList, at: number): AiConfig {
  const { provider, models, localEndpoint, region, guardrail, keys, consents } = settings;
  return {
    ...{ provider, models, localEndpoint, region, guardrail },
    providers: {
      local: { keySet: false },
      cloud_a: { keySet: keys.cloud_a !== '', consented: consents.cloud_a },
      cloud_b: { keySet: keys.cloud_b !== '', consented: consents.cloud_b },
      cloud_c: { keySet: false, consented: consents.cloud_c },
    },
    selectedModelPricing: chosenPricing(prices, settings, at),
  };
}

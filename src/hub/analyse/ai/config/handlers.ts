// The AI settings: read without keys, changed as a whole.
import type { AiConfig } from '#contract/ai-config.ts';
import type { RouteHandlers } from '../../../base/feature.ts';
import type { SettingsDocument } from '../../../base/settings/document.ts';
import type { AiSettings } from '../choice.ts';
import { findChosenPricing, type PriceList } from '../pricing/price.ts';
import { applyAiChange } from './change.ts';

export interface ConfigOptions {
  document: SettingsDocument;
  prices: PriceList;
  offline: boolean;
  /** Epoch milliseconds. */
  now: () => number;
}

export type ConfigHandlers = RouteHandlers<'ai', 'config' | 'saveConfig'>;

export function createConfigHandlers({ document, prices, offline, now }: ConfigOptions): ConfigHandlers {
  return {
    config: () => toAiConfig(document.current().ai, prices, now()),
    saveConfig({ body }) {
      const { ai } = document.update((all) => ({ ...all, ai: applyAiChange(all.ai, body, offline) }));
      return { success: true, ...toAiConfig(ai, prices, now()) };
    },
  };
}

function toAiConfig(settings: AiSettings, prices: PriceList, at: number): AiConfig {
  const { provider, models, localEndpoint, region, guardrail, keys, consents } = settings;
  return {
    provider,
    models,
    localEndpoint,
    region,
    guardrail,
    providers: {
      local: { keySet: false },
      cloud_a: { keySet: keys.cloud_a !== '', consented: consents.cloud_a },
      cloud_b: { keySet: keys.cloud_b !== '', consented: consents.cloud_b },
      cloud_c: { keySet: false, consented: consents.cloud_c },
    },
    selectedModelPricing: findChosenPricing(prices, settings, at),
  };
}

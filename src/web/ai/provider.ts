// Providers as people call them, and what a request to one costs.
import type { AiProviderName } from '#contract/ai-records.ts';
import { language } from '../state/preferences.ts';
import { words } from '../text/ai/words.ts';
import { number } from '../text/format.ts';

export type Provider = AiProviderName;

export const isCloud = (provider: Provider) => provider !== 'local';

export const providerName = (provider: Provider) => words.value.providers[provider];

export function formatDollars(amount: number): string {
  return new Intl.NumberFormat(language.value, {
    ...{ style: 'currency', currency: 'USD', maximumSignificantDigits: 3 },
  }).format(amount);
}

/** What is not known is never shown as a number. */
export function formatCost(provider: Provider | null, usd: number | null | undefined): string {
  const t = words.value;
  return provider === 'local' ? t.noCharge : typeof usd === 'number' ? formatDollars(usd) : t.costUnknown;
}

export function formatTokens(input: number | null | undefined, output: number | null | undefined): string {
  const isKnown = typeof input === 'number' && typeof output === 'number';
  return isKnown ? words.value.tokens(number(input), number(output)) : words.value.tokensUnknown;
}

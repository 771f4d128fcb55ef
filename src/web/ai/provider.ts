// The display name of a provider, and the cost of a request.
import type { AiProviderName } from '#contract/ai-records.ts';
import { language } from '../state/preferences.ts';
import { words } from '../text/ai/words.ts';
import { number } from '../text/format.ts';

export type Provider = AiProviderName;

export const isCloud = (provider: Provider) => provider !== 'local';

export const providerName = (provider: Provider) => words.value.providers[provider];

export function formatDollars(amount: number): string {
  const format = { style: 'currency', currency: 'USD', maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat(language.value, format).format(amount);
}

/** An unknown cost is shown as unknown, never as 0. */
export function formatCost(provider: Provider | null, usd: number | null | undefined): string {
  const t = words.value;
  return provider === 'local' ? t.noCharge : typeof usd === 'number' ? formatDollars(usd) : t.costUnknown;
}

export function formatTokens(input: number | null | undefined, output: number | null | undefined): string {
  const isKnown = typeof input === 'number' && typeof output === 'number';
  return isKnown ? words.value.tokens(number(input), number(output)) : words.value.tokensUnknown;
}

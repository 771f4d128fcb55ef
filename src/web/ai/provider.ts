// Providers as people call them, and what a request to one costs.
import type { AiProviderName } from '#contract/ai-records.ts';
import { language } from '../state/preferences.ts';
import { words } from '../text/ai/words.ts';
import { number } from '../text/format.ts';

export type Provider = AiProviderName;

export const isCloud = (provider: Provider) => provider !== 'local';

export const nameOf = (provider: Provider) => words.value.providers[provider];

export function dollars(amount: number): string {
  return new Intl.NumberFormat(language.value, {
    ...{ style: 'currency', currency: 'USD', maximumSignificantDigits: 3 },
  }).format(amount);
}

/** What is not known is never shown as a number. */
export function costText(provider: Provider | null, usd: number | null | undefined): string {
  const t = words.value;
  return provider === 'local' ? t.noCharge : typeof usd === 'number' ? dollars(usd) : t.costUnknown;
}

export function tokensText(input: number | null | undefined, output: number | null | undefined): string {
  const isKnown = typeof input === 'number' && typeof output === 'number';
  return isKnown ? words.value.tokens(number(input), number(output)) : words.value.tokensUnknown;
}

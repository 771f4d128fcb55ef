// The source of prices: models of a provider as it lists them, the model that it finds for an id, and its rates.
import { calcPrice, findProvider, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';

export type { ModelInfo };
export type SourceProvider = 'anthropic' | 'openai' | 'aws';

/** USD per million tokens, of small prompts. They hold from one day (UTC) to before another one; null: it names none. */
export interface Rates {
  from: string | null;
  to: string | null;
  input: number;
  output: number;
  cacheRead: number | null;
  cacheWrite: number | null;
  /** Tokens of a prompt from which others hold; null: there are none. */
  tier: number | null;
}

export function listModels(id: SourceProvider): { models: readonly ModelInfo[]; url: string } {
  const provider = findProvider({ providerId: id });
  const url = provider?.pricing_urls?.[0];
  if (!provider || url === undefined) {
    throw new Error(`the source lists no ${id}, or not where its prices are from`);
  }
  return { models: provider.models, url };
}

/** The model whose price the source takes for `name`. */
export function modelNamed(providerId: SourceProvider, name: string): ModelInfo | null {
  return calcPrice({ input_tokens: 0, output_tokens: 0 }, name, { providerId })?.model ?? null;
}

/** Names in what it matches ids with: whole ones, and beginnings. */
export function listNames({ id, match }: ModelInfo): string[] {
  const literals = (one: ModelInfo['match']): string[] => {
    if ('or' in one) {
      return one.or.flatMap(literals);
    }
    return 'equals' in one ? [one.equals] : 'starts_with' in one ? [one.starts_with] : [];
  };
  return [id, ...literals(match)];
}

/** Rates of input and output as the source has them, oldest first; none of a model that has others alone. */
export function listRates({ id, prices }: ModelInfo): Rates[] {
  const steps = Array.isArray(prices) ? prices : [{ prices }];
  const found = steps.map((step) => {
    const constraint = 'constraint' in step ? step.constraint : undefined;
    if (constraint && constraint.type !== 'start_date') {
      throw new Error(`${id} has a price by the time of day, which the catalog cannot say`);
    }
    return { from: constraint?.start_date ?? null, ...tokenRates(step.prices) };
  });
  return found.flatMap(({ input, output, ...rest }, index) =>
    input === null || output === null ? [] : [{ ...rest, input, output, to: found[index + 1]?.from ?? null }],
  );
}

function tokenRates(prices: ModelPrice) {
  const rate = (name: string) => {
    const price = prices[name];
    return typeof price === 'object' ? price.base : (price ?? null);
  };
  const tier = typeof prices.input_mtok === 'object' ? (prices.input_mtok.tiers[0]?.start ?? null) : null;
  return {
    input: rate('input_mtok'),
    output: rate('output_mtok'),
    tier,
    cacheRead: rate('cache_read_mtok'),
    cacheWrite: rate('cache_write_mtok'),
  };
}

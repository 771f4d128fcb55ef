// The price catalog: `catalog.json`, which `npm run ai-prices` makes, as a list of prices. A catalog with a fault stops the start.
import { z } from 'zod';
import { aiCloudNames } from '#contract/ai-records.ts';
import { parseIsoTime } from '#kernel/time/clock.ts';
import { parseBedrockId, toRouting } from './bedrock-id.ts';
import made from './catalog.json' with { type: 'json' };
import type { Price, PriceList } from './price.ts';

const date = z.string().refine((text) => parseDay(text) !== null, 'must be a date such as 2026-09-23');
const https = z.url({ protocol: /^https$/, error: 'must be an https URL' });
const rate = z.number().positive('must be more than 0: leave out a model whose price is not known').max(100_000);

/** `^…$`, matched without regard to case; every alternative is anchored. */
const pattern = z
  .string()
  .regex(/^\^.*[^\\]\$$/, 'must begin with ^ and end with $')
  .refine((text) => compilePattern(text) !== null, 'must be a regular expression');

const entry = z.strictObject({
  id: z.string().min(1).max(200),
  provider: z.enum(aiCloudNames),
  /** Of ids of models; of `cloud_c` with the prefix of an inference profile. */
  modelPattern: pattern,
  routing: z.enum(['any', 'global', 'non-global']),
  inputUsdPerMillion: rate,
  outputUsdPerMillion: rate,
  cacheReadUsdPerMillion: rate.optional(),
  cacheWriteUsdPerMillion: rate.optional(),
  /** It holds from this day (UTC) to before that one. */
  effectiveFrom: date,
  effectiveTo: date.optional(),
  sourceUrl: https,
  /** What was assumed. */
  note: z.string().min(1).optional(),
  /** Ids that it matches. Two entries that match the same one at the same time are a fault. */
  examples: z.array(z.string().min(1)).min(1),
});

const catalog = z.strictObject({
  schemaVersion: z.literal(1),
  catalogVersion: date,
  currency: z.literal('USD'),
  /** Where the prices were read, and the day on which that was published. */
  source: z.strictObject({ name: z.string(), version: z.string(), licence: z.string(), url: https, published: date }),
  entries: z.array(entry).min(1),
});
export type Catalog = z.input<typeof catalog>;
export type CatalogEntry = z.input<typeof entry>;

/** What the API says of the whole catalog. */
export interface CatalogSummary {
  catalogVersion: string;
  currency: 'USD';
  /** The day whose prices it has. */
  effectiveFrom: string;
  sourceUrls: string[];
  approximate: true;
}

export interface PriceCatalog extends PriceList {
  readonly summary: CatalogSummary;
}

type Rule = ReturnType<typeof toRule>;

let bundled: PriceCatalog | undefined;

/** The catalog that this version brings, which is checked once a process, or `content`. Throws as `checkCatalog`. */
export function openCatalog(content?: unknown): PriceCatalog {
  if (content !== undefined) {
    return checkCatalog(content);
  }
  bundled ??= checkCatalog(made);
  return bundled;
}

/** Turns the JSON of a catalog into prices. Throws an Error that names the entry and the fault. */
function checkCatalog(content: unknown): PriceCatalog {
  const parsed = catalog.safeParse(content);
  if (!parsed.success) {
    throw createCatalogError(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
  }
  const { catalogVersion: version, currency, source, entries } = parsed.data;
  const rules = entries.map(toRule);
  const fault = findDateFault(rules, source.published, version) ?? findOverlap(rules);
  if (fault) {
    throw createCatalogError(fault);
  }
  const sourceUrls = [...new Set([source.url, ...entries.map((one) => one.sourceUrl)])];
  return {
    version,
    summary: { catalogVersion: version, currency, effectiveFrom: source.published, sourceUrls, approximate: true },
    find(provider, model, at) {
      if (provider === 'local') {
        return { ...localPrice, pricingVersion: version };
      }
      const [found, second] = rules.filter(
        (rule) => rule.from <= at && at < rule.to && isPriced(rule, provider, model),
      );
      return found && !second ? { ...toPrice(found.entry), pricingVersion: version } : null;
    },
  };
}

/** The tokens of a local server cost nothing. */
const localPrice = {
  priceId: 'local',
  effectiveFrom: '1970-01-01',
  sourceUrl: '',
  routing: 'any' as const,
  inputUsdPerMillion: 0,
  outputUsdPerMillion: 0,
};

function toPrice({ id, effectiveFrom, sourceUrl, routing, ...rates }: CatalogEntry): Omit<Price, 'pricingVersion'> {
  const { inputUsdPerMillion, outputUsdPerMillion, cacheReadUsdPerMillion, cacheWriteUsdPerMillion } = rates;
  return {
    priceId: id,
    effectiveFrom,
    sourceUrl,
    routing,
    inputUsdPerMillion,
    outputUsdPerMillion,
    ...(cacheReadUsdPerMillion === undefined ? {} : { cacheReadUsdPerMillion }),
    ...(cacheWriteUsdPerMillion === undefined ? {} : { cacheWriteUsdPerMillion }),
  };
}

function isPriced({ entry: { provider, routing }, regex }: Rule, asked: string, model: string): boolean {
  const id = asked === 'cloud_c' ? parseBedrockId(model) : model;
  const routed = routing === 'any' || (id !== null && toRouting(id) === routing);
  return provider === asked && id !== null && routed && regex.test(id);
}

function toRule(one: CatalogEntry) {
  const to = one.effectiveTo === undefined ? null : parseDay(one.effectiveTo);
  return {
    entry: one,
    regex: compilePattern(one.modelPattern) ?? /$^/,
    from: parseDay(one.effectiveFrom) ?? 0,
    /** The entry is valid until before this instant, in epoch milliseconds. */
    to: to ?? Number.POSITIVE_INFINITY,
  };
}

function findDateFault(rules: readonly Rule[], published: string, version: string): string | null {
  if (published > version) {
    return `its source was published on ${published}, after its version ${version}`;
  }
  for (const { entry: one, from, to } of rules) {
    const late = [one.effectiveFrom, one.effectiveTo].find((day) => day !== undefined && day > version);
    if (late !== undefined) {
      return `${one.id} names ${late}, which is after the version ${version}`;
    }
    if (from >= to) {
      return `${one.id} ends on ${one.effectiveTo}, not after it begins`;
    }
  }
  return null;
}

/** Ids that exist twice, examples that their own entry does not match, and those that two entries match at one time. */
function findOverlap(rules: readonly Rule[]): string | null {
  const ids = rules.map((rule) => rule.entry.id);
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined) {
    return `${twice} is there twice`;
  }
  for (const rule of rules) {
    const { id, provider, examples } = rule.entry;
    for (const example of examples) {
      if (!isPriced(rule, provider, example)) {
        return `${id} does not match its own example ${example}`;
      }
      const other = rules.find(
        (one) => one !== rule && one.from < rule.to && rule.from < one.to && isPriced(one, provider, example),
      );
      if (other) {
        return `${id} and ${other.entry.id} both match ${example}`;
      }
    }
  }
  return null;
}

function createCatalogError(fault: string): Error {
  return new Error(`the price catalog cannot be used: ${fault}. Make it again with npm run ai-prices`);
}

function compilePattern(text: string): RegExp | null {
  try {
    return new RegExp(`^(?:${text.slice(1, -1)})$`, 'iu');
  } catch {
    return null;
  }
}

function parseDay(day: string): number | null {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? parseIsoTime(`${day}T00:00:00Z`) : null;
}

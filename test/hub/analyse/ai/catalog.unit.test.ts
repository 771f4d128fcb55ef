// The price catalog of this version: which models have a price, which have none, and what stops a start.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AiProviderName } from '#contract/ai-records.ts';
import { parseBedrockId, toRouting } from '#hub/analyse/ai/pricing/bedrock-id.ts';
import { type Catalog, type CatalogEntry, openCatalog } from '#hub/analyse/ai/pricing/catalog.ts';
import { computeCost, findChosenPricing, summarizePricing, toAiPricing } from '#hub/analyse/ai/pricing/price.ts';
import { utcTime } from '#kernel/time/clock.ts';

const at = utcTime(2026, 11, 25, 12);
const prices = openCatalog();
const rates = (provider: AiProviderName, model: string) => {
  const price = prices.find(provider, model, at);
  return price && [price.inputUsdPerMillion, price.outputUsdPerMillion];
};

test('the figures that were checked against other sources', () => {
  expect(rates('cloud_a', 'claude-opus-5-5')).toEqual([4, 20]);
  expect(rates('cloud_a', 'claude-sonnet-5-5')).toEqual([2, 10]);
  expect(rates('cloud_b', 'gpt-6-sol')).toEqual([2, 10]);
  expect(rates('cloud_b', 'gpt-6-luna')).toEqual([0.1, 0.5]);
  expect(rates('cloud_c', 'us.anthropic.claude-sonnet-5')).toEqual([2.2, 11]);
  expect(rates('cloud_c', 'global.anthropic.claude-sonnet-5')).toEqual([2, 10]);
});

test('a family has its price with any date and in any case; other models of a like name have none', () => {
  expect(rates('cloud_a', 'claude-sonnet-5-5-20260901')).toEqual([2, 10]);
  expect(rates('cloud_a', 'Claude-Opus-5-5-20261101')).toEqual([4, 20]);
  expect(rates('cloud_b', 'gpt-6-sol-2026-09-01')).toEqual([2, 10]);
  expect(rates('cloud_c', 'anthropic.claude-sonnet-5-5-20260901-v1:0')).toEqual([2.2, 11]);
  const unknown = {
    cloud_a: [
      'claude-haiku-5-5',
      'claude-sonnet-5-6',
      'claude-opus-5-5-mini',
      'my-claude-opus-5-5',
      'claude',
      'gpt-6-sol',
    ],
    cloud_b: ['gpt-6-sol-mini', 'gpt-6', 'gpt-6-sol-2026', 'ft:gpt-6-sol:me', 'gpt-4o-2024-05-13', 'claude-opus-5-5'],
    cloud_c: [
      'claude-sonnet-5',
      'anthropic.claude-sonnet-6',
      'xx.anthropic.claude-sonnet-5',
      'amazon.titan-embed-text-v1',
    ],
  };
  for (const [provider, models] of Object.entries(unknown)) {
    for (const model of models) {
      expect([model, rates(provider as AiProviderName, model)]).toEqual([model, null]);
    }
  }
});

test('what an ARN of AWS Bedrock names has its price; other resources have none', () => {
  const arn = (rest: string) => rates('cloud_c', `arn:aws:bedrock:${rest}`);
  expect(arn('us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-5')).toEqual([2.2, 11]);
  expect(arn('eu-central-1:123456789012:inference-profile/global.anthropic.claude-sonnet-5')).toEqual([2, 10]);
  expect(arn('us-east-1::foundation-model/amazon.nova-pro-v1:0')).toEqual([0.8, 3.2]);
  expect(arn('us-east-1:123456789012:application-inference-profile/us.anthropic.claude-sonnet-5')).toBeNull();
  expect(arn('us-east-1:123456789012:provisioned-model/amazon.nova-pro-v1:0')).toBeNull();
  expect(arn('us-east-1::foundation-model/')).toBeNull();
  expect(arn('')).toBeNull();
  expect(
    ['a', 'arn:aws:bedrock:x::foundation-model/a', 'arn:aws:bedrock:x::foundation-model/a/b'].map(parseBedrockId),
  ).toEqual([...['a', 'a', null]]);
  expect(parseBedrockId('arn:arn:aws:bedrock:x::foundation-model/a')).toBeNull();
  expect(['GLOBAL.a', 'us.global.a', 'globala'].map(toRouting)).toEqual(['global', 'non-global', 'non-global']);
});

test('a local server costs 0, and says so; of others nothing costs 0', () => {
  const price = prices.find('local', 'qwen3:8b', at);
  expect(price).toMatchObject({ priceId: 'local', pricingVersion: prices.version, inputUsdPerMillion: 0 });
  expect(computeCost({ input: 5, output: 5, total: 10, cacheRead: 0, cacheWrite: 0 }, price)).toBe(0);
  fc.assert(
    fc.property(
      fc.constantFrom<AiProviderName>('cloud_a', 'cloud_b', 'cloud_c'),
      fc.oneof(fc.string(), fc.constantFrom('claude-opus-5-5', 'gpt-6-sol', 'us.anthropic.claude-sonnet-5', 'gpt-7')),
      fc.option(fc.record({ input: fc.nat(1e6), output: fc.nat(1e6) }), { nil: null }),
      (provider, model, tokens) => {
        const found = prices.find(provider, model, at);
        const usage = tokens && { ...tokens, total: tokens.input + tokens.output, cacheRead: 0, cacheWrite: 0 };
        const cost = computeCost(usage, found);
        expect(cost === null).toBe(usage === null || found === null);
        expect(cost === 0).toBe(usage?.total === 0 && found !== null);
      },
    ),
  );
});

test('cached tokens have a price of their own; what is shown of a price does not have it', () => {
  const price = prices.find('cloud_a', 'claude-opus-5-5', at);
  const usage = { input: 3_000_000, output: 1_000_000, total: 4_000_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 };
  expect(computeCost(usage, price)).toBeCloseTo(4 + 0.2 + 5 + 20, 10);
  expect(price && Object.keys(toAiPricing(price)).sort()).toEqual([
    'effectiveFrom',
    'inputUsdPerMillion',
    'outputUsdPerMillion',
    'priceId',
    'pricingVersion',
    'routing',
    'sourceUrl',
  ]);
});

test('of a list of models each has its price, or says that there is none', () => {
  const found = summarizePricing(prices, 'cloud_b', ['gpt-6-sol', 'gpt-6-sol-mini'], at);
  expect(found).toMatchObject({
    ...{ catalogVersion: prices.version, priced: 1, unpriced: 1 },
    models: [
      { provider: 'cloud_b', model: 'gpt-6-sol', priced: true, pricing: { priceId: 'openai/gpt-6-sol' } },
      { provider: 'cloud_b', model: 'gpt-6-sol-mini', priced: false, pricing: null },
    ],
  });
});

test('a price holds from its day to before the day of the next one', () => {
  const [before, change] = [utcTime(2026, 8, 21) - 1, utcTime(2026, 8, 21)];
  expect(prices.find('cloud_b', 'gpt-5.6-sol', before)).toMatchObject({ inputUsdPerMillion: 5 });
  expect(prices.find('cloud_b', 'gpt-5.6-sol', change)).toMatchObject({
    inputUsdPerMillion: 4,
    effectiveFrom: '2026-08-21',
  });
  expect(prices.find('cloud_b', 'gpt-5.6-sol', utcTime(2025, 12, 31))).toBeNull();
});

const one: CatalogEntry = {
  ...{ id: 'a', provider: 'cloud_c', modelPattern: '^a-(?:b|c)$', routing: 'any', examples: ['a-b'] },
  ...{
    inputUsdPerMillion: 1,
    outputUsdPerMillion: 2,
    effectiveFrom: '2026-01-01',
    sourceUrl: 'https://prices.example/',
  },
};
const source = { name: 's', version: '1', licence: 'MIT', url: 'https://prices.example/', published: '2026-02-01' };
const createCatalog = (entries: unknown[], more: Partial<Record<keyof Catalog, unknown>> = {}) => ({
  ...{ schemaVersion: 1, catalogVersion: '2026-03-01', currency: 'USD', source, entries, ...more },
});

/** A catalog of `one`, changed. */
const changed = (change: object) => createCatalog([{ ...one, ...change }]);

test.each<[string, unknown, RegExp]>([
  ['nothing', {}, /schemaVersion/],
  ['another version of its form', createCatalog([one], { schemaVersion: 2 }), /schemaVersion/],
  ['another currency', createCatalog([one], { currency: 'EUR' }), /currency/],
  ['no entry', createCatalog([]), /entries/],
  ['an id twice', createCatalog([one, { ...one, modelPattern: '^other$', examples: ['other'] }]), /a is there twice/],
  [
    'two entries of one model',
    createCatalog([one, { ...one, id: 'b', modelPattern: '^a-.$' }]),
    /a and b both match a-b/,
  ],
  [
    'two that overlap in time',
    createCatalog([
      { ...one, effectiveTo: '2026-02-02' },
      { ...one, id: 'b', effectiveFrom: '2026-02-01' },
    ]),
    /both match/,
  ],
  [
    'any and global',
    createCatalog([
      { ...one, modelPattern: '^global\\.a$', examples: ['global.a'] },
      { ...one, id: 'b', modelPattern: '^.*a$', routing: 'global', examples: ['global.a'] },
    ]),
    /both match/,
  ],
  ['an example that it does not match', changed({ examples: ['a-d'] }), /does not match its own example a-d/],
  ['an example of another routing', changed({ routing: 'global' }), /does not match its own example/],
  ['a beginning after the version', changed({ effectiveFrom: '2026-03-02' }), /2026-03-02, which is after the version/],
  ['an end after the version', changed({ effectiveTo: '2027-01-01' }), /2027-01-01, which is after the version/],
  ['an end before its beginning', changed({ effectiveTo: '2026-01-01' }), /not after it begins/],
  ['a day that there is not', changed({ effectiveFrom: '2026-02-30' }), /effectiveFrom must be a date/],
  [
    'a source from after the version',
    createCatalog([one], { source: { ...source, published: '2026-03-02' } }),
    /published on 2026-03-02/,
  ],
  ['a URL of another scheme', changed({ sourceUrl: 'xhttps://prices.example/' }), /sourceUrl must be/],
  ['a URL of a longer scheme', changed({ sourceUrl: 'httpsx://prices.example/' }), /sourceUrl must be/],
  ['letters before the anchor', changed({ modelPattern: 'x^a-b$' }), /modelPattern must begin with/],
  ['letters behind the anchor', changed({ modelPattern: '^a-b$x' }), /modelPattern must begin with/],
  ['more behind a date', changed({ effectiveFrom: '2026-01-011' }), /effectiveFrom must be a date/],
  ['more before a date', changed({ effectiveFrom: '+2026-01-01' }), /effectiveFrom must be a date/],
  ['an http URL', changed({ sourceUrl: 'http://prices.example/' }), /sourceUrl must be an https URL/],
  ['a pattern without an anchor', changed({ modelPattern: 'a-b' }), /modelPattern must begin with/],
  ['a pattern whose end is no anchor', changed({ modelPattern: '^a-b\\$' }), /modelPattern must begin with/],
  ['a pattern that is none', changed({ modelPattern: '^a-(b$' }), /modelPattern must be a regular expression/],
  ['alternatives of which one is not anchored', changed({ modelPattern: '^x|b$' }), /does not match its own example/],
  ['a price of 0', changed({ outputUsdPerMillion: 0 }), /outputUsdPerMillion must be more than 0/],
  ['a price below 0', changed({ cacheReadUsdPerMillion: -1 }), /cacheReadUsdPerMillion must be more than 0/],
  ['an unknown provider', changed({ provider: 'local' }), /provider/],
  ['an unknown member', changed({ model: 'a' }), /model/],
])('a catalog with %s stops the start', (_, content, message) => {
  expect(() => openCatalog(content)).toThrow(message);
  expect(() => openCatalog(content)).toThrow(/^the price catalog cannot be used: .*npm run ai-prices$/);
});

test('days may be that of the version; what a catalog says of itself and of a price is all of it, and no more', () => {
  const entry = { ...one, effectiveTo: '2026-03-01', cacheReadUsdPerMillion: 0.5 };
  const late = { ...one, id: 'b', effectiveFrom: '2026-03-01', sourceUrl: 'https://other.example/' };
  const whole = openCatalog(createCatalog([entry, late], { source: { ...source, published: '2026-03-01' } }));
  expect(whole.summary).toEqual({
    ...{ catalogVersion: '2026-03-01', currency: 'USD', effectiveFrom: '2026-03-01', approximate: true },
    sourceUrls: ['https://prices.example/', 'https://other.example/'],
  });
  const price = { inputUsdPerMillion: 1, outputUsdPerMillion: 2, routing: 'any', pricingVersion: '2026-03-01' };
  const change = utcTime(2026, 3, 1);
  expect(whole.find('cloud_c', 'a-b', change - 1)).toStrictEqual({
    ...{ ...price, priceId: 'a', effectiveFrom: '2026-01-01', sourceUrl: 'https://prices.example/' },
    cacheReadUsdPerMillion: 0.5,
  });
  const open = { ...price, priceId: 'b', effectiveFrom: '2026-03-01', sourceUrl: 'https://other.example/' };
  expect(whole.find('cloud_c', 'a-b', change)).toStrictEqual(open);
  expect(whole.find('cloud_b', 'a-b', change)).toBeNull();
  const models = { local: '', cloud_a: 'x', cloud_b: '', cloud_c: 'a-b' };
  const chosen = (provider: AiProviderName | 'disabled') => findChosenPricing(whole, { provider, models }, change);
  expect([chosen('disabled'), chosen('cloud_b'), chosen('cloud_a')]).toEqual([
    ...[null, null, { provider: 'cloud_a', model: 'x', priced: false, pricing: null }],
  ]);
  expect(chosen('cloud_c')).toEqual({ provider: 'cloud_c', model: 'a-b', priced: true, pricing: open });
});

test('without the fault it opens; two entries that match an id that is no example give none, not a guess', () => {
  expect(openCatalog(createCatalog([one])).find('cloud_c', 'A-C', at)).toMatchObject({ priceId: 'a' });
  const unseen = openCatalog(createCatalog([one, { ...one, id: 'b', modelPattern: '^a-(?:c|d)$', examples: ['a-d'] }]));
  expect(unseen.find('cloud_c', 'a-b', at)).toMatchObject({ priceId: 'a' });
  expect(unseen.find('cloud_c', 'a-c', at)).toBeNull();
});

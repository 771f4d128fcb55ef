// Records of AI insights that several routes answer with (docs/reference/wire-contract/3-records.md#310-ai-records).
import { z } from 'zod';
import { explain } from '#kernel/text/problem.ts';
import { aiLimits } from './ai-limits.ts';

/** Those that answer questions. `local` is a server of the network, the others are services of others. */
export const aiProviderNames = ['local', 'cloud_a', 'cloud_b', 'cloud_c'] as const;
export const aiCloudNames = ['cloud_a', 'cloud_b', 'cloud_c'] as const;
/** Those whose key the hub stores. */
export const aiKeyNames = ['cloud_a', 'cloud_b'] as const;
export const aiChoices = ['disabled', ...aiProviderNames] as const;

export type AiProviderName = (typeof aiProviderNames)[number];
export type AiCloudName = (typeof aiCloudNames)[number];
export type AiChoice = (typeof aiChoices)[number];

export const aiProvider = z.enum(aiProviderNames, `must be one of ${aiProviderNames.join(', ')}`);
export const aiChoice = z.enum(aiChoices, `must be one of ${aiChoices.join(', ')}`);

/** What the provider said that a request used; tokens of the input contain those that it took from a cache. */
export const aiUsage = z.object({ inputTokens: z.int(), outputTokens: z.int(), totalTokens: z.int() });
export type AiUsage = z.output<typeof aiUsage>;

/** An entry of the price catalog, as it was when a request was made. */
export const aiPricing = z
  .object({
    pricingVersion: z.string().describe('Version of the price catalog, a date'),
    priceId: z.string().describe('The entry of the catalog'),
    effectiveFrom: z.string().describe('Since when this price holds, a date'),
    sourceUrl: z.string().describe('Where the price is from'),
    routing: z.enum(['any', 'global', 'non-global']).describe('For which routing of the request it holds'),
    inputUsdPerMillion: z.number(),
    outputUsdPerMillion: z.number(),
  })
  .meta({ title: 'AiPricing' });
export type AiPricing = z.output<typeof aiPricing>;

export const aiPricingStatus = z.object({
  provider: aiProvider,
  model: z.string(),
  priced: z.boolean(),
  pricing: aiPricing.nullable().describe('Null when the catalog has no price of this model'),
});
export type AiPricingStatus = z.output<typeof aiPricingStatus>;

/** How many of the listed models have a price. */
export const aiModelPricing = z
  .object({
    catalogVersion: z.string(),
    priced: z.int(),
    unpriced: z.int(),
    models: z.array(aiPricingStatus),
  })
  .meta({ title: 'AiModelPricing' });
export type AiModelPricing = z.output<typeof aiModelPricing>;

/** Something that an answer states, at `start` (inclusive) to `end` of its text, in UTF-16 units. */
export const aiCitation = z.object({
  kind: z.enum(['address', 'host', 'number']),
  text: z.string(),
  start: z.int(),
  end: z.int(),
  verified: z
    .boolean()
    .describe(
      'It is in the facts that were sent, or a number that follows from two of them; that does not make the sentence true',
    ),
});
export type AiCitation = z.output<typeof aiCitation>;

/** What a request cost, as far as it is known. An unknown cost is null, never 0. */
export const aiCost = {
  usage: aiUsage.nullable().describe('Null when the provider said nothing about it that can be read'),
  pricing: aiPricing.nullable().describe('Null when the catalog has no price of this model'),
  estimatedCostUsd: z.number().nullable().describe('Null when usage or price is not known'),
};

/** The period that is asked about, and who is to answer. */
export const aiQuestion = {
  from: z.int().min(0).describe('Start, epoch milliseconds'),
  to: z.int().min(0).optional().describe('End, epoch milliseconds; now when absent. The period has at most 14 days'),
  sourceKind: z
    .enum(['router', 'agent'], 'must be router or agent')
    .optional()
    .describe('Only what a router or an Agent saw; goes with sourceId'),
  sourceId: z.string().min(1).max(128).optional().describe('Id of this router or Agent'),
  cloudConsentConfirmed: z
    .boolean()
    .optional()
    .describe('true: the caller agrees that this request is sent to the chosen cloud provider'),
  language: z
    .enum(['ja', 'en'], 'must be ja or en')
    .optional()
    .describe('Language of the answer; that of the settings when absent'),
  previewId: z.uuid().optional().describe('previewId of POST /api/ai/preview: exactly what was shown there is sent'),
};

/** Minutes to add to local time to get UTC, as `Date.getTimezoneOffset` of browsers. */
export const timezoneOffset = z
  .string()
  .regex(/^-?\d{1,3}$/, `must be minutes from -${aiLimits.aiTimezoneMinutes} to ${aiLimits.aiTimezoneMinutes}`)
  .transform(Number)
  .refine(
    (minutes) => Math.abs(minutes) <= aiLimits.aiTimezoneMinutes,
    explain(`must be minutes from -${aiLimits.aiTimezoneMinutes} to ${aiLimits.aiTimezoneMinutes}`, 'invalid_value'),
  )
  .optional()
  .describe('Minutes to add to local time to get UTC (UTC+9 is -540); 0 when absent');

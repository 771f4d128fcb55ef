// Schemas for AI insights that several routes share (docs/reference/wire-contract/3-records.md#310-ai-records).
import { z } from 'zod';
import { explain } from '#kernel/text/problem.ts';
import { aiLimits } from './ai-limits.ts';

export const aiCloudNames = ['cloud_a', 'cloud_b', 'cloud_c'] as const;
/** `local` is an AI server in the network that the hub watches. */
export const aiProviderNames = ['local', ...aiCloudNames] as const;
/** Providers whose API key the hub stores. */
export const aiKeyNames = ['cloud_a', 'cloud_b'] as const;
export const aiChoices = ['disabled', ...aiProviderNames] as const;

export type AiProviderName = (typeof aiProviderNames)[number];
export type AiCloudName = (typeof aiCloudNames)[number];
export type AiChoice = (typeof aiChoices)[number];

export const aiProvider = z.enum(aiProviderNames, `must be one of ${aiProviderNames.join(', ')}`);
export const aiChoice = z.enum(aiChoices, `must be one of ${aiChoices.join(', ')}`);

/** Tokens of a request as the provider reported them; `inputTokens` includes those that it took from a cache. */
export const aiUsage = z.object({ inputTokens: z.int(), outputTokens: z.int(), totalTokens: z.int() });
export type AiUsage = z.output<typeof aiUsage>;

/** A copy of an entry of the price catalog; a stored request keeps the entry of its time. */
export const aiPricing = z
  .object({
    pricingVersion: z.string().describe('Version of the price catalog, a date'),
    priceId: z.string().describe('Id of the entry in the catalog'),
    effectiveFrom: z.string().describe('First day on which this price applies, a date'),
    sourceUrl: z.string().describe('Page that states the price; empty for a local server'),
    routing: z
      .enum(['any', 'global', 'non-global'])
      .describe('Cross-region routing of the model that this price is for; any: every routing'),
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

/** An item in the text of an answer, from `start` (inclusive) to `end` (exclusive), in UTF-16 units. */
export const aiCitation = z.object({
  kind: z.enum(['address', 'host', 'number']),
  text: z.string(),
  start: z.int(),
  end: z.int(),
  verified: z
    .boolean()
    .describe(
      'It is in the facts that were sent, or a number computed from two of them; the sentence may still be wrong',
    ),
});
export type AiCitation = z.output<typeof aiCitation>;

/** The usage and the cost of a request. An unknown cost is null, never 0. */
export const aiCost = {
  usage: aiUsage.nullable().describe('Null when the provider reported no usage that can be read'),
  pricing: aiPricing.nullable().describe('Null when the catalog has no price of this model'),
  estimatedCostUsd: z.number().nullable().describe('Null when usage or price is not known'),
};

/** Members of a request for an answer: its period, its source, the consent to send it, and the language. */
export const aiQuestion = {
  from: z.int().min(0).describe('Start, epoch milliseconds'),
  to: z.int().min(0).optional().describe('End, epoch milliseconds; now when absent. The period has at most 14 days'),
  sourceKind: z
    .enum(['router', 'agent'], 'must be router or agent')
    .optional()
    .describe('Restricts the facts to what one router or Agent saw; needs sourceId'),
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

const timezoneProblem = `must be minutes from -${aiLimits.aiTimezoneMinutes} to ${aiLimits.aiTimezoneMinutes}`;

/** As `Date.getTimezoneOffset` of browsers. */
export const timezoneOffset = z
  .string()
  .regex(/^-?\d{1,3}$/, timezoneProblem)
  .transform(Number)
  .refine((minutes) => Math.abs(minutes) <= aiLimits.aiTimezoneMinutes, explain(timezoneProblem, 'invalid_value'))
  .optional()
  .describe('Minutes to add to local time to get UTC (UTC+9 is -540); 0 when absent');

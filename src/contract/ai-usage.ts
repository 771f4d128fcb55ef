// What requests to AI providers used and cost, month by month (docs/reference/wire-contract/4-endpoints.md#usage).
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { aiPricingStatus, aiProvider, timezoneOffset } from './ai-records.ts';

/** Models that were used without a price in the catalog, most tokens first; at most 20. */
const unpricedModels = z.array(
  z.object({
    provider: aiProvider,
    model: z.string(),
    requests: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    totalTokens: z.int(),
    lastUsedAt: z.int(),
  }),
);

/** A calendar month of local time, from `from` to before `to`. */
const month = z.object({
  from: z.int(),
  to: z.int(),
  requests: z.int().describe('All that a provider answered, with those of `unanswered`'),
  inputTokens: z.int(),
  outputTokens: z.int(),
  totalTokens: z.int(),
  pricedRequests: z.int().describe('Whose usage and price were known'),
  pricedTokens: z.int().describe('Tokens of the priced requests'),
  usageMissingRequests: z
    .int()
    .describe('Whose provider said nothing about usage that can be read: what they cost is not known'),
  unknownPriceRequests: z
    .int()
    .describe('Whose usage is known, but whose model had no price in the catalog: what they cost is not known'),
  unpricedTokens: z.int().describe('Tokens of the requests of unknown price'),
  estimatedCostUsd: z
    .number()
    .nullable()
    .describe('Of the priced requests alone; null when there is none. Without charges of guardrails and other extras'),
  unanswered: z
    .object({
      requests: z.int(),
      totalTokens: z.int(),
      pricedRequests: z.int().describe('Whose usage and price were known'),
      estimatedCostUsd: z.number().nullable().describe('Of the priced requests alone; null when there is none'),
    })
    .describe(
      'Of all requests those whose answer was refused, cut, empty, unreadable or too late, or could not be stored',
    ),
  unpricedModels,
});
export type AiMonth = z.output<typeof month>;

const pricing = z.object({
  catalogVersion: z.string(),
  currency: z.literal('USD'),
  effectiveFrom: z.string(),
  sourceUrls: z.array(z.string()),
  approximate: z.literal(true),
});

const selectedModel = aiPricingStatus.nullable().describe('Of the chosen model; null when none is chosen');

const monthlyUsage = z.object({ pricing, selectedModel, current: month, previous: month });
export type AiMonthlyUsage = z.output<typeof monthlyUsage>;

const pricingDiagnostics = z.object({
  pricing,
  selectedModel,
  currentUnpricedModels: unpricedModels,
  previousUnpricedModels: unpricedModels,
});
export type AiPricingDiagnostics = z.output<typeof pricingDiagnostics>;

export const aiUsageRoutes = {
  monthlyUsage: get('/api/ai/usage/monthly', can('ai.run'), {
    summary: 'Requests, tokens and estimated cost of this and the previous month of local time',
    query: z.strictObject({ timezoneOffset }),
    reply: { 200: monthlyUsage },
  }),
  pricingDiagnostics: get('/api/ai/pricing/diagnostics', can('ai.run'), {
    summary: 'Which models were used without a price in the catalog, this and the previous month',
    query: z.strictObject({ timezoneOffset }),
    reply: { 200: pricingDiagnostics },
  }),
} as const satisfies RouteTable<Access>;

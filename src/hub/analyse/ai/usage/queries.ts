// What requests of months used and cost: read from the rows as they were stored, in a reader thread.
import type { AiMonth, AiMonthlyUsage, AiPricingDiagnostics } from '#contract/ai-usage.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { Month } from './months.ts';

type Months = Record<'current' | 'previous', Month>;
type Totals = Omit<AiMonth, 'from' | 'to' | 'unpricedModels' | 'unanswered'>;
type UnpricedModels = AiMonth['unpricedModels'];

/** Every request, answered or not, is of one of these: without usage, without a price, or priced. */
const missing = 'total_tokens IS NULL';
const unpriced = 'total_tokens IS NOT NULL AND cost_usd IS NULL';
const priced = 'total_tokens IS NOT NULL AND cost_usd IS NOT NULL';

export const aiUsageQueries = {
  monthlyUsage: (
    reader: Reader,
    { months: { current, previous }, ...context }: { months: Months } & Omit<AiMonthlyUsage, keyof Months>,
  ): AiMonthlyUsage => ({ ...context, current: readMonth(reader, current), previous: readMonth(reader, previous) }),

  pricingDiagnostics: (
    reader: Reader,
    { months, ...context }: { months: Months } & Pick<AiPricingDiagnostics, 'pricing' | 'selectedModel'>,
  ): AiPricingDiagnostics => ({
    ...context,
    currentUnpricedModels: readUnpricedModels(reader, months.current),
    previousUnpricedModels: readUnpricedModels(reader, months.previous),
  }),
};

function readMonth(reader: Reader, month: Month): AiMonth {
  // total() adds as floating-point numbers: a sum of integers that is too large would be an error.
  const { estimatedCostUsd, ...counts } = reader
    .prepare(
      `SELECT count(*) AS requests, total(input_tokens) AS inputTokens, total(output_tokens) AS outputTokens,
         total(total_tokens) AS totalTokens,
         count(*) FILTER (WHERE ${priced}) AS pricedRequests, total(total_tokens) FILTER (WHERE ${priced}) AS pricedTokens,
         count(*) FILTER (WHERE ${missing}) AS usageMissingRequests,
         count(*) FILTER (WHERE ${unpriced}) AS unknownPriceRequests,
         total(total_tokens) FILTER (WHERE ${unpriced}) AS unpricedTokens,
         sum(cost_usd) FILTER (WHERE ${priced}) AS estimatedCostUsd
       FROM ai_usage WHERE created_at >= :from AND created_at < :to`,
    )
    .get(month) as Totals;
  const lists = { unanswered: readUnanswered(reader, month), unpricedModels: readUnpricedModels(reader, month) };
  return { ...month, ...capNumbers(counts), estimatedCostUsd, ...lists };
}

function readUnanswered(reader: Reader, month: Month): AiMonth['unanswered'] {
  const { estimatedCostUsd, ...counts } = reader
    .prepare(
      `SELECT count(*) AS requests, total(total_tokens) AS totalTokens, count(*) FILTER (WHERE ${priced}) AS pricedRequests,
         sum(cost_usd) FILTER (WHERE ${priced}) AS estimatedCostUsd
       FROM ai_usage WHERE created_at >= :from AND created_at < :to AND error_code IS NOT NULL`,
    )
    .get(month) as AiMonth['unanswered'];
  return { ...capNumbers(counts), estimatedCostUsd };
}

function readUnpricedModels(reader: Reader, month: Month): UnpricedModels {
  const rows = reader
    .prepare(
      `SELECT provider, model, count(*) AS requests, total(input_tokens) AS inputTokens,
         total(output_tokens) AS outputTokens, total(total_tokens) AS totalTokens, max(created_at) AS lastUsedAt
       FROM ai_usage WHERE created_at >= :from AND created_at < :to AND ${unpriced}
       GROUP BY provider, model ORDER BY totalTokens DESC, lastUsedAt DESC, provider, model
       LIMIT ${limits.aiUnpricedModels}`,
    )
    .all(month) as UnpricedModels;
  return rows.map(({ provider, model, ...counts }) => ({ provider, model, ...capNumbers(counts) }));
}

/** Whole numbers that JSON carries; what is more is the largest of them. */
function capNumbers<N extends Record<string, number>>(numbers: N): N {
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, Math.min(value, Number.MAX_SAFE_INTEGER)]),
  ) as N;
}

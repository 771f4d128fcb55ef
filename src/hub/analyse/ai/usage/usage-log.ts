// Requests that a provider answered, one row each, with the price of their time. Rows are appended and never change.
import type { AiUsage } from '#contract/ai-records.ts';
import type { Reader, Writer } from '#kernel/sqlite/sqlite.ts';
import type { Price } from '../pricing/price.ts';
import type { Target, Usage } from '../providers/provider.ts';

export type RequestKind = 'analysis' | 'chat' | 'draft' | 'notification' | 'test';

export interface UsedRequest {
  /** A UUID; a second row with the same one fails. */
  requestId: string;
  kind: RequestKind;
  /** Epoch milliseconds. */
  at: number;
  target: Pick<Target, 'provider' | 'model'>;
  usage: Usage | null;
  pricingVersion: string;
  price: Price | null;
  /** USD; null when it is not known. */
  cost: number | null;
  /** Why there is no answer to the question; null when there is one. */
  errorCode: string | null;
}

export function appendUsage(writer: Writer, request: UsedRequest): void {
  const { usage, price, target, ...columns } = request;
  writer
    .prepare(
      `INSERT INTO ai_usage (request_id, kind, created_at, provider, model, input_tokens, output_tokens, total_tokens,
         cache_read_tokens, cache_write_tokens, pricing_version, price, cost_usd, error_code)
       VALUES (@requestId, @kind, @at, @provider, @model, @input, @output, @total, @cacheRead, @cacheWrite, @pricingVersion,
         @price, @cost, @errorCode)`,
    )
    .run({
      ...columns,
      provider: target.provider,
      model: target.model,
      ...(usage ?? { input: null, output: null, total: null, cacheRead: null, cacheWrite: null }),
      price: price && JSON.stringify(price),
    });
}

/** What a request used, whatever came of it; all null when nothing is known. */
export function readUsage(
  db: Pick<Reader, 'prepare'>,
  requestId: string,
): { usage: AiUsage | null; estimatedCostUsd: number | null } {
  const row = db
    .prepare(
      `SELECT input_tokens AS inputTokens, output_tokens AS outputTokens, total_tokens AS totalTokens,
         cost_usd AS estimatedCostUsd
       FROM ai_usage WHERE request_id = @requestId AND total_tokens IS NOT NULL`,
    )
    .get({ requestId }) as (AiUsage & { estimatedCostUsd: number | null }) | undefined;
  if (!row) {
    return { usage: null, estimatedCostUsd: null };
  }
  const { estimatedCostUsd, ...usage } = row;
  return { usage, estimatedCostUsd };
}

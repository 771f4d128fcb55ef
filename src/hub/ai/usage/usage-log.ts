// Requests that were answered, one row each, with the price of their time. Rows are appended and never change.
import type { Writer } from '#kernel/sqlite.ts';
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
}

export function appendUsage(writer: Writer, request: UsedRequest): void {
  const { usage, price, target } = request;
  writer
    .prepare(
      `INSERT INTO ai_usage (request_id, kind, created_at, provider, model, input_tokens, output_tokens, total_tokens,
         cache_read_tokens, cache_write_tokens, pricing_version, price, cost_usd)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[request.requestId, request.kind, request.at, target.provider, target.model],
      ...[usage?.input ?? null, usage?.output ?? null, usage?.total ?? null],
      ...[usage?.cacheRead ?? null, usage?.cacheWrite ?? null],
      ...[request.pricingVersion, price && JSON.stringify(price), request.cost],
    );
}

// Rows of requests to AI providers in the database of a lab: appended as the hub does, and read as they are stored.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import Database from 'better-sqlite3';
import { openCatalog } from '#hub/analyse/ai/pricing/catalog.ts';
import { computeCost, type PriceList } from '#hub/analyse/ai/pricing/price.ts';
import { appendUsage, type UsedRequest } from '#hub/analyse/ai/usage/usage-log.ts';

type Place = { dataDir: string };

export type Asked = Pick<UsedRequest, 'at'> & {
  provider?: UsedRequest['target']['provider'];
  model?: string;
  /** Tokens of the input and the output; null: the provider said nothing. */
  tokens?: readonly [number, number] | null;
  /** Why it was not answered; null when absent: it was. */
  errorCode?: string | null;
};

/** Those of this version. */
const ownPrices = openCatalog();

/** A request that was answered, with its price by `prices`. */
export function usedRequest(
  { at, provider = 'cloud_b', model = 'gpt-6-sol', tokens = [1000, 100], errorCode = null }: Asked,
  prices: PriceList = ownPrices,
): UsedRequest {
  const price = prices.find(provider, model, at);
  const [input = 0, output = 0] = tokens ?? [];
  const usage = tokens && { input, output, total: input + output, cacheRead: 0, cacheWrite: 0 };
  return {
    ...{ requestId: randomUUID(), kind: 'analysis', at, target: { provider, model }, usage },
    ...{ pricingVersion: prices.version, price, cost: computeCost(usage, price), errorCode },
  };
}

export function appendRequests(lab: Place, requests: readonly UsedRequest[]): void {
  const db = open(lab);
  try {
    db.transaction(() => {
      for (const request of requests) {
        appendUsage(db, request);
      }
    })();
  } finally {
    db.close();
  }
}

/** All of every row but its number. */
export function storedRequests(lab: Place): unknown[] {
  const db = open(lab, true);
  try {
    const rows = db.prepare('SELECT * FROM ai_usage ORDER BY request_id').all() as { id: number }[];
    return rows.map(({ id: _, ...row }) => row);
  } finally {
    db.close();
  }
}

export function open(lab: Place, readonly = false) {
  return new Database(path.join(lab.dataDir, 'monitor.db'), { readonly });
}

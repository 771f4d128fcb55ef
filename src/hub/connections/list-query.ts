// The list: one page, how many match in all, and where the next page begins.
import type { z } from 'zod';
import type { connectionList } from '#contract/connections.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { countMatching } from './count.ts';
import { cursorOf } from './order.ts';
import { type PageQuery, readPage } from './page.ts';

export interface ListParams extends PageQuery {
  /** Without paging: the answer says whether rows are missing, and has no cursor. */
  isWhole: boolean;
  now: number;
}

export function listConnections(reader: Reader, params: ListParams): z.output<typeof connectionList> {
  const { limit, offset, isWhole, now } = params;
  const total = countMatching(reader, params.filter);
  const rows = limit === 0 || offset >= total ? [] : readPage(reader, { ...params, limit: limit + 1 }, total);
  const connections = rows.slice(0, limit);
  const last = rows.length > limit ? connections.at(-1) : undefined;
  const end = isWhole ? { truncated: total > limit } : { next: last ? cursorOf(params, last) : null };
  return { connections, total, limit, offset, serverTime: now, ...end };
}

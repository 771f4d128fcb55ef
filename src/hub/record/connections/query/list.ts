// The list: a page with the total and a cursor, or all rows without paging.
import type { z } from 'zod';
import type { connectionList } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { Chunks } from '../../../base/readers/query-table.ts';
import { countMatching } from './count.ts';
import { formatCursor } from './order.ts';
import { type PageQuery, readPage, readPages } from './page.ts';

export type ConnectionListAnswer = z.output<typeof connectionList>;

export interface ListParams extends PageQuery {
  now: number;
}

/** Rows of the unpaged list in memory at once: fewer would cost more look-ups in the dictionaries. */
const rowsAtOnce = 2000;

export function listConnections(reader: Reader, params: ListParams): ConnectionListAnswer {
  const { limit, offset, now } = params;
  const total = countMatching(reader, params.filter);
  const rows = limit === 0 || offset >= total ? [] : readPage(reader, { ...params, limit: limit + 1 }, total);
  const connections = rows.slice(0, limit);
  const last = rows.length > limit ? connections.at(-1) : undefined;
  return { connections, total, limit, offset, serverTime: now, next: last ? formatCursor(params, last) : null };
}

/** Without paging: the answer has no cursor, and says whether it is truncated. */
export function* listAllConnections(
  reader: Reader,
  { now, ...query }: Omit<ListParams, 'limit' | 'offset' | 'after'>,
): Chunks<ConnectionListAnswer> {
  const limit = limits.connectionsUnpaged;
  const total = countMatching(reader, query.filter);
  yield '{"connections":[';
  let before = '';
  for (const page of readPages(reader, query, { rows: Math.min(total, limit), rowsAtOnce })) {
    yield before + JSON.stringify(page).slice(1, -1);
    before = ',';
  }
  const end = { total, limit, offset: 0, serverTime: now, truncated: total > limit };
  yield `],${JSON.stringify(end).slice(1)}`;
}

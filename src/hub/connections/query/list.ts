// The list: one page, how many match in all, and where the next page begins; or all of them without pages.
import type { z } from 'zod';
import type { connectionList } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite.ts';
import type { Pieces } from '../../readers/query-table.ts';
import { countMatching } from './count.ts';
import { cursorOf } from './order.ts';
import { type PageQuery, readPage, readPages } from './page.ts';

export type ConnectionListAnswer = z.output<typeof connectionList>;

export interface ListParams extends PageQuery {
  now: number;
}

/** Rows of the unpaged list that are in memory at once: fewer would cost more look-ups of words in the dictionary. */
const rowsAtOnce = 2000;

export function listConnections(reader: Reader, params: ListParams): ConnectionListAnswer {
  const { limit, offset, now } = params;
  const total = countMatching(reader, params.filter);
  const rows = limit === 0 || offset >= total ? [] : readPage(reader, { ...params, limit: limit + 1 }, total);
  const connections = rows.slice(0, limit);
  const last = rows.length > limit ? connections.at(-1) : undefined;
  return { connections, total, limit, offset, serverTime: now, next: last ? cursorOf(params, last) : null };
}

/** Without paging: the answer says whether rows are missing, and has no cursor. */
export function* listAllConnections(
  reader: Reader,
  { now, ...query }: Omit<ListParams, 'limit' | 'offset' | 'after'>,
): Pieces<ConnectionListAnswer> {
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

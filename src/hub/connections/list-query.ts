// A page of the connection log: the rows behind a place or an offset, and how many match in all.
import type { z } from 'zod';
import type { ConnectionFilter, connectionList } from '#contract/connections.ts';
import type { Connection } from '#contract/model.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { type ConnectionRow, connectionColumns, toConnection } from './connection-row.ts';
import { countOf } from './count.ts';
import { allOf, type Condition, matching } from './filter.ts';
import { readObserverSets } from './observer-set.ts';
import { behind, cursorOf, type Order, orderBy, parseCursor } from './order.ts';

export interface ListParams extends Order {
  filter: ConnectionFilter;
  /** 0 counts only. */
  limit: number;
  offset: number;
  /** A cursor of this order, in place of `offset`. */
  after?: string | undefined;
  /** Without paging: the answer says whether rows are missing, and has no cursor. */
  isWhole: boolean;
  now: number;
}

type ConnectionList = z.output<typeof connectionList>;

export function listConnections(reader: Reader, params: ListParams): ConnectionList {
  const { limit, offset, isWhole, now } = params;
  const { connections, total, next } = readPage(reader, params);
  const end = isWhole ? { truncated: total > limit } : { next };
  return { connections, total, limit, offset, serverTime: now, ...end };
}

function readPage(
  reader: Reader,
  params: ListParams,
): { connections: Connection[]; total: number; next: string | null } {
  const where = matching(params.filter);
  const total = countOf(reader, where);
  if (params.limit === 0 || params.offset >= total) {
    return { connections: [], total, next: null };
  }
  const place = params.after === undefined ? null : parseCursor(params, params.after);
  const page = place
    ? { ...allOf([where, behind(params, place)]), offset: 0 }
    : offsetPage(reader, where, params, total);
  const rows = readRows(reader, page, params, { limit: params.limit + 1, offset: page.offset });
  const connections = rows.slice(0, params.limit);
  const last = rows.length > params.limit ? connections.at(-1) : undefined;
  return { connections, total, next: last ? cursorOf(params, last) : null };
}

/** Rows of `where` in `order`, as the API shows them. */
export function readRows(
  reader: Reader,
  where: Condition,
  order: Order,
  { limit, offset }: { limit: number; offset: number },
): Connection[] {
  const rows = reader
    .prepare(
      `SELECT ${connectionColumns}
       FROM flow f JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id
       WHERE ${where.sql} ORDER BY ${orderBy(order)} LIMIT ? OFFSET ?`,
    )
    .all(...where.values, limit, offset) as ConnectionRow[];
  const sets = reader.remembered('observer sets', () => readObserverSets(reader));
  return rows.map((row) => toConnection(row, sets.get(row.observers) ?? { observedBy: [], source: 'unknown' }));
}

/**
 * Where a page lies. In the order of time, the index alone tells the instants of its first and last row, so that rows
 * before it are neither joined nor sorted by the tie-break; `offset` then counts from the first of these instants.
 */
function offsetPage(
  reader: Reader,
  where: Condition,
  query: ListParams,
  total: number,
): Condition & { offset: number } {
  if (query.sort !== 'lastSeen' || query.offset === 0) {
    return { ...where, offset: query.offset };
  }
  const instants = reader.prepare(
    `SELECT f.last_seen AS at FROM flow f WHERE ${where.sql} ORDER BY f.last_seen ${query.sortDir} LIMIT 1 OFFSET ?`,
  );
  const instantOf = (row: number) => (instants.get(...where.values, row) as { at: number }).at;
  const begin = instantOf(query.offset);
  const end = instantOf(Math.min(query.offset + query.limit + 1, total) - 1);
  const beyond = query.sortDir === 'asc' ? '<' : '>';
  const before = countOf(reader, allOf([where, { sql: `f.last_seen ${beyond} ?`, values: [begin] }]));
  const page = { sql: 'f.last_seen BETWEEN ? AND ?', values: [Math.min(begin, end), Math.max(begin, end)] };
  return { ...allOf([where, page]), offset: query.offset - before };
}

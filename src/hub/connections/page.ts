// Rows of the log from a place on, in any order, by the way that reads the least.
import type { ConnectionFilter } from '#contract/connections.ts';
import type { Connection } from '#contract/model.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { type ConnectionRow, connectionColumns, readRowWords, toConnection } from './connection-row.ts';
import { countOf, indexFor, isMoreThan, withoutIdleBounds } from './count.ts';
import { allOf, type Condition, type FlowIndex, matching } from './filter.ts';
import { behind, type Order, orderBy, parseCursor, type Value } from './order.ts';
import { groupsOf } from './sort-groups.ts';

export interface PageQuery extends Order {
  filter: ConnectionFilter;
  limit: number;
  offset: number;
  /** A cursor of this order, in place of `offset`. */
  after?: string | undefined;
}

/** Rows that are fetched and sorted sooner than the index of time is followed to find them. */
const few = 2000;
/** Rows that are passed over one by one before a page in an order other than that of time. */
const maxPassed = 5000;

export const newestFirst: Order = { sort: 'lastSeen', sortDir: 'desc' };

/** Rows `offset` … `offset + limit` of the `total` that match. */
export function readPage(reader: Reader, query: PageQuery, total: number): Connection[] {
  const filter = withoutIdleBounds(reader, query.filter);
  const place = query.after === undefined ? null : parseCursor(query, query.after);
  if (query.sort !== 'lastSeen' && total > few && query.offset <= maxPassed) {
    return walkGroups(reader, filter, query, place);
  }
  const where = allOf([matching(filter), ...(place ? [behind(query, place)] : [])]);
  if (query.sort !== 'lastSeen' || total <= few) {
    return readRows(reader, where, query, total <= few ? indexFor(reader, filter, few) : null, query);
  }
  const page = place ? { ...where, offset: 0 } : offsetPage(reader, where, query, total);
  return readRows(reader, page, query, 'flow_seen', { limit: query.limit, offset: page.offset });
}

/** Group after group of the order, each newest first, until the page is full. */
function walkGroups(
  reader: Reader,
  filter: ConnectionFilter,
  query: PageQuery,
  place: readonly Value[] | null,
): Connection[] {
  const where = matching(filter);
  const rows: Connection[] = [];
  const wanted = query.offset + query.limit;
  for (const group of groupsOf(reader, query, place)) {
    const ofGroup = allOf([where, group.condition, ...(group.place ? [behind(newestFirst, group.place)] : [])]);
    const index = isMoreThan(reader, few, group.condition, group.index) ? 'flow_seen' : group.index;
    rows.push(...readRows(reader, ofGroup, newestFirst, index, { limit: wanted - rows.length, offset: 0 }));
    if (rows.length >= wanted) {
      break;
    }
  }
  return rows.slice(query.offset);
}

/** Rows of `where` in `order`, as the API shows them. `index` finds them; null leaves the choice to SQLite. */
function readRows(
  reader: Reader,
  where: Condition,
  order: Order,
  index: FlowIndex | null,
  { limit, offset }: { limit: number; offset: number },
): Connection[] {
  const rows = reader
    .prepare(
      `SELECT ${connectionColumns}
       FROM flow f ${index === null ? '' : `INDEXED BY ${index}`}
       CROSS JOIN source s ON s.id = f.source_id CROSS JOIN destination d ON d.id = f.destination_id
       WHERE ${where.sql} ORDER BY ${orderBy(order)} LIMIT ? OFFSET ?`,
    )
    .all(...where.values, limit, offset) as ConnectionRow[];
  const words = reader.remembered('row words', () => readRowWords(reader));
  return rows.map((row) => toConnection(row, words));
}

/**
 * Where a page lies. In the order of time, the index alone tells the instants of its first and last row, so that rows
 * before it are neither joined nor sorted by the tie-break; `offset` then counts from the first of these instants.
 */
function offsetPage(reader: Reader, where: Condition, query: PageQuery, total: number): Condition & { offset: number } {
  if (query.offset === 0) {
    return { ...where, offset: 0 };
  }
  const instants = reader.prepare(
    `SELECT f.last_seen AS at FROM flow f INDEXED BY flow_seen WHERE ${where.sql}
     ORDER BY f.last_seen ${query.sortDir} LIMIT 1 OFFSET ?`,
  );
  const instantOf = (row: number) => (instants.get(...where.values, row) as { at: number }).at;
  const begin = instantOf(query.offset);
  const end = instantOf(Math.min(query.offset + query.limit, total) - 1);
  const beyond = query.sortDir === 'asc' ? '<' : '>';
  const before = countOf(reader, allOf([where, { sql: `f.last_seen ${beyond} ?`, values: [begin] }]), 'flow_seen');
  const page = { sql: 'f.last_seen BETWEEN ? AND ?', values: [Math.min(begin, end), Math.max(begin, end)] };
  return { ...allOf([where, page]), offset: query.offset - before };
}

// Rows of the log from a place on, in any order, by the way that reads the least.
import type { ConnectionFilter, SortColumn } from '#contract/connections.ts';
import type { Connection } from '#contract/model.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { countOf, indexFor, isMoreThan, withoutIdleBounds } from './count.ts';
import { allOf, type Condition, type FlowIndex, matching } from './filter.ts';
import { behind, cursorOf, type Order, orderBy, parseCursor, type Value } from './order.ts';
import { type ConnectionRow, connectionColumns, readRowWords, toConnection } from './row.ts';
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
/** Rows that are read and passed over, one by one, before a page in an order other than that of time. */
const maxPassed = 5000;

export const newestFirst: Order = { sort: 'lastSeen', sortDir: 'desc' };

/** Rows `offset` … `offset + limit` of the `total` that match. */
export function readPage(reader: Reader, query: PageQuery, total: number): Connection[] {
  const filter = withoutIdleBounds(reader, query.filter);
  const place = query.after === undefined ? null : parseCursor(query, query.after);
  if (query.sort !== 'lastSeen' && total > few) {
    return walkGroups(reader, filter, { ...query, sort: query.sort }, place);
  }
  const where = allOf([matching(reader, filter), ...(place ? [behind(query, place)] : [])]);
  if (total <= few) {
    return readRows(reader, where, query, indexFor(reader, filter, few), query);
  }
  const page = place ? { ...where, offset: 0 } : offsetPage(reader, where, query, total);
  return readRows(reader, page, query, 'flow_seen', { limit: query.limit, offset: page.offset });
}

/** The first `rows` rows, page after page: each goes on behind the last row of the one before. */
export function* readPages(
  reader: Reader,
  query: Order & { filter: ConnectionFilter },
  { rows, rowsAtOnce }: { rows: number; rowsAtOnce: number },
): Generator<Connection[]> {
  let after: string | undefined;
  for (let left = rows; left > 0; left -= rowsAtOnce) {
    const page = readPage(reader, { ...query, limit: Math.min(left, rowsAtOnce), offset: 0, after }, rows);
    const last = page.at(-1);
    if (!last) {
      return;
    }
    after = cursorOf(query, last);
    yield page;
  }
}

/** Group after group of the order, each newest first, until the page is full. */
function walkGroups(
  reader: Reader,
  filter: ConnectionFilter,
  query: PageQuery & { sort: Exclude<SortColumn, 'lastSeen'> },
  place: readonly Value[] | null,
): Connection[] {
  const where = matching(reader, filter);
  const rows: Connection[] = [];
  const sizes = query.offset > maxPassed ? groupSizes(reader, query.sort, filter, where) : null;
  let passing = query.offset;
  for (const group of groupsOf(reader, query, place)) {
    const size = sizes === null ? Number.POSITIVE_INFINITY : (sizes.get(group.key) ?? 0);
    if (passing >= size) {
      passing -= size;
      continue;
    }
    const limit = query.limit - rows.length;
    const ofGroup = allOf([where, group.condition, ...(group.place ? [behind(newestFirst, group.place)] : [])]);
    const index = isMoreThan(reader, few, group.condition, group.index) ? 'flow_seen' : group.index;
    if (sizes !== null && index === 'flow_seen') {
      const page = offsetPage(reader, ofGroup, { ...newestFirst, limit, offset: passing }, size);
      rows.push(...readRows(reader, page, newestFirst, index, { limit, offset: page.offset }));
      passing = 0;
    } else {
      const found = readRows(reader, ofGroup, newestFirst, index, { limit: passing + limit, offset: 0 });
      rows.push(...found.slice(passing));
      passing = Math.max(0, passing - found.length);
    }
    if (rows.length >= query.limit) {
      break;
    }
  }
  return rows;
}

/** How many flows of each group match, by the group's key: groups before a deep offset are passed over whole. */
function groupSizes(
  reader: Reader,
  sort: Exclude<SortColumn, 'lastSeen'>,
  filter: ConnectionFilter,
  where: Condition,
): ReadonlyMap<Value, number> {
  const isEvery = where.values.length === 0;
  const index = (own: FlowIndex) => (isEvery ? own : indexFor(reader, filter, few));
  const counted = (column: string, own: FlowIndex) =>
    `SELECT f.${column} AS key, count(*) AS size FROM flow f INDEXED BY ${index(own)} WHERE ${where.sql} GROUP BY 1`;
  const ofWord = (name: 'country' | 'org') =>
    `SELECT d.${name}, sum(c.size) FROM (${counted('destination_id', 'flow_destination')}) c
     JOIN destination d ON d.id = c.key GROUP BY 1`;
  const sql = {
    src: () => counted('source_id', 'sqlite_autoindex_flow_1'),
    dst: () => counted('destination_id', 'flow_destination'),
    dport: () => counted('dport', 'flow_dport'),
    proto: () => counted('proto', 'flow_proto'),
    country: () => ofWord('country'),
    org: () => ofWord('org'),
  }[sort]();
  const sizes = () =>
    new Map(
      reader
        .prepare(sql)
        .raw()
        .all(...where.values) as [Value, number][],
    );
  return reader.remembered(`sizes ${JSON.stringify([sql, where.values])}`, sizes);
}

/** Rows of `where` in `order`, as the API shows them; `index` finds them. */
function readRows(
  reader: Reader,
  where: Condition,
  order: Order,
  index: FlowIndex,
  { limit, offset }: { limit: number; offset: number },
): Connection[] {
  const rows = reader
    .prepare(
      `SELECT ${connectionColumns}
       FROM flow f INDEXED BY ${index}
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
function offsetPage(
  reader: Reader,
  where: Condition,
  query: Pick<PageQuery, 'offset' | 'limit' | 'sortDir'>,
  total: number,
): Condition & { offset: number } {
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

// Pages of the log in any order, by the plan that reads the fewest rows.
import type { ConnectionFilter } from '#contract/connections.ts';
import type { Connection } from '#contract/model.ts';
import type { Uncertainty } from '#contract/uncertainty.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { chooseIndex, countRows, dropNoopTimeBounds, hasMoreThan } from './count.ts';
import { type Condition, type FlowIndex, joinConditions, toCondition } from './filter.ts';
import { findLastInRange } from './last-in-range.ts';
import { formatCursor, type Order, orderBy, parseCursor, selectAfter, type Value } from './order.ts';
import { type ConnectionRow, connectionColumns, readRowLabels, toConnection } from './row.ts';
import { type GroupOrder, walkSortKeyGroups } from './sort-groups.ts';
import { toUncertainty, type UncertaintyRow, uncertaintyColumns } from './uncertainty.ts';

export interface PageQuery extends Order {
  filter: ConnectionFilter;
  limit: number;
  offset: number;
  /** Each row with its uncertainty, or with its last sighting in the range of `filter`. */
  include?: 'uncertainty' | 'lastInRange' | undefined;
  /** A cursor of this order, instead of `offset`. */
  after?: string | undefined;
}

/** A connection with what `include` asks for. */
export interface ListedConnection extends Connection {
  uncertainty?: Uncertainty | null | undefined;
  lastInRange?: number | null | undefined;
}

/** Up to this many rows, fetching and sorting all is faster than following the index of time. */
const few = 2000;
/** In an order other than that of time, offsets up to this many rows are skipped row by row. */
const maxSkipped = 5000;

export const newestFirst: Order = { sort: 'lastSeen', sortDir: 'desc' };

/** Returns what finds the flows of `filter`, of which there are `total`, in the order of time. */
export function selectByTime(
  reader: Reader,
  filter: ConnectionFilter,
  total: number,
): { where: Condition; index: FlowIndex } {
  const needed = dropNoopTimeBounds(reader, filter);
  const index = total <= few ? chooseIndex(reader, needed, few) : 'flow_seen';
  return { where: toCondition(reader, needed), index };
}

/** Rows `offset` … `offset + limit` of the `total` that match. */
export function readPage(reader: Reader, query: PageQuery, total: number): ListedConnection[] {
  const filter = dropNoopTimeBounds(reader, query.filter);
  const position = query.after === undefined ? null : parseCursor(query, query.after);
  if (query.sort !== 'lastSeen' && total > few) {
    return walkGroups(reader, filter, { ...query, sort: query.sort }, position);
  }
  const where = joinConditions([toCondition(reader, filter), ...(position ? [selectAfter(query, position)] : [])]);
  if (total <= few) {
    return readRows(reader, where, query, chooseIndex(reader, filter, few), query);
  }
  const page = position ? { ...where, offset: 0 } : narrowPage(reader, where, query, total);
  return readRows(reader, page, query, 'flow_seen', { ...query, offset: page.offset });
}

/** The first `rows` rows, page after page: each continues after the last row of the one before. */
export function* readPages(
  reader: Reader,
  query: Pick<PageQuery, 'filter' | 'sort' | 'sortDir' | 'include'>,
  { rows, rowsAtOnce }: { rows: number; rowsAtOnce: number },
): Generator<ListedConnection[]> {
  let after: string | undefined;
  for (let left = rows; left > 0; left -= rowsAtOnce) {
    const page = readPage(reader, { ...query, limit: Math.min(left, rowsAtOnce), offset: 0, after }, rows);
    const last = page.at(-1);
    if (!last) {
      return;
    }
    after = formatCursor(query, last);
    yield page;
  }
}

/** Reads the groups of the order one after the other, each newest first, until the page is full. */
function walkGroups(
  reader: Reader,
  filter: ConnectionFilter,
  query: PageQuery & GroupOrder,
  position: readonly Value[] | null,
): ListedConnection[] {
  const where = toCondition(reader, filter);
  const rows: ListedConnection[] = [];
  const sizes = query.offset > maxSkipped ? readGroupSizes(reader, query.sort, filter, where) : null;
  let skip = query.offset;
  for (const group of walkSortKeyGroups(reader, query, position)) {
    const size = sizes === null ? Number.POSITIVE_INFINITY : (sizes.get(group.key) ?? 0);
    if (skip >= size) {
      skip -= size;
      continue;
    }
    const limit = query.limit - rows.length;
    const ofGroup = joinConditions([
      where,
      group.condition,
      ...(group.position ? [selectAfter(newestFirst, group.position)] : []),
    ]);
    const index = hasMoreThan(reader, few, group.condition, group.index) ? 'flow_seen' : group.index;
    if (sizes !== null && index === 'flow_seen') {
      const page = narrowPage(reader, ofGroup, { ...newestFirst, limit, offset: skip }, size);
      rows.push(...readRows(reader, page, newestFirst, index, { ...query, limit, offset: page.offset }));
      skip = 0;
    } else {
      const found = readRows(reader, ofGroup, newestFirst, index, { ...query, limit: skip + limit, offset: 0 });
      rows.push(...found.slice(skip));
      skip = Math.max(0, skip - found.length);
    }
    if (rows.length >= query.limit) {
      break;
    }
  }
  return rows;
}

/** Matching flows of each group, by its key: a deep offset skips whole groups. */
function readGroupSizes(
  reader: Reader,
  sort: GroupOrder['sort'],
  filter: ConnectionFilter,
  where: Condition,
): ReadonlyMap<Value, number> {
  const isEvery = where.values.length === 0;
  const index = (groupIndex: FlowIndex) => (isEvery ? groupIndex : chooseIndex(reader, filter, few));
  const countBy = (column: string, groupIndex: FlowIndex) =>
    `SELECT f.${column} AS key, count(*) AS size FROM flow f INDEXED BY ${index(groupIndex)} WHERE ${where.sql} GROUP BY 1`;
  const countByLabel = (name: 'country' | 'org') =>
    `SELECT d.${name}, sum(c.size) FROM (${countBy('destination_id', 'flow_destination')}) c
     JOIN destination d ON d.id = c.key GROUP BY 1`;
  const sql = {
    src: () => countBy('source_id', 'sqlite_autoindex_flow_1'),
    dst: () => countBy('destination_id', 'flow_destination'),
    dport: () => countBy('dport', 'flow_dport'),
    proto: () => countBy('proto', 'flow_proto'),
    country: () => countByLabel('country'),
    org: () => countByLabel('org'),
  }[sort]();
  const readSizes = () => {
    const statement = reader.prepare(sql).raw();
    return new Map(statement.all(...where.values) as [Value, number][]);
  };
  return reader.remembered(`sizes ${JSON.stringify([sql, where.values])}`, readSizes);
}

/** Rows of `where` in `order`, as the API shows them; `index` finds them. */
function readRows(
  reader: Reader,
  where: Condition,
  order: Order,
  index: FlowIndex,
  { limit, offset, include, filter: range }: Pick<PageQuery, 'limit' | 'offset' | 'include' | 'filter'>,
): ListedConnection[] {
  const columns = include ? `${connectionColumns}, ${uncertaintyColumns}, f.id` : connectionColumns;
  const rows = reader
    .prepare(
      `SELECT ${columns}
       FROM flow f INDEXED BY ${index}
       CROSS JOIN source s ON s.id = f.source_id CROSS JOIN destination d ON d.id = f.destination_id
       WHERE ${where.sql} ORDER BY ${orderBy(order)} LIMIT ? OFFSET ?`,
    )
    .all(...where.values, limit, offset) as (ConnectionRow & UncertaintyRow & { id: number })[];
  const labels = reader.remembered('row labels', () => readRowLabels(reader));
  const lasts = include === 'lastInRange' ? findLastInRange(reader, rows, range) : null;
  return rows.map((row) => {
    const connection = toConnection(row, labels);
    if (lasts !== null) {
      return { ...connection, lastInRange: lasts.get(row.id) ?? null };
    }
    return include ? { ...connection, uncertainty: toUncertainty(row, labels) } : connection;
  });
}

/**
 * Narrows a page to the instants of its first and last row, which the index of time has: rows before it are neither
 * joined nor sorted. `offset` then counts from the first of these instants.
 */
function narrowPage(
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
  const readInstant = (row: number) => (instants.get(...where.values, row) as { at: number }).at;
  const begin = readInstant(query.offset);
  const end = readInstant(Math.min(query.offset + query.limit, total) - 1);
  const beyond = query.sortDir === 'asc' ? '<' : '>';
  const before = countRows(
    reader,
    joinConditions([where, { sql: `f.last_seen ${beyond} ?`, values: [begin] }]),
    'flow_seen',
  );
  const page = { sql: 'f.last_seen BETWEEN ? AND ?', values: [Math.min(begin, end), Math.max(begin, end)] };
  return { ...joinConditions([where, page]), offset: query.offset - before };
}

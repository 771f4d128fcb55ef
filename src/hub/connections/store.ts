// Reads of the connection log. Knows SQL and no HTTP; writes nothing.
import type { ConnectionFilter, SortColumn } from '#contract/connections.ts';
import type { Connection } from '#contract/model.ts';
import type { Db } from '#kernel/sqlite.ts';
import { type ConnectionRow, connectionColumns, toConnection } from './connection-row.ts';
import { allOf, type Condition, matching } from './filter.ts';
import { hasObserved, readObserverSets } from './observer-set.ts';

export interface ConnectionPageQuery {
  filter: ConnectionFilter;
  sort: SortColumn;
  sortDir: 'asc' | 'desc';
  /** 0 counts only. */
  limit: number;
  offset: number;
}

export interface ConnectionPage {
  connections: Connection[];
  /** Every row that matches. */
  total: number;
}

export interface ConnectionStore {
  page(query: ConnectionPageQuery): ConnectionPage;
  /** Whether a router of this id has ever recorded anything, deleted ones included. */
  hasObserved(routerId: string): boolean;
}

export function createConnectionStore(db: Db): ConnectionStore {
  return {
    page: (query) => readPage(db, query),
    hasObserved: (routerId) => hasObserved(db, routerId),
  };
}

/** All reads happen in one turn of the event loop, so no commit can come between them. */
function readPage(db: Db, query: ConnectionPageQuery): ConnectionPage {
  const where = matching(query.filter);
  const total = count(db, where);
  if (query.limit === 0 || query.offset >= total) {
    return { connections: [], total };
  }
  const { sql, values, offset } = pageOf(db, where, query, total);
  const rows = db
    .prepare(
      `SELECT ${connectionColumns}
       FROM flow f JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id
       WHERE ${sql} ORDER BY ${order(query.sort, query.sortDir)} LIMIT ? OFFSET ?`,
    )
    .all(...values, query.limit, offset) as ConnectionRow[];
  const sets = readObserverSets(db);
  return { connections: rows.map((row) => toConnection(row, observersOf(sets, row))), total };
}

function count(db: Db, { sql, values }: Condition): number {
  const row = db.prepare(`SELECT count(*) AS total FROM flow f WHERE ${sql}`).get(...values) as { total: number };
  return row.total;
}

/**
 * Where a page lies. In the order of time, the index alone tells the instants of its first and last row, so that rows
 * before it are neither joined nor sorted by the tie-break; `offset` then counts from the first of these instants.
 */
function pageOf(db: Db, where: Condition, query: ConnectionPageQuery, total: number): Condition & { offset: number } {
  if (query.sort !== 'lastSeen' || query.offset === 0) {
    return { ...where, offset: query.offset };
  }
  const instants = db.prepare(
    `SELECT f.last_seen AS at FROM flow f WHERE ${where.sql} ORDER BY f.last_seen ${query.sortDir} LIMIT 1 OFFSET ?`,
  );
  const instantOf = (row: number) => (instants.get(...where.values, row) as { at: number }).at;
  const begin = instantOf(query.offset);
  const end = instantOf(Math.min(query.offset + query.limit, total) - 1);
  const beyond = query.sortDir === 'asc' ? '<' : '>';
  const before = count(db, allOf([where, { sql: `f.last_seen ${beyond} ?`, values: [begin] }]));
  const page = { sql: 'f.last_seen BETWEEN ? AND ?', values: [Math.min(begin, end), Math.max(begin, end)] };
  return { ...allOf([where, page]), offset: query.offset - before };
}

function observersOf(sets: ReturnType<typeof readObserverSets>, row: ConnectionRow) {
  return sets.get(row.observers) ?? { observedBy: [], source: 'unknown' as const };
}

const sortTerms: Record<SortColumn, readonly string[]> = {
  lastSeen: ['f.last_seen'],
  src: ['s.address'],
  dst: ['d.host', 'd.address'],
  dport: ['f.dport'],
  proto: ['f.proto'],
  country: ['d.country'],
  org: ['d.org'],
};

/** What is not known comes last in both directions; then newest first, and the key, so that pages never overlap. */
function order(sort: SortColumn, direction: 'asc' | 'desc'): string {
  const terms = sortTerms[sort].map((term) => `${term} ${direction} NULLS LAST`);
  const tieBreak = ['f.last_seen DESC', 's.address', 'd.address', 'f.dport', 'f.proto'];
  return [...terms, ...tieBreak].join(', ');
}

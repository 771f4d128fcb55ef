// The sort orders of the list: a column, then newest first, then the key. A cursor is a position in such an order.
import type { SortColumn } from '#contract/connections.ts';
import type { Connection } from '#contract/model.ts';
import type { Condition } from './filter.ts';

export interface Order {
  sort: SortColumn;
  sortDir: 'asc' | 'desc';
}

/** A cell of a row. */
export type Value = string | number | null;

interface Term {
  /** Expression on `flow f`, `source s`, `destination d`. */
  sql: string;
  read: (row: Connection) => Value;
  direction: 'asc' | 'desc';
}

const columns = {
  lastSeen: { sql: 'f.last_seen', read: (row) => row.lastSeen },
  src: { sql: 's.address', read: (row) => row.src },
  dst: { sql: 'd.address', read: (row) => row.dst },
  dstHost: { sql: 'd.host', read: (row) => row.dstHost },
  dport: { sql: 'f.dport', read: (row) => row.dport },
  proto: { sql: 'f.proto', read: (row) => row.proto },
  country: { sql: 'd.country', read: (row) => row.country },
  org: { sql: 'd.org', read: (row) => row.org },
} as const satisfies Record<string, Omit<Term, 'direction'>>;

const sorted: Record<SortColumn, readonly (keyof typeof columns)[]> = {
  lastSeen: ['lastSeen'],
  src: ['src'],
  dst: ['dstHost', 'dst'],
  dport: ['dport'],
  proto: ['proto'],
  country: ['country'],
  org: ['org'],
};

const tieBreak: readonly Term[] = [
  { ...columns.lastSeen, direction: 'desc' },
  { ...columns.src, direction: 'asc' },
  { ...columns.dst, direction: 'asc' },
  { ...columns.dport, direction: 'asc' },
  { ...columns.proto, direction: 'asc' },
];

function listTerms({ sort, sortDir }: Order): Term[] {
  return [...sorted[sort].map((name) => ({ ...columns[name], direction: sortDir })), ...tieBreak];
}

/** Nulls last in both directions; then newest first and the key, so that the order is total. */
export function orderBy(order: Order): string {
  return listTerms(order)
    .map(({ sql, direction }) => `${sql} ${direction} NULLS LAST`)
    .join(', ');
}

/** The position of `row` in `order`, as opaque text for {@link parseCursor}. */
export function formatCursor(order: Order, row: Connection): string {
  const values = listTerms(order).map((term) => term.read(row));
  return Buffer.from(JSON.stringify([order.sort, order.sortDir, ...values])).toString('base64url');
}

/** The position that `text` encodes; null when it is no cursor of this order. */
export function parseCursor(order: Order, text: string): Value[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (!Array.isArray(parsed)) {
    return null;
  }
  const [sort, sortDir, ...values] = parsed as unknown[];
  const isPosition = values.length === listTerms(order).length && values.every(isValue);
  return isPosition && sort === order.sort && sortDir === order.sortDir ? (values as Value[]) : null;
}

function isValue(value: unknown): value is Value {
  return value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

/** Selects the rows after `position` in `order`. */
export function selectAfter(order: Order, position: readonly Value[]): Condition {
  const terms = listTerms(order).map((term, at) => ({ ...term, value: position[at] ?? null }));
  const ways = terms.flatMap((term, at) => {
    if (term.value === null) {
      return [];
    }
    const equal = terms.slice(0, at);
    const beyond = `(${term.sql} ${term.direction === 'asc' ? '>' : '<'} ? OR ${term.sql} IS NULL)`;
    return [
      {
        sql: [...equal.map(({ sql }) => `${sql} IS ?`), beyond].join(' AND '),
        values: [...equal.map(({ value }) => value), term.value],
      },
    ];
  });
  const bound = order.sort === 'lastSeen' ? `f.last_seen ${order.sortDir === 'asc' ? '>=' : '<='} ? AND ` : '';
  return {
    sql: `${bound}(${ways.map(({ sql }) => sql).join(' OR ') || '0'})`,
    values: [...(bound === '' ? [] : [position[0] ?? null]), ...ways.flatMap(({ values }) => values)],
  };
}

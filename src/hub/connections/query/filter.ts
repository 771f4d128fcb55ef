// Filters of the connection log as SQL conditions on `flow f`. Words are looked for in the small dictionaries first.
import type { ConnectionFilter, MatchMode } from '#contract/connections.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { flowsSeenWithin } from './presence.ts';
import { sourceWord } from './row.ts';

/** A condition and the values of its `?`. */
export interface Condition {
  sql: string;
  values: readonly (string | number | null | Uint8Array)[];
}

/** An index of `flow` that finds the few rows of a filter; `flow_seen` holds every column that filters ask for. */
export type FlowIndex =
  | 'flow_seen'
  | 'flow_threat'
  | 'flow_destination'
  | 'sqlite_autoindex_flow_1'
  | 'flow_dport'
  | 'flow_proto';

/** Indexes that find the rows of `filter` without regard to time, the most selective kind first. */
export function narrowIndexes(filter: ConnectionFilter): FlowIndex[] {
  const isListed = filter.fThreat === 'warn' || filter.fThreat === 'danger';
  return [
    ...(isListed ? (['flow_threat'] as const) : []),
    ...(destinationWords(filter).length > 0 ? (['flow_destination'] as const) : []),
    ...(sourceWords(filter).length > 0 || filter.fSrcMac !== undefined ? (['sqlite_autoindex_flow_1'] as const) : []),
    ...(filter.fDport === undefined ? [] : (['flow_dport'] as const)),
  ];
}

/** A value, not the word 0: SQLite would drop all else at once, and then refuse an index that holds only some flows. */
const never: Condition = { sql: '?', values: [0] };

/** Every condition of `filter`, joined by AND; `1` when there is none. It holds for the log as `reader` sees it now. */
export function matching(reader: Reader, filter: ConnectionFilter): Condition {
  return allOf([
    ...window(reader, filter.from, filter.to),
    ...scope(filter.sourceKind, filter.sourceId),
    ...among('source_id', 'source', sourceWords(filter)),
    ...sourceMac(filter.fSrcMac?.toLowerCase()),
    ...among('destination_id', 'destination', destinationWords(filter)),
    ...ports(filter.fDport, filter.fDportMode),
    ...like(['f.proto'], filter.fProto, filter.fProtoMode),
    ...threatLevel(filter.fThreat),
  ]);
}

/**
 * A flow belongs to a window in which it was seen, also when it was seen again later. Both ends are inclusive. First
 * and last seen decide alone unless the flow was there before and after: then its hours do.
 */
function window(reader: Reader, from: number | undefined, to: number | undefined): Condition[] {
  if (from !== undefined && to !== undefined) {
    return [from > to ? never : closedWindow(reader, from, to)];
  }
  return [
    ...(from === undefined ? [] : [{ sql: 'f.last_seen >= ?', values: [from] }]),
    ...(to === undefined ? [] : [{ sql: 'f.first_seen <= ?', values: [to] }]),
  ];
}

/** Hours are packed: they are read here, and SQL looks a flow up in one byte each. */
function closedWindow(reader: Reader, from: number, to: number): Condition {
  const { base, flags } = flowsSeenWithin(reader, from, to);
  return {
    sql: `f.last_seen >= ? AND f.first_seen <= ? AND (f.last_seen <= ? OR f.first_seen >= ?
      OR (f.id >= ? AND substr(?, f.id - ?, 1) = x'01'))`,
    values: [from, to, to, from, base, flags, base - 1],
  };
}

function scope(kind: ConnectionFilter['sourceKind'], observerId: string | undefined): Condition[] {
  return observerId === undefined ? [] : [{ sql: `f.observer_set_id IN (${setsOf(kind)})`, values: [observerId] }];
}

/** Ids of the sets that hold the observer of this kind whose id is bound. */
function setsOf(kind: ConnectionFilter['sourceKind']): string {
  return `SELECT s.id FROM observer_set s JOIN observer o ON o.router_id = ? AND o.kind ${kind === 'agent' ? '=' : '<>'} 'agent'
    WHERE ',' || s.members || ',' LIKE '%,' || o.id || ',%'`;
}

/** The same as a set of ids. */
export function observerSetsOf(
  reader: Reader,
  { sourceKind, sourceId }: Pick<ConnectionFilter, 'sourceKind' | 'sourceId'>,
): ReadonlySet<number> {
  return new Set(reader.prepare(setsOf(sourceKind)).pluck().all(sourceId) as number[]);
}

function sourceWords(filter: ConnectionFilter): Condition[] {
  const columns = filter.fSrcMode === 'exact' ? ['address'] : ['address', 'dns_name', 'mdns_name'];
  return like(columns, filter.fSrc, filter.fSrcMode);
}

/** Flows last seen while their source address was this MAC's. */
function sourceMac(mac: string | undefined): Condition[] {
  if (mac === undefined) {
    return [];
  }
  return [
    {
      sql: `f.source_id IN (SELECT id FROM source WHERE mac = ?
        UNION SELECT s.id FROM lease l JOIN source s ON s.address = l.address WHERE l.mac = ?)
        AND (SELECT ${sourceWord('mac')} FROM source s WHERE s.id = f.source_id) = ?`,
      values: [mac, mac, mac],
    },
  ];
}

function destinationWords(filter: ConnectionFilter): Condition[] {
  return [
    ...like(['address', 'host'], filter.fDst, filter.fDstMode),
    ...like(['country'], filter.fCountry, filter.fCountryMode),
    ...like(['org'], filter.fOrg, filter.fOrgMode),
  ];
}

function threatLevel(level: ConnectionFilter['fThreat']): Condition[] {
  if (level === undefined) {
    return [];
  }
  if (level === 'safe') {
    return [{ sql: 'f.threat_id IS NULL', values: [] }];
  }
  const rank = level === 'danger' ? 2 : 1;
  return [{ sql: 'f.threat_id IN (SELECT id FROM threat WHERE level = ?)', values: [rank] }];
}

/** Ports are few: the ones whose digits match are listed. */
function ports(text: string | undefined, mode: MatchMode = 'contains'): Condition[] {
  if (text === undefined) {
    return [];
  }
  const fits = {
    contains: (digits: string) => digits.includes(text),
    startsWith: (digits: string) => digits.startsWith(text),
    endsWith: (digits: string) => digits.endsWith(text),
    exact: (digits: string) => digits === text,
  }[mode];
  const found = Array.from({ length: 65_536 }, (_, port) => port).filter((port) => fits(String(port)));
  return [{ sql: 'f.dport IN (SELECT value FROM json_each(?))', values: [JSON.stringify(found)] }];
}

function among(column: string, table: string, words: readonly Condition[]): Condition[] {
  if (words.length === 0) {
    return [];
  }
  const { sql, values } = allOf(words);
  return [{ sql: `f.${column} IN (SELECT id FROM ${table} WHERE ${sql})`, values }];
}

const wildcards: Record<MatchMode, readonly [before: string, after: string]> = {
  contains: ['%', '%'],
  startsWith: ['', '%'],
  endsWith: ['%', ''],
  exact: ['', ''],
};

/**
 * Any of `columns` matches `text`, ASCII letters alike in both cases. LIKE reads its pattern to the first NUL, and no
 * stored word holds one: such a text matches nothing.
 */
function like(columns: readonly string[], text: string | undefined, mode: MatchMode = 'contains'): Condition[] {
  if (text === undefined) {
    return [];
  }
  if (text.includes('\0')) {
    return [never];
  }
  const [before, after] = wildcards[mode];
  const pattern = `${before}${text.replace(/[\\%_]/g, '\\$&')}${after}`;
  return [
    {
      sql: `(${columns.map((column) => `${column} LIKE ? ESCAPE '\\'`).join(' OR ')})`,
      values: columns.map(() => pattern),
    },
  ];
}

/** All of `conditions`. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map((condition) => condition.sql).join(' AND ') || '1',
    values: conditions.flatMap((condition) => condition.values),
  };
}

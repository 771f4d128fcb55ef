// Filters of the connection log as SQL conditions on `flow f`. Texts are matched in the small dictionaries.
import type { ConnectionFilter, MatchMode } from '#contract/connections.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { presenceWithin } from './presence.ts';
import { sourceLabel } from './row.ts';

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

/** Indexes that find the rows of `filter` regardless of time, the most selective kind first. */
export function narrowIndexes(filter: ConnectionFilter): FlowIndex[] {
  const isListed = filter.fThreat === 'warn' || filter.fThreat === 'danger';
  return [
    ...(isListed ? (['flow_threat'] as const) : []),
    ...(destinationConditions(filter).length > 0 ? (['flow_destination'] as const) : []),
    ...(sourceConditions(filter).length > 0 || filter.fSrcMac !== undefined
      ? (['sqlite_autoindex_flow_1'] as const)
      : []),
    ...(filter.fDport === undefined ? [] : (['flow_dport'] as const)),
  ];
}

/** A bound value, not the literal 0: SQLite would fold the condition, and then refuse a partial index. */
const never: Condition = { sql: '?', values: [0] };

/** The conditions of `filter`, joined by AND; `1` when there is none. Valid for the current snapshot of `reader`. */
export function matching(reader: Reader, filter: ConnectionFilter): Condition {
  return allOf([
    ...window(reader, filter.from, filter.to),
    ...scope(filter.sourceKind, filter.sourceId),
    ...among('source_id', 'source', sourceConditions(filter)),
    ...sourceMac(filter.fSrcMac?.toLowerCase()),
    ...among('destination_id', 'destination', destinationConditions(filter)),
    ...ports(filter.fDport, filter.fDportMode),
    ...like(['f.proto'], filter.fProto, filter.fProtoMode),
    ...threatLevel(filter.fThreat),
  ]);
}

/**
 * A flow belongs to a window in which it was seen, also when it was seen again later. Both ends are inclusive. First
 * and last sighting decide, unless they enclose the window: then the hours of the flow do.
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

/** A flow seen before and after the window is looked up in the presence bitmap. */
function closedWindow(reader: Reader, from: number, to: number): Condition {
  const { base, bytes } = presenceWithin(reader, from, to);
  return {
    sql: `f.last_seen >= ? AND f.first_seen <= ? AND (f.last_seen <= ? OR f.first_seen >= ?
      OR (f.id >= ? AND substr(?, f.id - ?, 1) = x'01'))`,
    values: [from, to, to, from, base, bytes, base - 1],
  };
}

function scope(kind: ConnectionFilter['sourceKind'], observerId: string | undefined): Condition[] {
  return observerId === undefined ? [] : [{ sql: `f.observer_set_id IN (${setsOf(kind)})`, values: [observerId] }];
}

/** Selects the sets that contain the observer of this kind with the bound id. */
function setsOf(kind: ConnectionFilter['sourceKind']): string {
  return `SELECT s.id FROM observer_set s JOIN observer o ON o.router_id = ? AND o.kind ${kind === 'agent' ? '=' : '<>'} 'agent'
    WHERE ',' || s.members || ',' LIKE '%,' || o.id || ',%'`;
}

/** Ids of these sets. */
export function observerSetsOf(
  reader: Reader,
  { sourceKind, sourceId }: Pick<ConnectionFilter, 'sourceKind' | 'sourceId'>,
): ReadonlySet<number> {
  return new Set(reader.prepare(setsOf(sourceKind)).pluck().all(sourceId) as number[]);
}

function sourceConditions(filter: ConnectionFilter): Condition[] {
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
        AND (SELECT ${sourceLabel('mac')} FROM source s WHERE s.id = f.source_id) = ?`,
      values: [mac, mac, mac],
    },
  ];
}

function destinationConditions(filter: ConnectionFilter): Condition[] {
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

/** The condition lists the ports whose digits match. */
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

function among(column: string, table: string, conditions: readonly Condition[]): Condition[] {
  if (conditions.length === 0) {
    return [];
  }
  const { sql, values } = allOf(conditions);
  return [{ sql: `f.${column} IN (SELECT id FROM ${table} WHERE ${sql})`, values }];
}

const wildcards: Record<MatchMode, readonly [before: string, after: string]> = {
  contains: ['%', '%'],
  startsWith: ['', '%'],
  endsWith: ['%', ''],
  exact: ['', ''],
};

/**
 * Any of `columns` matches `text`, ASCII case-insensitive. LIKE reads its pattern to the first NUL, which no stored text
 * contains: a text with NUL matches nothing.
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

/** `conditions` joined by AND. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map((condition) => condition.sql).join(' AND ') || '1',
    values: conditions.flatMap((condition) => condition.values),
  };
}

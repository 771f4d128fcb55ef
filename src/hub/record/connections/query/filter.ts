// Filters of the connection log as SQL conditions on `flow f`. Texts are matched in the small dictionaries.
import type { ConnectionFilter } from '#contract/connections.ts';
import type { MatchMode } from '#contract/query-words.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { findPresence } from './presence.ts';
import { sourceLabel } from './row.ts';

/** A condition and the values of its `?`. */
export interface Condition {
  sql: string;
  values: readonly (string | number | null | Uint8Array)[];
}

/** An index of `flow` that finds the few rows of a filter (`narrow.ts`); `flow_seen` holds every column that filters ask for. */
export type FlowIndex =
  | 'flow_seen'
  | 'flow_threat'
  | 'flow_destination'
  | 'sqlite_autoindex_flow_1'
  | 'flow_dport'
  | 'flow_proto';

/** Uses a bound value: SQLite would fold the literal 0, and then refuse a partial index. */
const never: Condition = { sql: '?', values: [0] };

/** Joins the conditions of `filter` by AND; `1` when there is none. Valid for the current snapshot of `reader`. */
export function toCondition(reader: Reader, filter: ConnectionFilter): Condition {
  return joinConditions([
    ...matchWindow(reader, filter.from, filter.to),
    ...matchScope(filter.sourceKind, filter.sourceId),
    ...matchDictionary('source_id', 'source', matchSource(filter)),
    ...matchLabel('mac', filter.fSrcMac),
    ...matchLabel('device_id', filter.fDevice),
    ...matchDictionary('destination_id', 'destination', matchDestination(filter)),
    ...matchPort(filter.fDport, filter.fDportMode),
    ...matchText(['f.proto'], filter.fProto, filter.fProtoMode),
    ...matchText(['f.process'], filter.fProcess, filter.fProcessMode),
    ...matchThreatLevel(filter.fThreat),
  ]);
}

/**
 * A flow belongs to a window in which it was seen, also when it was seen again later. Both ends are inclusive. First
 * and last sighting decide, unless they enclose the window: then the hours of the flow do.
 */
function matchWindow(reader: Reader, from: number | undefined, to: number | undefined): Condition[] {
  if (from !== undefined && to !== undefined) {
    return [from > to ? never : matchClosedWindow(reader, from, to)];
  }
  return [
    ...(from === undefined ? [] : [{ sql: 'f.last_seen >= ?', values: [from] }]),
    ...(to === undefined ? [] : [{ sql: 'f.first_seen <= ?', values: [to] }]),
  ];
}

/** A flow seen before and after the window is looked up in the presence bitmap. */
function matchClosedWindow(reader: Reader, from: number, to: number): Condition {
  const { base, bytes } = findPresence(reader, from, to);
  return {
    sql: `f.last_seen >= ? AND f.first_seen <= ? AND (f.last_seen <= ? OR f.first_seen >= ?
      OR (f.id >= ? AND substr(?, f.id - ?, 1) = x'01'))`,
    values: [from, to, to, from, base, bytes, base - 1],
  };
}

function matchScope(kind: ConnectionFilter['sourceKind'], observerId: string | undefined): Condition[] {
  return observerId === undefined ? [] : [{ sql: `f.observer_set_id IN (${selectSets(kind)})`, values: [observerId] }];
}

/** Selects the sets that contain the observer of this kind with the bound id. */
function selectSets(kind: ConnectionFilter['sourceKind']): string {
  return `SELECT s.id FROM observer_set s JOIN observer o ON o.router_id = ? AND o.kind ${kind === 'agent' ? '=' : '<>'} 'agent'
    WHERE ',' || s.members || ',' LIKE '%,' || o.id || ',%'`;
}

/** Returns the ids of the observer sets that contain the observer of the filter. */
export function findObserverSets(
  reader: Reader,
  { sourceKind, sourceId }: Pick<ConnectionFilter, 'sourceKind' | 'sourceId'>,
): ReadonlySet<number> {
  return new Set(reader.prepare(selectSets(sourceKind)).pluck().all(sourceId) as number[]);
}

function matchSource({ fSrc, fSrcMode }: ConnectionFilter): Condition[] {
  const isAddress = fSrcMode === 'exact' || fSrcMode === 'isNot';
  return matchText(isAddress ? ['address'] : ['address', 'dns_name', 'mdns_name'], fSrc, fSrcMode);
}

/** Matches flows whose source had one of these labels when they were last seen, as their rows show. */
function matchLabel(column: 'mac' | 'device_id', wanted: readonly string[] | undefined): Condition[] {
  if (wanted === undefined) {
    return [];
  }
  const one = 'IN (SELECT value FROM json_each(?))';
  const list = JSON.stringify(column === 'mac' ? wanted.map((mac) => mac.toLowerCase()) : wanted);
  return [
    {
      sql: `f.source_id IN (SELECT id FROM source WHERE ${column} ${one}
        UNION SELECT s.id FROM source_past p JOIN source s ON s.address = p.address WHERE p.${column} ${one})
        AND (SELECT ${sourceLabel(column)} FROM source s WHERE s.id = f.source_id) ${one}`,
      values: [list, list, list],
    },
  ];
}

function matchDestination(filter: ConnectionFilter): Condition[] {
  return [
    ...matchText(['address', 'host'], filter.fDst, filter.fDstMode),
    ...matchText(['country'], filter.fCountry, filter.fCountryMode),
    ...matchText(['org'], filter.fOrg, filter.fOrgMode),
    ...matchTarget(filter.fTarget, filter.fTargetMode),
    ...matchUnknown(filter.fUnknown),
  ];
}

/** Matches targets by the names of the summary, where upper and lower case differ. */
function matchTarget(wanted: readonly string[] | undefined, mode: MatchMode = 'contains'): Condition[] {
  const name = 'coalesce(org, host, address)';
  if (wanted === undefined || (mode !== 'exact' && mode !== 'isNot')) {
    return matchText([name], wanted, mode);
  }
  const operator = mode === 'exact' ? 'IN' : 'NOT IN';
  return [{ sql: `${name} ${operator} (SELECT value FROM json_each(?))`, values: [JSON.stringify(wanted)] }];
}

const missing = { country: 'country IS NULL', place: 'lat IS NULL OR lon IS NULL' } as const;

function matchUnknown(facts: ConnectionFilter['fUnknown']): Condition[] {
  return facts === undefined ? [] : [{ sql: `(${facts.map((fact) => missing[fact]).join(' OR ')})`, values: [] }];
}

function matchThreatLevel(levels: ConnectionFilter['fThreat']): Condition[] {
  if (levels === undefined) {
    return [];
  }
  const safe = 'f.threat_id IS NULL';
  const ranks = levels.flatMap((level) => (level === 'safe' ? [] : level === 'danger' ? 2 : 1));
  if (ranks.length === 0) {
    return [{ sql: safe, values: [] }];
  }
  const listed = 'f.threat_id IN (SELECT id FROM threat WHERE level IN (SELECT value FROM json_each(?)))';
  const isSafeToo = ranks.length < levels.length;
  return [{ sql: isSafeToo ? `(${safe} OR ${listed})` : listed, values: [JSON.stringify(ranks)] }];
}

/** Lists the ports whose digits match one of the texts. */
function matchPort(texts: readonly string[] | undefined, mode: MatchMode = 'contains'): Condition[] {
  if (texts === undefined) {
    return [];
  }
  const fits = portFits[mode];
  const found = allPorts.filter((digits) => texts.some((text) => fits(digits, text))).map(Number);
  return [
    {
      sql: `f.dport ${forms[mode].isNegative ? 'NOT IN' : 'IN'} (SELECT value FROM json_each(?))`,
      values: [JSON.stringify(found)],
    },
  ];
}

type Fits = (digits: string, text: string) => boolean;
const isWhole: Fits = (digits, text) => digits === text;
const isPart: Fits = (digits, text) => digits.includes(text);
const portFits: Record<MatchMode, Fits> = {
  contains: isPart,
  startsWith: (digits, text) => digits.startsWith(text),
  endsWith: (digits, text) => digits.endsWith(text),
  exact: isWhole,
  isNot: isWhole,
  notContains: isPart,
};
const allPorts = Array.from({ length: 65_536 }, (_, port) => String(port));

function matchDictionary(column: string, table: string, conditions: readonly Condition[]): Condition[] {
  if (conditions.length === 0) {
    return [];
  }
  const { sql, values } = joinConditions(conditions);
  return [{ sql: `f.${column} IN (SELECT id FROM ${table} WHERE ${sql})`, values }];
}

/** Wildcards around the text of a mode; a negative one shows what the pattern does not match. */
const forms: Record<MatchMode, { before: '' | '%'; after: '' | '%'; isNegative: boolean }> = {
  contains: { before: '%', after: '%', isNegative: false },
  startsWith: { before: '', after: '%', isNegative: false },
  endsWith: { before: '%', after: '', isNegative: false },
  exact: { before: '', after: '', isNegative: false },
  isNot: { before: '', after: '', isNegative: true },
  notContains: { before: '%', after: '%', isNegative: true },
};

/**
 * Any of `columns` matches any of `texts`, ASCII case-insensitive; with a negative mode none matches, as NULL never does.
 * LIKE reads its pattern to the first NUL, which no stored text contains: a text with NUL matches nothing.
 */
function matchText(
  columns: readonly string[],
  texts: readonly string[] | undefined,
  mode: MatchMode = 'contains',
): Condition[] {
  if (texts === undefined) {
    return [];
  }
  const { before, after, isNegative } = forms[mode];
  const patterns = texts
    .filter((text) => !text.includes('\0'))
    .map((text) => `${before}${text.replace(/[\\%_]/g, '\\$&')}${after}`);
  if (patterns.length === 0) {
    return isNegative ? [] : [never];
  }
  const any = columns.flatMap((column) => patterns.map(() => `${column} LIKE ? ESCAPE '\\'`)).join(' OR ');
  return [{ sql: `(${any})${isNegative ? ' IS NOT TRUE' : ''}`, values: columns.flatMap(() => patterns) }];
}

/** `conditions` joined by AND. */
export function joinConditions(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map((condition) => condition.sql).join(' AND ') || '1',
    values: conditions.flatMap((condition) => condition.values),
  };
}

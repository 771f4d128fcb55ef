// The groups of a sort order: the values of its column in order, each with a condition for its flows.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { Condition, FlowIndex } from './filter.ts';
import type { Order, Value } from './order.ts';

/** Any but the order of time, which has no groups. */
export interface GroupOrder extends Order {
  sort: Exclude<Order['sort'], 'lastSeen'>;
}

export interface SortKeyGroup {
  /** The id of an address, or the value itself. */
  key: Value;
  /** Selects its flows. */
  condition: Condition;
  /** The index that finds them. */
  index: FlowIndex;
  /** In the group of the cursor: the position of the cursor, newest first. */
  position?: readonly Value[];
}

/** The groups of `order` from that of the cursor `position` on. Flows of one group are ordered newest first, then by key. */
export function* walkSortKeyGroups(
  reader: Reader,
  order: GroupOrder,
  position: readonly Value[] | null,
): Generator<SortKeyGroup> {
  const isDst = order.sort === 'dst';
  const start = position === null ? undefined : isDst ? position.slice(0, 2) : position.slice(0, 1);
  // The tie-break follows the column and begins with the instant, which the order of time has twice.
  const rest = position?.slice(isDst ? 2 : 1) ?? [];
  let isFirst = true;
  for (const group of walkGroups(reader, order, start)) {
    yield isFirst && position && isSame(group.values, start)
      ? { ...group, position: [rest[0] ?? null, ...rest] }
      : group;
    isFirst = false;
  }
}

function isSame(values: readonly Value[], start: readonly Value[] | undefined): boolean {
  return start !== undefined && values.every((value, at) => value === start[at]);
}

type ValuedGroup = SortKeyGroup & { values: readonly Value[] };

function* walkGroups(reader: Reader, { sort, sortDir }: GroupOrder, start: readonly Value[] | undefined) {
  switch (sort) {
    case 'src':
      return yield* walkAddresses(reader, 'source', sortDir, start);
    case 'dst':
      return yield* walkAddresses(reader, 'destination', sortDir, start);
    case 'country':
    case 'org':
      return yield* walkLabels(reader, sort, sortDir, start);
    case 'dport':
    case 'proto':
      return yield* walkDistinctValues(reader, sort, sortDir, start);
  }
}

const beyond = { asc: '>=', desc: '<=' } as const;

/** Each source by its address; each destination by host name and address, those without a name last. */
function* walkAddresses(
  reader: Reader,
  table: 'source' | 'destination',
  direction: 'asc' | 'desc',
  start: readonly Value[] | undefined,
): Generator<ValuedGroup> {
  const group = (id: number, values: readonly Value[]): ValuedGroup => ({
    key: id,
    values,
    condition: { sql: `f.${table}_id = ?`, values: [id] },
    index: table === 'source' ? 'sqlite_autoindex_flow_1' : 'flow_destination',
  });
  if (table === 'source') {
    for (const [id, address] of walkDictionary(reader, { from: 'source', columns: ['address'], direction }, start)) {
      yield group(id, [address as Value]);
    }
    return;
  }
  const isUnnamed = start !== undefined && start[0] === null;
  if (!isUnnamed) {
    const named = { from: 'destination WHERE host IS NOT NULL', columns: ['host', 'address'], direction };
    for (const [id, ...values] of walkDictionary(reader, named, start)) {
      yield group(id, values);
    }
  }
  const unnamed = { from: 'destination WHERE host IS NULL', columns: ['address'], direction };
  for (const [id, address] of walkDictionary(reader, unnamed, isUnnamed ? start.slice(1) : undefined)) {
    yield group(id, [null, address as Value]);
  }
}

/** Rows of the first read; each further one doubles it: most pages need few, deep offsets need all. */
const firstRows = 64;

/** Ids and columns of a dictionary in order from `start` on, read on demand. */
function* walkDictionary(
  reader: Reader,
  { from, columns, direction }: { from: string; columns: readonly string[]; direction: 'asc' | 'desc' },
  start: readonly Value[] | undefined,
): Generator<[id: number, ...Value[]]> {
  const names = columns.join(', ');
  const order = columns.map((column) => `${column} ${direction}`).join(', ');
  let position = start;
  let relation: string = beyond[direction];
  for (let limit = firstRows; ; limit *= 2) {
    const join = from.includes('WHERE') ? 'AND' : 'WHERE';
    const behind =
      position === undefined ? '' : `${join} (${names}) ${relation} (${columns.map(() => '?').join(', ')})`;
    const rows = reader
      .prepare(`SELECT id, ${names} FROM ${from} ${behind} ORDER BY ${order} LIMIT ?`)
      .raw()
      .all(...(position ?? []), limit) as [id: number, ...Value[]][];
    yield* rows;
    if (rows.length < limit) {
      return;
    }
    position = rows.at(-1)?.slice(1) as Value[];
    relation = direction === 'asc' ? '>' : '<';
  }
}

/** Countries or organisations of destinations; unknown ones last. */
function* walkLabels(
  reader: Reader,
  name: 'country' | 'org',
  direction: 'asc' | 'desc',
  start: readonly Value[] | undefined,
): Generator<ValuedGroup> {
  const [first] = start ?? [];
  const isAfterAll = first === null;
  const known = isAfterAll
    ? []
    : (reader
        .prepare(
          `SELECT DISTINCT ${name} FROM destination
           WHERE ${name} IS NOT NULL ${first === undefined ? '' : `AND ${name} ${beyond[direction]} ?`}
           ORDER BY ${name} ${direction}`,
        )
        .raw()
        .all(...(first === undefined ? [] : [first])) as [Value][]);
  for (const [value] of [...known, [null] as [Value]]) {
    yield {
      key: value,
      values: [value],
      condition: { sql: `f.destination_id IN (SELECT id FROM destination WHERE ${name} IS ?)`, values: [value] },
      index: 'flow_destination',
    };
  }
}

/** Ports or protocols in use, each found by one step in its index. */
function* walkDistinctValues(
  reader: Reader,
  name: 'dport' | 'proto',
  direction: 'asc' | 'desc',
  start: readonly Value[] | undefined,
): Generator<ValuedGroup> {
  const step = (relation: string) =>
    reader.prepare(
      `SELECT ${name} AS value FROM flow INDEXED BY flow_${name} WHERE ${name} ${relation}
       ORDER BY ${name} ${direction} LIMIT 1`,
    );
  const [first] = start ?? [];
  let row = (first === undefined ? step('IS NOT NULL').get() : step(`${beyond[direction]} ?`).get(first)) as
    | { value: Value }
    | undefined;
  while (row) {
    const { value } = row;
    yield { key: value, values: [value], condition: { sql: `f.${name} = ?`, values: [value] }, index: `flow_${name}` };
    row = step(direction === 'asc' ? '> ?' : '< ?').get(value) as { value: Value } | undefined;
  }
}

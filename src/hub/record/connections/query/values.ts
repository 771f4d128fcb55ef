// The values of a column among the rows that match a filter, with their counts.
import type { z } from 'zod';
import type { ConnectionFilter, connectionValues, ValueColumn } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { readObserverSets } from '../store/observer-set.ts';
import { dropNoopTimeBounds } from './count.ts';
import { toCondition } from './filter.ts';

type ValuesAnswer = z.output<typeof connectionValues>;
type Value = ValuesAnswer['values'][number];

export interface ValuesParams {
  filter: ConnectionFilter;
  column: ValueColumn;
  now: number;
}

export function listValues(reader: Reader, { filter, column, now }: ValuesParams): ValuesAnswer {
  const values = column === 'router' ? countRouters(reader, filter) : countColumn(reader, filter, column);
  values.sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  return { values: values.slice(0, limits.connectionsValues), total: values.length, serverTime: now };
}

/** The column of `flow`; `names` lists value and label of each of its ids. Without it, what is stored is the value. */
const columns = {
  country: { key: 'destination_id', names: 'SELECT id, country AS value, NULL AS label FROM destination' },
  org: { key: 'destination_id', names: 'SELECT id, org AS value, NULL AS label FROM destination' },
  src: { key: 'source_id', names: 'SELECT id, address AS value, coalesce(dns_name, mdns_name) AS label FROM source' },
  proto: { key: 'proto', names: null },
  dport: { key: 'dport', names: null },
  process: { key: 'process', names: null },
} as const;

interface Named {
  id: number;
  value: string | null;
  label: string | null;
}

function countColumn(reader: Reader, filter: ConnectionFilter, column: keyof typeof columns): Value[] {
  const { key, names } = columns[column];
  const counts = countBy(reader, filter, key);
  if (names === null) {
    return [...counts].map(([value, count]) => ({ value: String(value), label: null, count }));
  }
  const named = new Map<string, Value>();
  for (const { id, value, label } of reader.prepare(names).all() as Named[]) {
    const count = counts.get(id);
    if (count !== undefined && value !== null) {
      named.set(value, { value, label, count: count + (named.get(value)?.count ?? 0) });
    }
  }
  return [...named.values()];
}

/** A row counts for each router that saw it. */
function countRouters(reader: Reader, filter: ConnectionFilter): Value[] {
  const sets = readObserverSets(reader);
  const counts = new Map<string, number>();
  for (const [set, size] of countBy(reader, filter, 'observer_set_id')) {
    for (const id of sets.get(Number(set))?.observedBy ?? []) {
      counts.set(id, (counts.get(id) ?? 0) + size);
    }
  }
  const findName = reader.prepare('SELECT name FROM observer WHERE router_id = ?').pluck();
  return [...counts].map(([value, count]) => ({ value, label: (findName.get(value) as string | null) ?? null, count }));
}

/** Counts rows by a column of theirs; empty ones are left out. SQLite would sort them first, which takes four times as long. */
function countBy(reader: Reader, filter: ConnectionFilter, key: string): Map<number | string, number> {
  const { sql, values } = toCondition(reader, dropNoopTimeBounds(reader, filter));
  const keys = reader
    .prepare(`SELECT f.${key} FROM flow f INDEXED BY flow_seen WHERE ${sql}`)
    .pluck()
    .all(...values);
  const counts = new Map<number | string, number>();
  for (const stored of keys as (number | string | null)[]) {
    if (stored !== null) {
      counts.set(stored, (counts.get(stored) ?? 0) + 1);
    }
  }
  return counts;
}

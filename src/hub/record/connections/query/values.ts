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

/** How `key`, a column of `flow`, becomes the value and its label. */
const columns = {
  country: { key: 'destination_id', value: 'd.country', label: 'NULL', join: 'JOIN destination d ON d.id = key' },
  org: { key: 'destination_id', value: 'd.org', label: 'NULL', join: 'JOIN destination d ON d.id = key' },
  src: {
    key: 'source_id',
    value: 's.address',
    label: 'coalesce(s.dns_name, s.mdns_name)',
    join: 'JOIN source s ON s.id = key',
  },
  proto: { key: 'proto', value: 'key', label: 'NULL', join: '' },
  dport: { key: 'dport', value: 'CAST(key AS TEXT)', label: 'NULL', join: '' },
  process: { key: 'process', value: 'key', label: 'NULL', join: '' },
} as const;

function countColumn(reader: Reader, filter: ConnectionFilter, column: keyof typeof columns): Value[] {
  const { key, value, label, join } = columns[column];
  const { sql, values } = countBy(reader, filter, key);
  return reader
    .prepare(
      `SELECT ${value} AS value, max(${label}) AS label, sum(size) AS count FROM (${sql}) ${join}
       WHERE ${value} IS NOT NULL GROUP BY 1`,
    )
    .all(...values) as Value[];
}

/** A row counts for each router that saw it. */
function countRouters(reader: Reader, filter: ConnectionFilter): Value[] {
  const { sql, values } = countBy(reader, filter, 'observer_set_id');
  const sets = readObserverSets(reader);
  const counts = new Map<string, number>();
  for (const { key, size } of reader.prepare(sql).all(...values) as { key: number; size: number }[]) {
    for (const id of sets.get(key)?.observedBy ?? []) {
      counts.set(id, (counts.get(id) ?? 0) + size);
    }
  }
  const findName = reader.prepare('SELECT name FROM observer WHERE router_id = ?').pluck();
  return [...counts].map(([value, count]) => ({ value, label: (findName.get(value) as string | null) ?? null, count }));
}

function countBy(reader: Reader, filter: ConnectionFilter, key: string) {
  const { sql, values } = toCondition(reader, dropNoopTimeBounds(reader, filter));
  return {
    sql: `SELECT f.${key} AS key, count(*) AS size FROM flow f INDEXED BY flow_seen WHERE ${sql} GROUP BY 1`,
    values,
  };
}

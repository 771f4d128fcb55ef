// Counts of two periods and what the first is made of, from one snapshot of the log.
import type { Facts } from '#contract/ai.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import { topBy } from '#kernel/columns/top-k.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { countMatching, dropNoopTimeBounds } from './count.ts';
import { toCondition } from './filter.ts';

/** Holds `from` and every instant before `to`, which is later. Whole milliseconds. */
export interface Period {
  from: number;
  to: number;
}

export interface CompareParams {
  current: Period;
  previous: Period;
  scope: Pick<ConnectionFilter, 'sourceKind' | 'sourceId'>;
}

export type Comparison = Pick<Facts, 'current' | 'previous' | 'topServices' | 'topDestinations'>;

/** Counts what the list shows between `from` and the last instant before `to`. */
export function comparePeriods(reader: Reader, { current, previous, scope }: CompareParams): Comparison {
  const filter = { ...scope, ...toListRange(current) };
  const counts = countPeriod(reader, filter);
  const lists = countLists(reader, filter);
  return {
    current: counts,
    previous: countPeriod(reader, { ...scope, ...toListRange(previous) }),
    topServices: topServices(lists),
    topDestinations: topDestinations(reader, lists),
  };
}

/** Both ends of the filters of the list are inclusive. */
export function toListRange({ from, to }: Period): Period {
  return { from, to: to - 1 };
}

function countPeriod(reader: Reader, filter: ConnectionFilter): Facts['current'] {
  const { sql, values } = toCondition(reader, dropNoopTimeBounds(reader, filter));
  const counted = reader
    .prepare(
      `SELECT count(*) AS connections, count(DISTINCT source_id) AS devices, count(DISTINCT destination_id) AS destinations
       FROM flow f INDEXED BY flow_seen WHERE ${sql}`,
    )
    .get(...values) as Pick<Facts['current'], 'connections' | 'devices' | 'destinations'>;
  const warn = countMatching(reader, { ...filter, fThreat: ['warn'] });
  const danger = countMatching(reader, { ...filter, fThreat: ['danger'] });
  return { ...counted, safe: counted.connections - warn - danger, warn, danger };
}

type Lists = ReturnType<typeof countLists>;

/** The key of a service is the number of its protocol × `ports` + its port. */
const ports = 65_536;

/** Counts by destination and by service in one pass: SQL would sort all rows twice. */
function countLists(reader: Reader, filter: ConnectionFilter) {
  const { sql, values } = toCondition(reader, dropNoopTimeBounds(reader, filter));
  const rows = reader
    .prepare(`SELECT f.destination_id, f.dport, f.proto FROM flow f INDEXED BY flow_seen WHERE ${sql}`)
    .raw()
    .iterate(...values) as Iterable<[destination: number, dport: number, proto: string]>;
  const byDestination = new Map<number, number>();
  const byService = new Map<number, number>();
  const protocols = new Map<string, number>();
  for (const [destination, dport, proto] of rows) {
    const protocol = protocols.get(proto) ?? protocols.size;
    protocols.set(proto, protocol);
    increment(byDestination, destination);
    increment(byService, protocol * ports + dport);
  }
  return { byDestination, byService, protocols: [...protocols.keys()] };
}

function increment(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function topServices({ byService, protocols }: Lists): Facts['topServices'] {
  const most = limits.factsServices;
  const named = selectLargest(byService, most).map(([service, connections]) => ({
    port: service % ports,
    protocol: protocols[Math.floor(service / ports)] ?? '',
    connections,
  }));
  return topBy(named, most, getCount, ({ protocol, port }) => `${protocol} ${port}`);
}

function topDestinations(reader: Reader, { byDestination }: Lists): Facts['topDestinations'] {
  const most = limits.factsDestinations;
  const find = reader.prepare('SELECT address AS ip, host, org, country FROM destination WHERE id = ?');
  const named = selectLargest(byDestination, most).map(([id, connections]) => ({
    ...(find.get(id) as Omit<Facts['topDestinations'][number], 'connections'>),
    connections,
  }));
  return topBy(named, most, getCount, ({ ip }) => ip);
}

const getCount = ({ connections }: { connections: number }) => connections;

/** Selects the keys that may be among the `most` largest: only these need names. */
function selectLargest(counts: ReadonlyMap<number, number>, most: number): [key: number, count: number][] {
  const least = [...counts.values()].sort((a, b) => b - a)[most - 1] ?? 0;
  return [...counts].filter(([, count]) => count >= least);
}

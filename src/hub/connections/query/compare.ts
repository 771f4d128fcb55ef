// Counts of two periods and what the first is made of, from one snapshot of the log.
import type { Facts } from '#contract/ai.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import { topBy } from '#kernel/columns/top-k.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { readThreats } from '../store/verdicts.ts';
import { dropNoopTimeBounds } from './count.ts';
import { matching } from './filter.ts';

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

/** As what the list shows between `from` and the last instant before `to`. */
export function comparePeriods(reader: Reader, { current, previous, scope }: CompareParams): Comparison {
  const counted = countPeriod(reader, { ...scope, ...listed(current) });
  const before = countPeriod(reader, { ...scope, ...listed(previous) });
  return {
    current: countsOf(reader, counted),
    previous: countsOf(reader, before),
    topServices: topServices(counted),
    topDestinations: topDestinations(reader, counted),
  };
}

/** Both ends of the list are inclusive. */
function listed({ from, to }: Period): Period {
  return { from, to: to - 1 };
}

interface Counted {
  connections: number;
  sources: Set<number>;
  /** Connections by the id of the destination, by protocol and port, and by the id of the verdict. */
  byDestination: Map<number, number>;
  byService: Map<string, Map<number, number>>;
  byThreat: Map<number, number>;
}

type Row = [source: number, destination: number, dport: number, proto: string, threat: number | null];

function countPeriod(reader: Reader, filter: ConnectionFilter): Counted {
  const { sql, values } = matching(reader, dropNoopTimeBounds(reader, filter));
  const rows = reader
    .prepare(
      `SELECT f.source_id, f.destination_id, f.dport, f.proto, f.threat_id FROM flow f INDEXED BY flow_seen WHERE ${sql}`,
    )
    .raw()
    .iterate(...values) as Iterable<Row>;
  const sources = new Set<number>();
  const [byDestination, byThreat] = [new Map<number, number>(), new Map<number, number>()];
  const byService = new Map<string, Map<number, number>>();
  let connections = 0;
  for (const [source, destination, dport, proto, threat] of rows) {
    connections += 1;
    sources.add(source);
    addOne(byDestination, destination);
    let ports = byService.get(proto);
    if (ports === undefined) {
      ports = new Map();
      byService.set(proto, ports);
    }
    addOne(ports, dport);
    if (threat !== null) {
      addOne(byThreat, threat);
    }
  }
  return { connections, sources, byDestination, byService, byThreat };
}

function addOne(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function countsOf(reader: Reader, { connections, sources, byDestination, byThreat }: Counted): Facts['current'] {
  const levels = { warn: 0, danger: 0 };
  const threats = readThreats(reader);
  for (const [id, count] of byThreat) {
    levels[threats.get(id)?.level === 'danger' ? 'danger' : 'warn'] += count;
  }
  const safe = connections - levels.warn - levels.danger;
  return { connections, devices: sources.size, destinations: byDestination.size, safe, ...levels };
}

function topServices({ byService }: Counted): Facts['topServices'] {
  const all = [...byService].flatMap(([protocol, ports]) =>
    [...ports].map(([port, connections]) => ({ port, protocol, connections })),
  );
  return topBy(
    all,
    limits.factsServices,
    ({ connections }) => connections,
    ({ protocol, port }) => `${protocol} ${port}`,
  );
}

/** Names are read for those alone whose count may be among the largest. */
function topDestinations(reader: Reader, { byDestination }: Counted): Facts['topDestinations'] {
  const most = limits.factsDestinations;
  const least = [...byDestination.values()].sort((a, b) => b - a)[most - 1] ?? 0;
  const find = reader.prepare('SELECT address AS ip, host, org, country FROM destination WHERE id = ?');
  const named = [...byDestination]
    .filter(([, connections]) => connections >= least)
    .map(([id, connections]) => ({ ...(find.get(id) as Named), connections }));
  return topBy(
    named,
    most,
    ({ connections }) => connections,
    ({ ip }) => ip,
  );
}

type Named = Omit<Facts['topDestinations'][number], 'connections'>;

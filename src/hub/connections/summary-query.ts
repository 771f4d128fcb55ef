// The summary of a window: one pass over its flows grouped by both ends, one over their hours for the timeline.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import { limits } from '#contract/limits.ts';
import { canonicalIp } from '#kernel/address.ts';
import type { Reader } from '#kernel/sqlite.ts';
import { appOf, appOfHost, webPorts } from './app-guess.ts';
import { allOf, type Condition, matching } from './filter.ts';
import { readObserverSets } from './observer-set.ts';
import { ranked } from './ranking.ts';
import { collectGroups, type Pair } from './summary-groups.ts';
import { type DestinationRow, readDestinations, readSources } from './summary-words.ts';
import { readTimeline } from './timeline.ts';

export interface SummaryParams {
  filter: Pick<ConnectionFilter, 'from' | 'to' | 'sourceKind' | 'sourceId'>;
  /** Only flows of this source address. */
  src: string | undefined;
  /** 1…240. */
  buckets: number;
  now: number;
}

/** `serverTime` and `cached` are left to whoever keeps the answer. */
export function summarise(reader: Reader, params: SummaryParams): Omit<ConnectionSummary, 'serverTime' | 'cached'> {
  const { filter, src, buckets, now } = params;
  const device = ofSource(src);
  const where = allOf([matching(filter), ...device]);
  const destinations = readDestinations(reader);
  const observers = reader.remembered('observer sets', () => readObserverSets(reader));
  const sources = readSources(reader);
  const { totals, groups } = collectGroups({ pairs: readPairs(reader, where), sources, destinations, observers });
  const isEmpty = totals.count === 0;
  const from = filter.from ?? (isEmpty ? (filter.to ?? now) : totals.firstSeen);
  const to = filter.to ?? (isEmpty ? from : totals.lastSeen);
  const ofScope = allOf([matching({ sourceKind: filter.sourceKind, sourceId: filter.sourceId }), ...device]);
  const { timeline, observations } = readTimeline(reader, ofScope, { from, to, buckets, destinations });
  return {
    ...groups,
    appGroups: readApps(reader, where, destinations),
    timeline,
    total: totals.count,
    observations,
    buckets,
    from,
    to,
  };
}

function ofSource(src: string | undefined): Condition[] {
  return src === undefined
    ? []
    : [{ sql: 'f.source_id IN (SELECT id FROM source WHERE address = ?)', values: [canonicalIp(src) ?? src] }];
}

function readPairs(reader: Reader, { sql, values }: Condition): Iterable<Pair> {
  return reader
    .prepare(
      `SELECT f.source_id, f.destination_id, f.observer_set_id, count(*), min(f.first_seen), max(f.last_seen),
         max(f.ttl)
       FROM flow f WHERE ${sql} GROUP BY f.source_id, f.destination_id, f.observer_set_id`,
    )
    .raw()
    .iterate(...values) as Iterable<Pair>;
}

function readApps(
  reader: Reader,
  where: Condition,
  destinations: ReadonlyMap<number, DestinationRow>,
): ConnectionSummary['appGroups'] {
  const counts = new Map<string, number>();
  const add = (app: string, count: number) => counts.set(app, (counts.get(app) ?? 0) + count);
  const byPort = reader
    .prepare(`SELECT f.dport, f.proto, count(*) FROM flow f WHERE ${where.sql} GROUP BY f.dport, f.proto`)
    .raw()
    .all(...where.values) as [number, string, number][];
  for (const [dport, proto, count] of byPort) {
    add(appOf(dport, proto), count);
  }
  const told = [...destinations.values()].filter(({ host }) => appOfHost(host) !== null);
  const onWeb = reader
    .prepare(
      `SELECT f.destination_id, count(*) FROM flow f
       WHERE f.destination_id IN (SELECT value FROM json_each(?)) AND f.dport IN (${webPorts.join(', ')})
         AND f.proto IN ('TCP', 'UDP') AND ${where.sql} GROUP BY f.destination_id`,
    )
    .raw()
    .all(JSON.stringify(told.map(({ id }) => id)), ...where.values) as [number, number][];
  for (const [destination, count] of onWeb) {
    add(appOfHost(destinations.get(destination)?.host ?? null) ?? 'web', count);
    add('web', -count);
  }
  const groups = [...counts].filter(([, count]) => count > 0).map(([app, count]) => ({ app, count }));
  return ranked(groups, limits.summaryTargets, ({ app }) => app);
}

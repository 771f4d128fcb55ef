// The summary of a window: groups and timeline of its flows.
import type { ConnectionSummary, Known } from '#contract/connection-reports.ts';
import type { ConnectionFilter } from '#contract/connections.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { observerSetsOf } from '../query/filter.ts';
import { readObserverSets } from '../store/observer-set.ts';
import { bySeverity, readThreats } from '../store/verdicts.ts';
import { HourBuckets } from './buckets.ts';
import { toSummary } from './groups.ts';
import { rowsTo } from './index/runs.ts';
import { flowStore } from './index/store.ts';
import type { FlowStore } from './index/type.ts';
import { type DestinationLabels, readDestinations, readSources } from './labels.ts';
import { type Scan, scanFlows } from './scan.ts';
import { bucketTotals, timelineOf } from './timeline.ts';

export interface SummaryParams {
  filter: Pick<ConnectionFilter, 'from' | 'to' | 'sourceKind' | 'sourceId'>;
  /** Only flows of this source address. */
  src: string | undefined;
  /** Only flows to this target, and to this country. */
  target: string | undefined;
  country: string | undefined;
  /** 1…240. */
  buckets: number;
  now: number;
}

/** The caller, which caches the answer, adds `serverTime` and `cached`. */
export function summarise(
  reader: Reader,
  params: SummaryParams,
): Omit<ConnectionSummary, keyof Known | 'serverTime' | 'cached'> {
  const { filter, src, buckets } = params;
  const destinations = reader.remembered('destinations', () => readDestinations(reader));
  const store = flowStore(reader, destinations.target);
  const observers = filter.sourceId === undefined ? null : observerSetsOf(reader, filter);
  const source = src === undefined ? null : sourceNamed(reader, src);
  const isWanted = wantedDestinations(destinations, params);
  const { from, to } = windowOf(store, params, { observers, source, isWanted });
  const [sources, observedBy] = [readSources(reader), readObserverSets(reader)];
  const threats = [...readThreats(reader)].sort(([, a], [, b]) => bySeverity(a, b));
  const counted = scanFlows({
    store,
    from,
    to,
    isBounded: filter.from !== undefined && filter.to !== undefined,
    observers,
    source,
    isWanted,
    buckets,
    hours: new HourBuckets(reader, { from, to, buckets }, store),
    destinations,
    sources: highest(sources) + 1,
    observerSets: highest(observedBy) + 1,
    rankOfThreat: new Map(threats.map(([id], rank) => [id, rank])),
  });
  const groups = toSummary(counted, {
    sources,
    destinations,
    destinationIds: store.destinations.ids,
    observers: observedBy,
    threats: threats.map(([, threat]) => threat),
  });
  const { observations } = counted;
  return {
    ...groups,
    timeline: timelineOf(counted.timeline, buckets, destinations.targets),
    byBucket: bucketTotals(counted.timeline, buckets),
    observations,
    buckets,
    from,
    to,
  };
}

/** Whether a destination, by its id, is of the target and the country that are asked for; null: all are. */
function wantedDestinations(labels: DestinationLabels, { target, country }: SummaryParams): Scan['isWanted'] {
  if (target === undefined && country === undefined) {
    return null;
  }
  return (id) =>
    (target === undefined || labels.targets[labels.target[id] as number] === target) &&
    (country === undefined || labels.country[id] === country);
}

/** An open end lies where the matching flows begin or end. */
function windowOf(
  store: FlowStore,
  { filter, now }: SummaryParams,
  { observers, source, isWanted }: Pick<Scan, 'observers' | 'source' | 'isWanted'>,
): { from: number; to: number } {
  if (filter.from !== undefined && filter.to !== undefined) {
    return { from: filter.from, to: filter.to };
  }
  const [from, to] = [filter.from ?? 0, filter.to ?? Number.POSITIVE_INFINITY];
  const { lastSeconds, lastMs, firstSeconds, firstMs, observers: sets, source: sources } = store.columns;
  let firstSeen = Number.POSITIVE_INFINITY;
  let lastSeen = 0;
  for (const { start, end } of rowsTo(store, isWanted)) {
    for (let at = start; at < end; at += 1) {
      const first = (firstSeconds[at] as number) * 1000 + (firstMs[at] as number);
      const last = (lastSeconds[at] as number) * 1000 + (lastMs[at] as number);
      const isAsked = (source === null || sources[at] === source) && (!observers || observers.has(sets[at] as number));
      if (last > 0 && last >= from && first <= to && isAsked) {
        firstSeen = Math.min(firstSeen, first);
        lastSeen = Math.max(lastSeen, last);
      }
    }
  }
  if (lastSeen === 0) {
    const at = filter.from ?? filter.to ?? now;
    return { from: at, to: filter.to ?? at };
  }
  return { from: filter.from ?? firstSeen, to: filter.to ?? lastSeen };
}

/** The id of a source address in any spelling; -1 when the log does not know it. */
function sourceNamed(reader: Reader, address: string): number {
  const row = reader.prepare('SELECT id FROM source WHERE address = ?').get(canonicalIp(address) ?? address);
  return (row as { id: number } | undefined)?.id ?? -1;
}

/** The highest id; 0 when there is none. */
function highest(byId: ReadonlyMap<number, unknown>): number {
  return [...byId.keys()].reduce((most, id) => Math.max(most, id), 0);
}

// The summary of a window: groups and timeline of its flows.
import type { ConnectionFilter } from '#contract/connections.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { findObserverSets } from '../query/filter.ts';
import { readObserverSets } from '../store/observer-set.ts';
import { compareSeverity, readThreats } from '../store/verdicts.ts';
import { HourBuckets } from './buckets.ts';
import { type SummaryAnswer, toSummary } from './groups.ts';
import { walkRowsTo } from './index/runs.ts';
import { updateFlowStore } from './index/store.ts';
import type { FlowStore } from './index/type.ts';
import { type DestinationLabels, readDestinations, readSources, type SourceRow } from './labels.ts';
import { type Scan, scanFlows } from './scan.ts';
import { sumBuckets, toTimeline } from './timeline.ts';

export interface SummaryParams {
  filter: Pick<ConnectionFilter, 'from' | 'to' | 'sourceKind' | 'sourceId'>;
  /** Only flows of these source addresses, in any spelling; empty: of all. */
  src: readonly string[];
  /** Only flows to this target, and to this country. */
  target: string | undefined;
  country: string | undefined;
  /** 1…240. */
  buckets: number;
  now: number;
}

export function summarise(reader: Reader, params: SummaryParams): SummaryAnswer {
  const { filter, src, buckets } = params;
  const destinations = reader.remembered('destinations', () => readDestinations(reader));
  const store = updateFlowStore(reader, destinations.target);
  const observers = filter.sourceId === undefined ? null : findObserverSets(reader, filter);
  const sources = readSources(reader);
  const wantedSources = src.length === 0 ? null : markSources(sources, src);
  const isWanted = createDestinationFilter(destinations, params);
  const { from, to } = findWindow(store, params, { observers, wantedSources, isWanted });
  const observedBy = readObserverSets(reader);
  const threats = [...readThreats(reader)].sort(([, a], [, b]) => compareSeverity(a, b));
  const counted = scanFlows({
    store,
    from,
    to,
    isBounded: filter.from !== undefined && filter.to !== undefined,
    observers,
    wantedSources,
    isWanted,
    buckets,
    hours: new HourBuckets(reader, { from, to, buckets }, store),
    destinations,
    sources: findHighest(sources) + 1,
    observerSets: findHighest(observedBy) + 1,
    rankOfThreat: new Map(threats.map(([id], rank) => [id, rank])),
  });
  const groups = toSummary(counted, {
    sources,
    destinations,
    destinationIds: store.destinations.ids,
    observers: observedBy,
    threats: threats.map(([, threat]) => threat),
  });
  return {
    ...groups,
    timeline: toTimeline(counted.timeline, buckets, destinations.targets),
    byBucket: sumBuckets(counted.timeline, buckets),
    observations: counted.observations,
    buckets,
    from,
    to,
  };
}

/** Returns whether a destination id belongs to the wanted target and country; null when all do. */
function createDestinationFilter(labels: DestinationLabels, { target, country }: SummaryParams): Scan['isWanted'] {
  if (target === undefined && country === undefined) {
    return null;
  }
  return (id) =>
    (target === undefined || labels.targets[labels.target[id] as number] === target) &&
    (country === undefined || labels.country[id] === country);
}

/** Where an end of the window is open, it is where the matching flows begin or end. */
function findWindow(
  store: FlowStore,
  { filter, now }: SummaryParams,
  { observers, wantedSources, isWanted }: Pick<Scan, 'observers' | 'wantedSources' | 'isWanted'>,
): { from: number; to: number } {
  if (filter.from !== undefined && filter.to !== undefined) {
    return { from: filter.from, to: filter.to };
  }
  const from = filter.from ?? 0;
  const to = filter.to ?? Number.POSITIVE_INFINITY;
  const { lastSeconds, lastMs, firstSeconds, firstMs, observers: sets, source } = store.columns;
  let firstSeen = Number.POSITIVE_INFINITY;
  let lastSeen = 0;
  for (const { start, end } of walkRowsTo(store, isWanted)) {
    for (let at = start; at < end; at += 1) {
      const first = (firstSeconds[at] as number) * 1000 + (firstMs[at] as number);
      const last = (lastSeconds[at] as number) * 1000 + (lastMs[at] as number);
      const isAsked =
        (wantedSources === null || wantedSources[source[at] as number] === 1) &&
        (observers === null || observers.has(sets[at] as number));
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

/** Marks the ids of these addresses, in any spelling, with 1. The log may have none of them. */
function markSources(sources: ReadonlyMap<number, SourceRow>, addresses: readonly string[]): Uint8Array {
  const wanted = new Set(addresses.map((address) => canonicalIp(address) ?? address));
  const marks = new Uint8Array(findHighest(sources) + 1);
  for (const { id, src } of sources.values()) {
    marks[id] = wanted.has(src) ? 1 : 0;
  }
  return marks;
}

/** The highest id; 0 when there is none. */
function findHighest(byId: ReadonlyMap<number, unknown>): number {
  return [...byId.keys()].reduce((most, id) => Math.max(most, id), 0);
}

// Flows counted by both ends → the groups of the summary.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { ObservedKinds, Threat } from '#contract/model.ts';
import { apps } from './app-guess.ts';
import type { FlowColumns } from './flow-columns.ts';
import type { ObservedBy } from './observer-set.ts';
import { PairTable } from './pair-table.ts';
import type { DestinationWords, Place, SourceRow } from './summary-words.ts';
import { largest, Tallies } from './tallies.ts';
import { byGravity } from './threat.ts';
import { isCounted } from './window-flows.ts';

interface Collected {
  columns: FlowColumns;
  /** Of `flowsOfWindow`, when every flow is decided. */
  states: Uint8Array;
  sources: ReadonlyMap<number, SourceRow>;
  destinations: DestinationWords;
  observers: ReadonlyMap<number, ObservedBy>;
  threats: ReadonlyMap<number, Threat>;
}

/** What one pass over the flows counts; all other groups are sums of these. */
interface Counted {
  total: number;
  byDestination: Tallies;
  /** Sources with what destinations have in common: their target and place, one number. */
  cells: PairTable;
  byCell: Tallies;
  maxTtl: Int32Array;
  /** Sources with the observer sets of their flows. */
  observed: PairTable;
  byApp: Uint32Array;
}

type Groups = Pick<
  ConnectionSummary,
  | 'byDst'
  | 'byDevice'
  | 'byTarget'
  | 'byEdge'
  | 'byLocation'
  | 'mapCoverage'
  | 'appGroups'
  | 'total'
  | 'uniqueDestinations'
  | 'uniqueDevices'
>;

export function collectGroups(collected: Collected): Groups {
  const { sources, destinations, threats } = collected;
  const kinds = kindsOf(destinations);
  const counted = count(collected, kinds.ofDestination);
  const { byDestination, cells, byCell, observed, byApp } = counted;
  const byDevice = new Tallies(1024);
  const byTarget = new Tallies(destinations.targets.length);
  const byPlace = new Tallies(destinations.places.length);
  const byEdge = new Tallies(1024);
  const edges = new PairTable();
  const placeSources = new PairTable();
  const sourcesOfPlace = new Uint32Array(destinations.places.length);
  const ttlOfPlace = new Int32Array(destinations.places.length).fill(-1);
  for (let cell = 0; cell < cells.count; cell += 1) {
    const [source, kind] = [cells.first[cell] as number, cells.second[cell] as number];
    const target = kinds.pairs.first[kind] as number;
    byDevice.addAll(source, byCell, cell);
    byTarget.addAll(target, byCell, cell);
    byEdge.addAll(edges.numberOf(source, target), byCell, cell);
    const place = (kinds.pairs.second[kind] as number) - 1;
    if (place >= 0) {
      byPlace.addAll(place, byCell, cell);
      ttlOfPlace[place] = Math.max(ttlOfPlace[place] as number, counted.maxTtl[cell] as number);
      const known = placeSources.count;
      if (placeSources.numberOf(source, place) === known) {
        sourcesOfPlace[place] = (sourcesOfPlace[place] as number) + 1;
      }
    }
  }
  const address = (source: number) => sourceOf(sources, source).src;
  const targetKey = (target: number) => destinations.targets[target] ?? '';
  const placeKey = (place: number) => destinations.places[place]?.key ?? '';
  const edgeOf = (edge: number) => ({
    src: address(edges.first[edge] as number),
    key: targetKey(edges.second[edge] as number),
  });
  const places = largest(byPlace.count, limits.summaryLocations, placeKey);
  const gravest = gravestThreats(collected, threats);
  return {
    byDst: largest(byDestination.count, limits.summaryDestinations, (id) => destinations.address[id] ?? '').map(
      (id) => ({
        dst: destinations.address[id] ?? '',
        dstHost: destinations.host[id] ?? null,
        country: destinations.country[id] ?? null,
        org: destinations.org[id] ?? null,
        ...byDestination.of(id),
        threat: gravest.get(id) ?? null,
      }),
    ),
    byDevice: largest(byDevice.count, limits.summaryDevices, address).map((id) => {
      const { id: _, ...source } = sourceOf(sources, id);
      return { ...source, ...byDevice.of(id), ...observersOf(id, observed, collected.observers) };
    }),
    byTarget: largest(byTarget.count, limits.summaryTargets, targetKey).map((target) => ({
      key: targetKey(target),
      label: targetKey(target),
      ...byTarget.of(target),
    })),
    byEdge: largest(byEdge.count, limits.summaryEdges, (edge) => {
      const { src, key } = edgeOf(edge);
      return `${src} ${key}`;
    }).map((edge) => ({ ...edgeOf(edge), ...byEdge.of(edge) })),
    byLocation: places.map((place) => {
      const { count: totalSessions, firstSeen, lastSeen } = byPlace.of(place);
      const ttl = ttlOfPlace[place] as number;
      const counts = { totalSessions, srcCount: sourcesOfPlace[place] as number, maxTtl: ttl < 0 ? null : ttl };
      return { ...(destinations.places[place] as Place), ...counts, firstSeen, lastSeen };
    }),
    mapCoverage: coverage(byPlace.count, places),
    appGroups: largest(byApp, limits.summaryTargets, (app) => apps[app] ?? '').map((app) => ({
      app: apps[app] ?? '',
      count: byApp[app] as number,
    })),
    total: counted.total,
    uniqueDestinations: filled(byDestination.count),
    uniqueDevices: filled(byDevice.count),
  };
}

/** What targets and places destinations belong to, both as one number. */
function kindsOf({ target, place }: DestinationWords) {
  const pairs = new PairTable();
  return { pairs, ofDestination: target.map((of, id) => pairs.numberOf(of, place[id] as number)) };
}

function count({ columns, states, destinations }: Collected, kindOf: Uint32Array): Counted {
  const { source, destination, observers, app, ttl, firstSeconds, firstMs, lastSeconds, lastMs } = columns;
  const byDestination = new Tallies(destinations.address.length);
  const byCell = new Tallies(1024);
  const cells = new PairTable();
  const observed = new PairTable();
  const byApp = new Uint32Array(apps.length);
  const web = apps.indexOf('web');
  let maxTtl = new Int32Array(1024).fill(-1);
  let total = 0;
  for (let at = 0; at < states.length; at += 1) {
    if (states[at] !== isCounted) {
      continue;
    }
    const from = source[at] as number;
    const to = destination[at] as number;
    const first = (firstSeconds[at] as number) * 1000 + (firstMs[at] as number);
    const last = (lastSeconds[at] as number) * 1000 + (lastMs[at] as number);
    const cell = cells.numberOf(from, kindOf[to] as number);
    byDestination.add(to, 1, first, last);
    byCell.add(cell, 1, first, last);
    if (cell >= maxTtl.length) {
      const more = new Int32Array(cell * 2).fill(-1);
      more.set(maxTtl);
      maxTtl = more;
    }
    if ((ttl[at] as number) > (maxTtl[cell] as number)) {
      maxTtl[cell] = ttl[at] as number;
    }
    observed.numberOf(from, observers[at] as number);
    const guess = app[at] as number;
    const name = guess === web ? (destinations.webApp[to] as number) : guess;
    byApp[name] = (byApp[name] as number) + 1;
    total += 1;
  }
  return { total, byDestination, cells, byCell, maxTtl, observed, byApp };
}

/** By destination, of the flows that are counted. */
function gravestThreats({ columns, states }: Collected, threats: ReadonlyMap<number, Threat>): Map<number, Threat> {
  const gravest = new Map<number, Threat>();
  for (const [flow, id] of columns.threats) {
    const at = flow - columns.base;
    const threat = threats.get(id);
    if (states[at] === isCounted && threat) {
      const destination = columns.destination[at] as number;
      const known = gravest.get(destination);
      gravest.set(destination, known && byGravity(known, threat) <= 0 ? known : threat);
    }
  }
  return gravest;
}

function sourceOf(sources: ReadonlyMap<number, SourceRow>, id: number): SourceRow {
  const row = sources.get(id);
  if (!row) {
    throw new Error('a flow names an address that is not in its dictionary');
  }
  return row;
}

function observersOf(source: number, observed: PairTable, observers: ReadonlyMap<number, ObservedBy>) {
  const sets: ObservedBy[] = [];
  for (let pair = 0; pair < observed.count; pair += 1) {
    if (observed.first[pair] === source) {
      sets.push(observers.get(observed.second[pair] as number) ?? { observedBy: [], source: 'unknown' });
    }
  }
  const observedBy = [...new Set(sets.flatMap((set) => set.observedBy))].sort();
  const kinds = sets.flatMap((set) => set.source.split('+') as ObservedKinds[]);
  return { observedBy, sources: [...new Set(kinds)].sort() };
}

function coverage(counts: Uint32Array, shown: readonly number[]) {
  const totalSessions = counts.reduce((sum, sessions) => sum + sessions, 0);
  const shownSessions = shown.reduce((sum, place) => sum + (counts[place] as number), 0);
  const totalGroups = filled(counts);
  return {
    limit: limits.summaryLocations,
    totalGroups,
    shownGroups: shown.length,
    totalSessions,
    shownSessions,
    percent: totalSessions === 0 ? 100 : Math.round((shownSessions / totalSessions) * 1000) / 10,
    capped: totalGroups > shown.length,
  };
}

/** Groups that are not empty. */
function filled(counts: Uint32Array): number {
  return counts.reduce((groups, sessions) => groups + (sessions > 0 ? 1 : 0), 0);
}

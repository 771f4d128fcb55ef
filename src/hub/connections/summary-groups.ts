// Flows counted by both ends → the groups of the summary.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { ObservedKinds, Threat } from '#contract/model.ts';
import { apps } from './app-guess.ts';
import { BitGrid } from './bit-grid.ts';
import type { FlowColumns } from './flow-columns.ts';
import { flowEdges } from './flow-edges.ts';
import type { ObservedBy } from './observer-set.ts';
import type { PairTable } from './pair-table.ts';
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
  /** Sources with targets. */
  edges: PairTable;
  byEdge: Tallies;
  /** Sources of a place. */
  sourcesOfPlace: Uint32Array;
  /** Sources with the observer sets of their flows. */
  observed: BitGrid;
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
  const { total, byDestination, edges, byEdge, sourcesOfPlace, observed, byApp } = count(collected);
  const ofDestination = byDestination.counts();
  const byTarget = new Tallies(destinations.targets.length);
  const byPlace = new Tallies(destinations.places.length);
  for (let id = 0; id < ofDestination.length; id += 1) {
    if ((ofDestination[id] as number) > 0) {
      byTarget.addAll(destinations.target[id] as number, byDestination, id);
      const place = destinations.place[id] as number;
      if (place > 0) {
        byPlace.addAll(place - 1, byDestination, id);
      }
    }
  }
  const address = (source: number) => sourceOf(sources, source).src;
  const targetKey = (target: number) => destinations.targets[target] ?? '';
  const placeKey = (place: number) => destinations.places[place]?.key ?? '';
  const edgeOf = (edge: number) => ({
    src: address(edges.first(edge)),
    key: targetKey(edges.second(edge)),
  });
  const byDevice = new Tallies(highest(sources) + 1);
  const ofEdge = byEdge.counts();
  for (let edge = 0; edge < edges.count; edge += 1) {
    if ((ofEdge[edge] as number) > 0) {
      byDevice.addAll(edges.first(edge), byEdge, edge);
    }
  }
  const ofDevice = byDevice.counts();
  const ofPlace = byPlace.counts();
  const places = largest(ofPlace, limits.summaryLocations, placeKey);
  const gravest = gravestThreats(collected, threats);
  return {
    byDst: largest(ofDestination, limits.summaryDestinations, (id) => destinations.address[id] ?? '').map((id) => ({
      dst: destinations.address[id] ?? '',
      dstHost: destinations.host[id] ?? null,
      country: destinations.country[id] ?? null,
      org: destinations.org[id] ?? null,
      ...byDestination.of(id),
      threat: gravest.get(id) ?? null,
    })),
    byDevice: largest(ofDevice, limits.summaryDevices, address).map((id) => {
      const { id: _, ...source } = sourceOf(sources, id);
      return { ...source, ...byDevice.of(id), ...observersOf(id, observed, collected.observers) };
    }),
    byTarget: largest(byTarget.counts(), limits.summaryTargets, targetKey).map((target) => ({
      key: targetKey(target),
      label: targetKey(target),
      ...byTarget.of(target),
    })),
    byEdge: largest(ofEdge, limits.summaryEdges, (edge) => {
      const { src, key } = edgeOf(edge);
      return `${src} ${key}`;
    }).map((edge) => ({ ...edgeOf(edge), ...byEdge.of(edge) })),
    byLocation: places.map((place) => {
      const { count: totalSessions, firstSeen, lastSeen } = byPlace.of(place);
      const counts = { totalSessions, srcCount: sourcesOfPlace[place] as number, maxTtl: byPlace.maxTtl(place) };
      return { ...(destinations.places[place] as Place), ...counts, firstSeen, lastSeen };
    }),
    mapCoverage: coverage(ofPlace, places),
    appGroups: largest(byApp, limits.summaryTargets, (app) => apps[app] ?? '').map((app) => ({
      app: apps[app] ?? '',
      count: byApp[app] as number,
    })),
    total,
    uniqueDestinations: filled(ofDestination),
    uniqueDevices: filled(ofDevice),
  };
}

function count({ columns, states, sources, destinations, observers: sets }: Collected): Counted {
  const { source, destination, observers, app, edge, ttl, firstSeconds, firstMs, lastSeconds, lastMs } = columns;
  const { target, place, webApp } = destinations;
  const byDestination = new Tallies(destinations.address.length);
  const edges = flowEdges(columns, destinations);
  const byEdge = new Tallies(edges.count + 1024);
  const observed = new BitGrid(highest(sources) + 1, highest(sets) + 1);
  const byApp = new Uint32Array(apps.length);
  const web = apps.indexOf('web');
  const placed = new BitGrid(destinations.places.length, highest(sources) + 1);
  const sourcesOfPlace = new Uint32Array(destinations.places.length);
  let total = 0;
  for (let at = 0; at < states.length; at += 1) {
    if (states[at] !== isCounted) {
      continue;
    }
    const from = source[at] as number;
    const to = destination[at] as number;
    const first = (firstSeconds[at] as number) * 1000 + (firstMs[at] as number);
    const last = (lastSeconds[at] as number) * 1000 + (lastMs[at] as number);
    byDestination.add(to, 1, first, last, ttl[at] as number);
    if (edge[at] === 0) {
      edge[at] = edges.numberOf(from, target[to] as number) + 1;
    }
    byEdge.add((edge[at] as number) - 1, 1, first, last, -1);
    observed.add(from, observers[at] as number);
    const where = (place[to] as number) - 1;
    if (where >= 0 && placed.add(where, from)) {
      sourcesOfPlace[where] = (sourcesOfPlace[where] as number) + 1;
    }
    const guess = app[at] as number;
    const name = guess === web ? (webApp[to] as number) : guess;
    byApp[name] = (byApp[name] as number) + 1;
    total += 1;
  }
  return { total, byDestination, edges, byEdge, sourcesOfPlace, observed, byApp };
}

/** By destination, of the flows that are counted. */
function gravestThreats({ columns, states }: Collected, threats: ReadonlyMap<number, Threat>): Map<number, Threat> {
  const ordered = [...threats].sort(([, a], [, b]) => byGravity(a, b));
  const rankOf = new Map(ordered.map(([id], rank) => [id, rank]));
  const gravest = new Map<number, number>();
  for (const [flow, id] of columns.threats) {
    const at = flow - columns.base;
    const rank = rankOf.get(id);
    if (states[at] === isCounted && rank !== undefined) {
      const destination = columns.destination[at] as number;
      gravest.set(destination, Math.min(rank, gravest.get(destination) ?? rank));
    }
  }
  return new Map([...gravest].map(([id, rank]) => [id, ordered[rank]?.[1] as Threat]));
}

function sourceOf(sources: ReadonlyMap<number, SourceRow>, id: number): SourceRow {
  const row = sources.get(id);
  if (!row) {
    throw new Error('a flow names an address that is not in its dictionary');
  }
  return row;
}

function observersOf(source: number, observed: BitGrid, observers: ReadonlyMap<number, ObservedBy>) {
  const sets = [...observers].filter(([set]) => observed.has(source, set)).map(([, observedBy]) => observedBy);
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

function highest(byId: ReadonlyMap<number, unknown>): number {
  let id = 0;
  for (const other of byId.keys()) {
    id = Math.max(id, other);
  }
  return id;
}

/** Groups that are not empty. */
function filled(counts: Uint32Array): number {
  return counts.reduce((groups, sessions) => groups + (sessions > 0 ? 1 : 0), 0);
}

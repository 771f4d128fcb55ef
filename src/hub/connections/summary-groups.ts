// Flows counted by both ends → the groups of the summary.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { ObservedKinds, Threat } from '#contract/model.ts';
import { appOf, appOfHost } from './app-guess.ts';
import type { ObservedBy } from './observer-set.ts';
import { addFlow, newTally, ranked, type Tally } from './ranking.ts';
import { type DestinationRow, type SourceRow, targetOf } from './summary-words.ts';
import { byGravity } from './threat.ts';

/** What the summary reads of one flow. */
export type FlowRow = [
  id: number,
  source: number,
  destination: number,
  observers: number,
  firstSeen: number,
  lastSeen: number,
  ttl: number | null,
  dport: number,
  proto: string,
  threat: number | null,
];

interface Collected {
  flows: Iterable<FlowRow>;
  /** The largest id of a flow. */
  maxId: number;
  sources: ReadonlyMap<number, SourceRow>;
  destinations: ReadonlyMap<number, DestinationRow>;
  observers: ReadonlyMap<number, ObservedBy>;
  threats: ReadonlyMap<number, Threat>;
}

/** Which flows were counted, and to which target each belongs. */
export interface FlowTargets {
  /** By the id of a flow: the place of its target in `keys`, plus one; 0 when it was not counted. */
  ofFlow: Uint32Array;
  keys: readonly string[];
}

interface DestinationGroup {
  tally: Tally;
  row: DestinationRow;
  /** The gravest of its flows. */
  threat: Threat | null;
}

interface DeviceGroup {
  tally: Tally;
  row: SourceRow;
  /** Ids of observer sets. */
  observers: Set<number>;
  /** By the number of their target. */
  edges: Map<number, EdgeGroup>;
}

interface TargetGroup {
  tally: Tally;
  key: string;
  /** In order of first appearance. */
  number: number;
}

interface EdgeGroup {
  tally: Tally;
  src: string;
  key: string;
}

interface LocationGroup {
  tally: Tally;
  key: string;
  row: DestinationRow;
  sources: Set<number>;
  maxTtl: number | null;
}

/** A destination with the groups that its flows belong to: looked up once, not for each flow. */
interface Destination {
  group: DestinationGroup;
  target: TargetGroup;
  location: LocationGroup | null;
  /** What its host name tells of flows to web ports. */
  app: string | null;
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
  | 'uniqueDestinations'
  | 'uniqueDevices'
>;

export function collectGroups(collected: Collected): { totals: Tally; groups: Groups; targets: FlowTargets } {
  const totals = newTally();
  const byDestination = new Map<number, Destination>();
  const byDevice = new Map<number, DeviceGroup>();
  const byTarget = new Map<string, TargetGroup>();
  const byLocation = new Map<string, LocationGroup>();
  const byApp = new Map<string, { app: string; count: number }>();
  const ofFlow = new Uint32Array(collected.maxId + 1);

  const createDestination = (id: number): Destination => {
    const row = rowOf(collected.destinations, id);
    const key = targetOf(row);
    const group: DestinationGroup = { row, tally: newTally(), threat: null };
    const target = byTarget.get(key) ?? { key, number: byTarget.size, tally: newTally() };
    byTarget.set(key, target);
    const destination = { group, target, location: locationOf(byLocation, row), app: appOfHost(row.host) };
    byDestination.set(id, destination);
    return destination;
  };
  const createDevice = (id: number): DeviceGroup => {
    const device = {
      row: rowOf(collected.sources, id),
      observers: new Set<number>(),
      edges: new Map<number, EdgeGroup>(),
      tally: newTally(),
    };
    byDevice.set(id, device);
    return device;
  };

  for (const [id, sourceId, destinationId, observerSet, first, last, ttl, dport, proto, threatId] of collected.flows) {
    const { group, target, location, app } = byDestination.get(destinationId) ?? createDestination(destinationId);
    const device = byDevice.get(sourceId) ?? createDevice(sourceId);
    let edge = device.edges.get(target.number);
    if (!edge) {
      edge = { src: device.row.src, key: target.key, tally: newTally() };
      device.edges.set(target.number, edge);
    }
    addFlow(totals, first, last);
    addFlow(group.tally, first, last);
    addFlow(device.tally, first, last);
    addFlow(target.tally, first, last);
    addFlow(edge.tally, first, last);
    device.observers.add(observerSet);
    if (threatId !== null) {
      group.threat = graver(group.threat, collected.threats.get(threatId) ?? null);
    }
    ofFlow[id] = target.number + 1;
    if (location) {
      addFlow(location.tally, first, last);
      location.sources.add(sourceId);
      location.maxTtl = ttl === null ? location.maxTtl : Math.max(ttl, location.maxTtl ?? ttl);
    }
    const name = appOf(dport, proto);
    countApp(byApp, name === 'web' ? (app ?? name) : name);
  }
  const count = ({ tally }: { tally: Tally }) => tally.count;
  const locations = ranked(byLocation.values(), limits.summaryLocations, count, ({ key }) => key);
  const groups = [...byDestination.values()].map(({ group }) => group);
  const edges = [...byDevice.values()].flatMap((device) => [...device.edges.values()]);
  return {
    totals,
    targets: { ofFlow, keys: [...byTarget.keys()] },
    groups: {
      byDst: ranked(groups, limits.summaryDestinations, count, ({ row }) => row.dst).map(shownDestination),
      byDevice: ranked(byDevice.values(), limits.summaryDevices, count, ({ row }) => row.src).map((group) =>
        shownDevice(group, collected.observers),
      ),
      byTarget: ranked(byTarget.values(), limits.summaryTargets, count, ({ key }) => key).map(({ key, tally }) => ({
        key,
        label: key,
        ...tally,
      })),
      byEdge: ranked(edges, limits.summaryEdges, count, ({ src, key }) => `${src} ${key}`).map(
        ({ src, key, tally }) => ({ src, key, ...tally }),
      ),
      byLocation: locations.map(shownLocation),
      mapCoverage: coverage([...byLocation.values()], locations),
      appGroups: ranked(
        byApp.values(),
        limits.summaryTargets,
        (group) => group.count,
        ({ app }) => app,
      ),
      uniqueDestinations: byDestination.size,
      uniqueDevices: byDevice.size,
    },
  };
}

function graver(a: Threat | null, b: Threat | null): Threat | null {
  return a && (!b || byGravity(a, b) <= 0) ? a : b;
}

function rowOf<R>(rows: ReadonlyMap<number, R>, id: number): R {
  const row = rows.get(id);
  if (!row) {
    throw new Error('a flow names an address that is not in its dictionary');
  }
  return row;
}

function locationOf(byLocation: Map<string, LocationGroup>, row: DestinationRow): LocationGroup | null {
  if (row.lat === null || row.lon === null) {
    return null;
  }
  const key = placeOf(row);
  const location = byLocation.get(key) ?? { key, row, sources: new Set<number>(), maxTtl: null, tally: newTally() };
  byLocation.set(key, location);
  return location;
}

function countApp(byApp: Map<string, { app: string; count: number }>, app: string): void {
  const group = byApp.get(app);
  if (group) {
    group.count += 1;
  } else {
    byApp.set(app, { app, count: 1 });
  }
}

/** Everything that is shown of a place. */
function placeOf({ org, country, city, lat, lon }: DestinationRow): string {
  return [org ?? '', country ?? '', city ?? '', lat, lon].join('|');
}

function shownDestination({ row, tally, threat }: DestinationGroup) {
  const { dst, host: dstHost, country, org } = row;
  return { dst, dstHost, country, org, ...tally, threat };
}

function shownDevice(group: DeviceGroup, observers: ReadonlyMap<number, ObservedBy>) {
  const { row, tally } = group;
  const { id: _, ...source } = row;
  const sets = [...group.observers].flatMap((set) => observers.get(set) ?? []);
  const observedBy = [...new Set(sets.flatMap((set) => set.observedBy))].sort();
  const kinds = sets.flatMap((set) => set.source.split('+') as ObservedKinds[]);
  return { ...source, ...tally, observedBy, sources: [...new Set(kinds)].sort() };
}

function shownLocation({ key, row, sources, maxTtl, tally }: LocationGroup) {
  const { count, firstSeen, lastSeen } = tally;
  const { org, country, city, lat, lon } = row;
  return {
    key,
    org,
    country,
    city,
    lat: lat ?? 0,
    lon: lon ?? 0,
    totalSessions: count,
    srcCount: sources.size,
    maxTtl,
    firstSeen,
    lastSeen,
  };
}

function coverage(all: readonly LocationGroup[], shown: readonly LocationGroup[]) {
  const sum = (groups: readonly LocationGroup[]) => groups.reduce((sessions, { tally }) => sessions + tally.count, 0);
  const [totalSessions, shownSessions] = [sum(all), sum(shown)];
  return {
    limit: limits.summaryLocations,
    totalGroups: all.length,
    shownGroups: shown.length,
    totalSessions,
    shownSessions,
    percent: totalSessions === 0 ? 100 : Math.round((shownSessions / totalSessions) * 1000) / 10,
    capped: all.length > shown.length,
  };
}

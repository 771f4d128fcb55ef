// Flows counted by both ends → the groups of the summary.
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { ObservedKinds } from '#contract/model.ts';
import { toThreat } from './connection-row.ts';
import type { ObservedBy } from './observer-set.ts';
import { addTo, groupOf, ranked, type Tally } from './ranking.ts';
import { type DestinationRow, type SourceRow, targetOf } from './summary-words.ts';

/** Flows of one source to one destination that the same observers saw. */
export type Pair = [
  source: number,
  destination: number,
  observers: number,
  count: number,
  firstSeen: number,
  lastSeen: number,
  maxTtl: number | null,
];

interface Collected {
  pairs: Iterable<Pair>;
  sources: ReadonlyMap<number, SourceRow>;
  destinations: ReadonlyMap<number, DestinationRow>;
  observers: ReadonlyMap<number, ObservedBy>;
}

interface DestinationGroup extends Tally {
  row: DestinationRow;
}

interface DeviceGroup extends Tally {
  row: SourceRow;
  /** Ids of observer sets. */
  observers: Set<number>;
}

interface TargetGroup extends Tally {
  key: string;
}

interface EdgeGroup extends Tally {
  src: string;
  key: string;
}

interface LocationGroup extends Tally {
  key: string;
  row: DestinationRow;
  sources: Set<number>;
  maxTtl: number | null;
}

type Groups = Pick<
  ConnectionSummary,
  'byDst' | 'byDevice' | 'byTarget' | 'byEdge' | 'byLocation' | 'mapCoverage' | 'uniqueDestinations' | 'uniqueDevices'
>;

export function collectGroups({ pairs, sources, destinations, observers }: Collected): {
  totals: Tally;
  groups: Groups;
} {
  const totals: Tally = { count: 0, firstSeen: Number.POSITIVE_INFINITY, lastSeen: 0 };
  const byDst = new Map<number, DestinationGroup>();
  const byDevice = new Map<number, DeviceGroup>();
  const byTarget = new Map<string, TargetGroup>();
  const byEdge = new Map<number, Map<string, EdgeGroup>>();
  const byLocation = new Map<string, LocationGroup>();
  for (const [sourceId, destinationId, observerSet, count, firstSeen, lastSeen, maxTtl] of pairs) {
    const source = sources.get(sourceId);
    const destination = destinations.get(destinationId);
    if (!source || !destination) {
      throw new Error('a flow names an address that is not in its dictionary');
    }
    const tally: Tally = { count, firstSeen, lastSeen };
    const key = targetOf(destination);
    addTo(totals, tally);
    addTo(
      groupOf(byDst, destinationId, () => ({ row: destination })),
      tally,
    );
    const device = groupOf(byDevice, sourceId, () => ({ row: source, observers: new Set<number>() }));
    addTo(device, tally);
    device.observers.add(observerSet);
    addTo(
      groupOf(byTarget, key, () => ({ key })),
      tally,
    );
    const edges = byEdge.get(sourceId) ?? new Map<string, EdgeGroup>();
    byEdge.set(sourceId, edges);
    addTo(
      groupOf(edges, key, () => ({ src: source.src, key })),
      tally,
    );
    if (destination.lat !== null && destination.lon !== null) {
      const place = placeOf(destination);
      const location = groupOf(byLocation, place, () => ({
        key: place,
        row: destination,
        sources: new Set<number>(),
        maxTtl: null as number | null,
      }));
      addTo(location, tally);
      location.sources.add(sourceId);
      location.maxTtl = maxTtl === null ? location.maxTtl : Math.max(maxTtl, location.maxTtl ?? maxTtl);
    }
  }
  const edges = [...byEdge.values()].flatMap((ofSource) => [...ofSource.values()]);
  const locations = ranked(byLocation.values(), limits.summaryLocations, ({ key }) => key);
  return {
    totals,
    groups: {
      byDst: ranked(byDst.values(), limits.summaryDestinations, ({ row }) => row.dst).map(shownDestination),
      byDevice: ranked(byDevice.values(), limits.summaryDevices, ({ row }) => row.src).map((group) =>
        shownDevice(group, observers),
      ),
      byTarget: ranked(byTarget.values(), limits.summaryTargets, ({ key }) => key).map((group) => ({
        ...group,
        label: group.key,
      })),
      byEdge: ranked(edges, limits.summaryEdges, ({ src, key }) => `${src} ${key}`),
      byLocation: locations.map(shownLocation),
      mapCoverage: coverage([...byLocation.values()], locations),
      uniqueDestinations: byDst.size,
      uniqueDevices: byDevice.size,
    },
  };
}

/** Everything that is shown of a place. */
function placeOf({ org, country, city, lat, lon }: DestinationRow): string {
  return [org ?? '', country ?? '', city ?? '', lat, lon].join('|');
}

function shownDestination({ row, count, firstSeen, lastSeen }: DestinationGroup) {
  const { dst, host: dstHost, country, org } = row;
  return { dst, dstHost, country, org, count, firstSeen, lastSeen, threat: toThreat(row) };
}

function shownDevice(group: DeviceGroup, observers: ReadonlyMap<number, ObservedBy>) {
  const { row, count, firstSeen, lastSeen } = group;
  const { id: _, ...source } = row;
  const sets = [...group.observers].flatMap((set) => observers.get(set) ?? []);
  const observedBy = [...new Set(sets.flatMap((set) => set.observedBy))].sort();
  const kinds = sets.flatMap((set) => set.source.split('+') as ObservedKinds[]);
  return { ...source, count, firstSeen, lastSeen, observedBy, sources: [...new Set(kinds)].sort() };
}

function shownLocation({ key, row, sources, maxTtl, count, firstSeen, lastSeen }: LocationGroup) {
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

function coverage(all: readonly Tally[], shown: readonly Tally[]) {
  const sum = (groups: readonly Tally[]) => groups.reduce((sessions, { count }) => sessions + count, 0);
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

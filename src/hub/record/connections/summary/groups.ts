// The groups of the summary from the counts of a scan.
import type { ConnectionSummary, Known } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { ObservedKinds, Threat } from '#contract/model.ts';
import type { BitGrid } from '#kernel/columns/bit-grid.ts';
import { topK } from '#kernel/columns/top-k.ts';
import type { ObservedBy } from '../store/observer-set.ts';
import { GroupAggregates } from './aggregates.ts';
import { apps } from './app-guess.ts';
import type { DestinationLabels, Place, SourceRow } from './labels.ts';
import { type Counted, setLowest } from './scan.ts';

export interface Labels {
  sources: ReadonlyMap<number, SourceRow>;
  destinations: DestinationLabels;
  /** Destination ids by number. */
  destinationIds: Uint32Array;
  observers: ReadonlyMap<number, ObservedBy>;
  /** Verdicts by severity, the most severe first. */
  threats: readonly Threat[];
}

/** A summary without what the caller adds, which caches it. */
export type SummaryAnswer = Omit<ConnectionSummary, keyof Known | 'serverTime' | 'cached' | 'longRange'>;

type Groups = Omit<SummaryAnswer, 'timeline' | 'byBucket' | 'observations' | 'buckets' | 'from' | 'to'>;

export function toSummary(
  counted: Counted,
  { sources, destinations, destinationIds, observers, threats }: Labels,
): Groups {
  const { total, byDestination, bySource, byEdge, placed, observed, byApp, mostSevere, mostSevereOfSource } = counted;
  const destinationCounts = byDestination.counts();
  const byTarget = new GroupAggregates(destinations.targets.length);
  const byPlace = new GroupAggregates(destinations.places.length);
  const byCountry = new GroupAggregates(destinations.countries.length + 1);
  for (let number = 0; number < destinationIds.length; number += 1) {
    if ((destinationCounts[number] as number) > 0) {
      const id = destinationIds[number] as number;
      byTarget.addAll(destinations.target[id] as number, byDestination, number);
      byCountry.addAll(destinations.countryNumber[id] as number, byDestination, number);
      const place = destinations.place[id] as number;
      if (place > 0) {
        byPlace.addAll(place - 1, byDestination, number);
      }
    }
  }
  const targetRanks = new Map<number, number>();
  const countryRanks = new Map<number, number>();
  for (const [number, rank] of mostSevere) {
    const id = destinationIds[number] as number;
    setLowest(targetRanks, destinations.target[id] as number, rank);
    setLowest(countryRanks, destinations.countryNumber[id] as number, rank);
  }
  const getLevel = (ranks: ReadonlyMap<number, number>, group: number) =>
    threats[ranks.get(group) ?? -1]?.level ?? 'safe';
  const getCountry = (country: number) => destinations.countries[country - 1] ?? null;
  const targetCounts = byTarget.counts();
  const getAddress = (number: number) => destinations.address[destinationIds[number] as number] ?? '';
  const getSourceAddress = (source: number) => getSource(sources, source).src;
  const getTargetKey = (target: number) => destinations.targets[target] ?? '';
  const getPlaceKey = (place: number) => destinations.places[place]?.key ?? '';
  const getEdge = (edge: number) => ({
    src: getSourceAddress(byEdge.source(edge)),
    key: getTargetKey(byEdge.target(edge)),
  });
  const deviceCounts = bySource.counts();
  const placeCounts = byPlace.counts();
  const places = topK(placeCounts, limits.summaryLocations, getPlaceKey);
  return {
    byDst: topK(destinationCounts, limits.summaryDestinations, getAddress).map((number) => {
      const id = destinationIds[number] as number;
      return {
        dst: getAddress(number),
        dstHost: destinations.host[id] ?? null,
        country: destinations.country[id] ?? null,
        org: destinations.org[id] ?? null,
        ...byDestination.get(number),
        threat: threats[mostSevere.get(number) ?? -1] ?? null,
      };
    }),
    byDevice: topK(deviceCounts, limits.summaryDevices, getSourceAddress).map((id) => {
      const { id: _, ...source } = getSource(sources, id);
      const level = getLevel(mostSevereOfSource, id);
      return { ...source, ...bySource.get(id), ...listObservers(id, observed, observers), level };
    }),
    byTarget: topK(targetCounts, limits.summaryTargets, getTargetKey).map((target) => ({
      key: getTargetKey(target),
      label: getTargetKey(target),
      ...byTarget.get(target),
      level: getLevel(targetRanks, target),
    })),
    byEdge: topK(byEdge.aggregates.counts(), limits.summaryEdges, (edge) => {
      const { src, key } = getEdge(edge);
      return `${src} ${key}`;
    }).map((edge) => ({ ...getEdge(edge), ...byEdge.aggregates.get(edge), level: getLevel(byEdge.mostSevere, edge) })),
    byCountry: topK(byCountry.counts(), limits.summaryCountries, (country) => getCountry(country) ?? '').map(
      (country) => ({
        country: getCountry(country),
        ...byCountry.get(country),
        level: getLevel(countryRanks, country),
      }),
    ),
    byLocation: places.map((place) => {
      const { count: totalSessions, firstSeen, lastSeen } = byPlace.get(place);
      const counts = { totalSessions, srcCount: placed.count(place), maxTtl: byPlace.maxTtl(place) };
      return { ...(destinations.places[place] as Place), ...counts, firstSeen, lastSeen };
    }),
    mapCoverage: toMapCoverage(
      [...placeCounts].filter((sessions) => sessions > 0),
      places.map((place) => placeCounts[place] as number),
    ),
    appGroups: topK(byApp, limits.summaryTargets, (app) => apps[app] ?? '').map((app) => ({
      app: apps[app] ?? '',
      count: byApp[app] as number,
    })),
    total,
    uniqueDestinations: countFilled(destinationCounts),
    uniqueDevices: countFilled(deviceCounts),
    uniqueTargets: countFilled(targetCounts),
  };
}

function getSource(sources: ReadonlyMap<number, SourceRow>, id: number): SourceRow {
  const row = sources.get(id);
  if (!row) {
    throw new Error('a flow names an address that is not in its dictionary');
  }
  return row;
}

function listObservers(source: number, observed: BitGrid, observers: ReadonlyMap<number, ObservedBy>) {
  const sets = [...observers].filter(([set]) => observed.has(source, set)).map(([, observedBy]) => observedBy);
  const observedBy = [...new Set(sets.flatMap((set) => set.observedBy))].sort();
  const kinds = sets.flatMap((set) => set.source.split('+') as ObservedKinds[]);
  return { observedBy, sources: [...new Set(kinds)].sort() };
}

/** How much of all places the map shows, from the sessions of all places and of the shown ones. */
export function toMapCoverage(all: readonly number[], shown: readonly number[]): ConnectionSummary['mapCoverage'] {
  const totalSessions = all.reduce((sum, sessions) => sum + sessions, 0);
  const shownSessions = shown.reduce((sum, sessions) => sum + sessions, 0);
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

/** Number of groups that are not empty. */
function countFilled(counts: Uint32Array): number {
  return counts.reduce((groups, sessions) => groups + (sessions > 0 ? 1 : 0), 0);
}

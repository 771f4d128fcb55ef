// The connections of a device, counted over all of its addresses: the API counts one address at a time.
import { ask, type Reply } from '../api/client.ts';

export type Summary = Reply<'GET /api/connections/summary'>;

/** Addresses that are counted; each takes a request. */
const mostAddresses = 4;
/** Most destinations in a summary. */
const mostDestinations = 500;

export interface Traffic extends Pick<Summary, 'byDst' | 'byTarget' | 'byCountry' | 'byBucket' | 'total'> {
  /** Ids of the routers that saw it. */
  observedBy: readonly string[];
  /** The summary leaves out destinations. */
  isCut: boolean;
}

export const countedAddresses = (addresses: readonly string[]) => addresses.slice(0, mostAddresses);

/** `from` and `to` in epoch milliseconds, both included. */
export interface Window {
  from: number;
  to: number;
  buckets: number;
}

export async function loadTraffic(
  addresses: readonly string[],
  { from, to, buckets }: Window,
  stop: AbortSignal,
): Promise<Traffic> {
  const period = { from: String(from), to: String(to), buckets: String(buckets) };
  const all = await Promise.all(
    addresses.map((src) => ask('GET /api/connections/summary', { query: { ...period, src } }, stop)),
  );
  return {
    byDst: joinGroups(
      all.map(({ byDst }) => byDst),
      ({ dst }) => dst,
    ),
    byTarget: joinGroups(
      all.map(({ byTarget }) => byTarget),
      ({ key }) => key,
    ),
    byCountry: joinGroups(
      all.map(({ byCountry }) => byCountry),
      ({ country }) => country,
    ),
    byBucket: Array.from({ length: buckets }, (_, at) => sum(all.map(({ byBucket }) => byBucket[at] ?? 0))),
    total: sum(all.map(({ total }) => total)),
    observedBy: [...new Set(all.flatMap(({ byDevice }) => byDevice.flatMap(({ observedBy }) => observedBy)))],
    isCut: all.some(({ byDst }) => byDst.length >= mostDestinations),
  };
}

interface Counted {
  count: number;
  firstSeen: number;
  lastSeen: number;
}

/** Adds up the groups of the same key, most connections first. */
function joinGroups<G extends Counted>(lists: readonly (readonly G[])[], keyOf: (group: G) => unknown): G[] {
  const joined = [...Map.groupBy(lists.flat(), keyOf).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : others.reduce(addUp, first),
  );
  return joined.toSorted((one, other) => other.count - one.count);
}

function addUp<G extends Counted>(one: G, other: G): G {
  return {
    ...one,
    count: one.count + other.count,
    firstSeen: Math.min(one.firstSeen, other.firstSeen),
    lastSeen: Math.max(one.lastSeen, other.lastSeen),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

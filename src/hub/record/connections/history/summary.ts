// The summary of a window from ClickHouse: the groups of the log's own summary, counted by the engine.
import { z } from 'zod';
import type { ConnectionSummary } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import { observedKinds, type Threat, type ThreatLevel } from '#contract/model.ts';
import { topBy } from '#kernel/columns/top-k.ts';
import { rowText as text, rowWhole as whole } from '../../../base/clickhouse-rows.ts';
import { compareSeverity } from '../store/verdicts.ts';
import { apps, guessApp, guessWebApp } from '../summary/app-guess.ts';
import { type SummaryAnswer, toMapCoverage } from '../summary/groups.ts';
import { type Ask, askRow } from './ask.ts';
import { flowsQuery, type HistoryWindow } from './flows-query.ts';

/** -1: none. */
const wholeOrNone = z.int().min(-1);
const level = z.int().min(0).max(2);
const counts = { count: whole, firstSeen: whole, lastSeen: whole, level };
type Counts = z.output<z.ZodObject<typeof counts>>;

const counted = 'count() AS count, min(f_first) AS firstSeen, max(f_last) AS lastSeen, max(f_level) AS level';
const levels = ['safe', 'warn', 'danger'] as const satisfies readonly ThreatLevel[];

const toAggregate = ({ count, firstSeen, lastSeen }: Counts) => ({ count, firstSeen, lastSeen });
const toLevel = (row: Counts): ThreatLevel => levels[row.level] ?? 'safe';
const nullIfEmpty = (given: string): string | null => (given === '' ? null : given);

export async function summariseHistory(ask: Ask, window: HistoryWindow): Promise<SummaryAnswer> {
  return {
    byDst: await readDestinations(ask),
    byDevice: await readDevices(ask),
    byTarget: await readTargets(ask),
    byEdge: await readEdges(ask),
    byCountry: await readCountries(ask),
    ...(await readPlaces(ask)),
    appGroups: await readApplications(ask),
    ...(await readTimeline(ask, window.buckets)),
    ...(await readTotals(ask)),
    buckets: window.buckets,
    from: window.from,
    to: window.to,
  };
}

/** ClickHouse sends a tuple as a list, or as an object in the same order. */
const verdict = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown()).transform((tuple) => Object.values(tuple))])
  .pipe(
    z.tuple([
      level,
      z.enum(['low', 'high']),
      z.enum(['feed_c2', 'feed_ioc', 'feed_url', 'feed_drop']),
      text,
      z.enum(['ip', 'domain', 'cidr']),
      text,
      wholeOrNone.max(65_535),
      text,
    ]),
  );
const destination = z.object({
  ...counts,
  dst: text,
  host: text,
  country: text,
  org: text,
  threats: z.array(verdict),
});

async function readDestinations(ask: Ask): Promise<ConnectionSummary['byDst']> {
  const rows = await ask(
    `SELECT f_dst AS dst, argMax(f_host, f_last) AS host, argMax(f_country, f_last) AS country, argMax(f_org, f_last) AS org,
       ${counted}, groupUniqArrayIf(f_threat, f_level > 0) AS threats
     FROM ${flowsQuery} GROUP BY dst ORDER BY count DESC, dst LIMIT ${limits.summaryDestinations}`,
    destination,
  );
  return rows.map(({ dst, host, country, org, threats, ...row }) => ({
    dst,
    dstHost: nullIfEmpty(host),
    country: nullIfEmpty(country),
    org: nullIfEmpty(org),
    ...toAggregate(row),
    threat: threats.map(toThreat).sort(compareSeverity)[0] ?? null,
  }));
}

function toThreat([rank, confidence, source, tag, matchType, matchValue, port, url]: z.output<typeof verdict>): Threat {
  return {
    level: rank === 2 ? 'danger' : 'warn',
    confidence,
    source,
    tag: nullIfEmpty(tag),
    matchType,
    matchValue,
    port: port < 0 ? null : port,
    url: nullIfEmpty(url),
  };
}

const device = z.object({
  ...counts,
  src: text,
  /** Address of its card, the maker of that, and its names. */
  names: z.tuple([text, text, text, text]),
  observers: z.array(text),
  kinds: z.array(
    z
      .string()
      .transform((kinds) => kinds.split('+'))
      .pipe(z.array(observedKinds)),
  ),
});

async function readDevices(ask: Ask): Promise<ConnectionSummary['byDevice']> {
  const rows = await ask(
    `SELECT f_src AS src, max(f_names) AS newest,
       [newest.2, newest.3, newest.4, newest.5] AS names, ${counted},
       arraySort(groupUniqArrayArray(f_observers)) AS observers, groupUniqArray(f_kinds) AS kinds
     FROM ${flowsQuery} GROUP BY src ORDER BY count DESC, src LIMIT ${limits.summaryDevices}`,
    device,
  );
  return rows.map(({ src, names, observers, kinds, ...row }) => {
    const [mac, vendor, dnsName, mdnsName] = names;
    return {
      src,
      srcMac: nullIfEmpty(mac),
      srcVendor: nullIfEmpty(vendor),
      srcDnsName: nullIfEmpty(dnsName),
      srcMdnsName: nullIfEmpty(mdnsName),
      ...toAggregate(row),
      observedBy: observers,
      sources: [...new Set(kinds.flat())].sort(),
      level: toLevel(row),
    };
  });
}

async function readTargets(ask: Ask): Promise<ConnectionSummary['byTarget']> {
  const rows = await ask(
    `SELECT f_target AS key, ${counted} FROM ${flowsQuery} GROUP BY key ORDER BY count DESC, key
     LIMIT ${limits.summaryTargets}`,
    z.object({ ...counts, key: text }),
  );
  return rows.map((row) => ({ key: row.key, label: row.key, ...toAggregate(row), level: toLevel(row) }));
}

async function readEdges(ask: Ask): Promise<ConnectionSummary['byEdge']> {
  const rows = await ask(
    `SELECT f_src AS src, f_target AS key, ${counted} FROM ${flowsQuery} GROUP BY src, key
     ORDER BY count DESC, concat(src, ' ', key) LIMIT ${limits.summaryEdges}`,
    z.object({ ...counts, src: text, key: text }),
  );
  return rows.map((row) => ({ src: row.src, key: row.key, ...toAggregate(row), level: toLevel(row) }));
}

async function readCountries(ask: Ask): Promise<ConnectionSummary['byCountry']> {
  const rows = await ask(
    `SELECT f_country AS country, ${counted} FROM ${flowsQuery} GROUP BY country ORDER BY count DESC, country
     LIMIT ${limits.summaryCountries}`,
    z.object({ ...counts, country: text }),
  );
  return rows.map((row) => ({ country: nullIfEmpty(row.country), ...toAggregate(row), level: toLevel(row) }));
}

const place = z.object({
  ...counts,
  org: text,
  country: text,
  city: text,
  lat: z.number().min(-90).max(90),
  lon: z.number().min(-180).max(180),
  sources: whole,
  ttl: wholeOrNone,
});

async function readPlaces(ask: Ask): Promise<Pick<ConnectionSummary, 'byLocation' | 'mapCoverage'>> {
  const rows = await ask(
    `SELECT f_org AS org, f_country AS country, f_city AS city, f_lat AS lat, f_lon AS lon, ${counted},
       uniqExact(f_src) AS sources, max(f_ttl) AS ttl
     FROM ${flowsQuery} WHERE NOT isNaN(f_lat) AND NOT isNaN(f_lon) GROUP BY org, country, city, lat, lon`,
    place,
  );
  const all = rows.map(({ org, country, city, lat, lon, sources, ttl, count, firstSeen, lastSeen }) => ({
    key: `${org}|${country}|${city}|${lat}|${lon}`,
    org: nullIfEmpty(org),
    country: nullIfEmpty(country),
    city: nullIfEmpty(city),
    lat,
    lon,
    totalSessions: count,
    srcCount: sources,
    maxTtl: ttl < 0 ? null : ttl,
    firstSeen,
    lastSeen,
  }));
  const countSessions = ({ totalSessions }: (typeof all)[number]) => totalSessions;
  const byLocation = topBy(all, limits.summaryLocations, countSessions, ({ key }) => key);
  return { byLocation, mapCoverage: toMapCoverage(all.map(countSessions), byLocation.map(countSessions)) };
}

async function readApplications(ask: Ask): Promise<ConnectionSummary['appGroups']> {
  const rows = await ask(
    `SELECT f_port AS port, f_proto AS proto,
       if(f_port IN (80, 443, 8080, 8443), splitByChar('.', lower(f_host))[1], '') AS label, count() AS count
     FROM ${flowsQuery} GROUP BY port, proto, label`,
    z.object({ port: whole, proto: text, label: text, count: whole }),
  );
  const web = apps.indexOf('web');
  const found = new Map<number, number>();
  for (const { port, proto, label, count } of rows) {
    const guess = guessApp(port, proto);
    const app = guess === web ? guessWebApp(label) : guess;
    found.set(app, (found.get(app) ?? 0) + count);
  }
  const named = [...found].map(([app, count]) => ({ app: apps[app] ?? '', count }));
  const getCount = ({ count }: { count: number }) => count;
  return topBy(named, limits.summaryTargets, getCount, ({ app }) => app);
}

async function readTimeline(ask: Ask, buckets: number): Promise<Pick<ConnectionSummary, 'timeline' | 'byBucket'>> {
  const bucket = z
    .int()
    .min(0)
    .max(buckets - 1);
  const rows = await ask(
    `SELECT f_target AS key, arrayJoin(f_buckets) AS bucket, count() AS count FROM ${flowsQuery} GROUP BY key, bucket
     ORDER BY bucket, count DESC, key LIMIT ${limits.summaryTimelineTargets} BY bucket`,
    z.object({ key: text, bucket, count: whole }),
  );
  const sums = await ask(
    `SELECT arrayJoin(f_buckets) AS bucket, count() AS count FROM ${flowsQuery} GROUP BY bucket`,
    z.object({ bucket, count: whole }),
  );
  const byBucket = Array.from({ length: buckets }, () => 0);
  for (const { bucket: at, count } of sums) {
    byBucket[at] = count;
  }
  return { timeline: rows, byBucket };
}

const total = z.object({
  total: whole,
  observations: whole,
  uniqueDestinations: whole,
  uniqueDevices: whole,
  uniqueTargets: whole,
});

function readTotals(ask: Ask): Promise<z.output<typeof total>> {
  return askRow(
    ask,
    `SELECT count() AS total, sum(f_observations) AS observations, uniqExact(f_dst) AS uniqueDestinations,
       uniqExact(f_src) AS uniqueDevices, uniqExact(f_target) AS uniqueTargets FROM ${flowsQuery}`,
    total,
  );
}

/** Counts the flows of the window by the level of their verdict. */
export function countHistory(ask: Ask): Promise<{ safe: number; warn: number; danger: number }> {
  return askRow(
    ask,
    `SELECT countIf(f_level = 0) AS safe, countIf(f_level = 1) AS warn, countIf(f_level = 2) AS danger FROM ${flowsQuery}`,
    z.object({ safe: whole, warn: whole, danger: whole }),
  );
}

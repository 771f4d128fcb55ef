// The summary of a window from ClickHouse: the groups of the log's own summary, counted by the engine.
import { z } from 'zod';
import type { ConnectionSummary, Known } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import { observedKinds, type Threat, type ThreatLevel } from '#contract/model.ts';
import { topBy } from '#kernel/columns/top-k.ts';
import { rowText as text, rowWhole as whole } from '../../../base/clickhouse-rows.ts';
import { bySeverity } from '../store/verdicts.ts';
import { appNumberOf, apps, webAppNumberOf } from '../summary/app-guess.ts';
import type { Ask } from './ask.ts';
import { flowsQuery, type HistoryWindow } from './flows-query.ts';

export type HistorySummary = Omit<ConnectionSummary, keyof Known | 'serverTime' | 'cached' | 'longRange'>;

/** -1 stands for none. */
const wholeOrNone = z.int().min(-1);
const level = z.int().min(0).max(2);
const counts = { count: whole, firstSeen: whole, lastSeen: whole, level };
type Counts = z.output<z.ZodObject<typeof counts>>;

const counted = 'count() AS count, min(f_first) AS firstSeen, max(f_last) AS lastSeen, max(f_level) AS level';
const levels = ['safe', 'warn', 'danger'] as const satisfies readonly ThreatLevel[];

const shown = ({ count, firstSeen, lastSeen }: Counts) => ({ count, firstSeen, lastSeen });
const levelOf = (row: Counts): ThreatLevel => levels[row.level] ?? 'safe';
const known = (given: string): string | null => (given === '' ? null : given);

export async function summariseHistory(ask: Ask, window: HistoryWindow): Promise<HistorySummary> {
  return {
    byDst: await destinations(ask),
    byDevice: await devices(ask),
    byTarget: await targets(ask),
    byEdge: await edges(ask),
    byCountry: await countries(ask),
    ...(await places(ask)),
    appGroups: await applications(ask),
    ...(await timeline(ask, window.buckets)),
    ...(await totals(ask)),
    ...{ buckets: window.buckets, from: window.from, to: window.to },
  };
}

/** A tuple arrives as a list, or as an object in the same order. */
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
  ...{ dst: text, host: text, country: text, org: text, threats: z.array(verdict) },
});

async function destinations(ask: Ask): Promise<ConnectionSummary['byDst']> {
  const rows = await ask(
    `SELECT f_dst AS dst, argMax(f_host, f_last) AS host, argMax(f_country, f_last) AS country, argMax(f_org, f_last) AS org,
       ${counted}, groupUniqArrayIf(f_threat, f_level > 0) AS threats
     FROM ${flowsQuery} GROUP BY dst ORDER BY count DESC, dst LIMIT ${limits.summaryDestinations}`,
    destination,
  );
  return rows.map(({ dst, host, country, org, threats, ...row }) => ({
    ...{ dst, dstHost: known(host), country: known(country), org: known(org), ...shown(row) },
    threat: threats.map(verdictOf).sort(bySeverity)[0] ?? null,
  }));
}

function verdictOf([rank, confidence, source, tag, matchType, matchValue, port, url]: z.output<
  typeof verdict
>): Threat {
  return {
    ...{ level: rank === 2 ? 'danger' : 'warn', confidence, source, tag: known(tag), matchType, matchValue },
    ...{ port: port < 0 ? null : port, url: known(url) },
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

async function devices(ask: Ask): Promise<ConnectionSummary['byDevice']> {
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
      ...{
        src,
        srcMac: known(mac),
        srcVendor: known(vendor),
        srcDnsName: known(dnsName),
        srcMdnsName: known(mdnsName),
      },
      ...shown(row),
      ...{ observedBy: observers, sources: [...new Set(kinds.flat())].sort(), level: levelOf(row) },
    };
  });
}

async function targets(ask: Ask): Promise<ConnectionSummary['byTarget']> {
  const rows = await ask(
    `SELECT f_target AS key, ${counted} FROM ${flowsQuery} GROUP BY key ORDER BY count DESC, key
     LIMIT ${limits.summaryTargets}`,
    z.object({ ...counts, key: text }),
  );
  return rows.map((row) => ({ key: row.key, label: row.key, ...shown(row), level: levelOf(row) }));
}

async function edges(ask: Ask): Promise<ConnectionSummary['byEdge']> {
  const rows = await ask(
    `SELECT f_src AS src, f_target AS key, ${counted} FROM ${flowsQuery} GROUP BY src, key
     ORDER BY count DESC, concat(src, ' ', key) LIMIT ${limits.summaryEdges}`,
    z.object({ ...counts, src: text, key: text }),
  );
  return rows.map((row) => ({ src: row.src, key: row.key, ...shown(row), level: levelOf(row) }));
}

async function countries(ask: Ask): Promise<ConnectionSummary['byCountry']> {
  const rows = await ask(
    `SELECT f_country AS country, ${counted} FROM ${flowsQuery} GROUP BY country ORDER BY count DESC, country
     LIMIT ${limits.summaryCountries}`,
    z.object({ ...counts, country: text }),
  );
  return rows.map((row) => ({ country: known(row.country), ...shown(row), level: levelOf(row) }));
}

const place = z.object({
  ...counts,
  ...{ org: text, country: text, city: text },
  lat: z.number().min(-90).max(90),
  lon: z.number().min(-180).max(180),
  sources: whole,
  ttl: wholeOrNone,
});

async function places(ask: Ask): Promise<Pick<ConnectionSummary, 'byLocation' | 'mapCoverage'>> {
  const rows = await ask(
    `SELECT f_org AS org, f_country AS country, f_city AS city, f_lat AS lat, f_lon AS lon, ${counted},
       uniqExact(f_src) AS sources, max(f_ttl) AS ttl
     FROM ${flowsQuery} WHERE NOT isNaN(f_lat) AND NOT isNaN(f_lon) GROUP BY org, country, city, lat, lon`,
    place,
  );
  const all = rows.map(({ org, country, city, lat, lon, sources, ttl, ...row }) => {
    const { count: totalSessions, firstSeen, lastSeen } = shown(row);
    const key = `${org}|${country}|${city}|${lat}|${lon}`;
    const maxTtl = ttl < 0 ? null : ttl;
    return {
      ...{ key, org: known(org), country: known(country), city: known(city), lat, lon },
      ...{ totalSessions, srcCount: sources, maxTtl, firstSeen, lastSeen },
    };
  });
  const limit = limits.summaryLocations;
  const byLocation = topBy(
    all,
    limit,
    ({ totalSessions }) => totalSessions,
    ({ key }) => key,
  );
  const sum = (list: typeof all) => list.reduce((sessions, { totalSessions }) => sessions + totalSessions, 0);
  const [totalSessions, shownSessions] = [sum(all), sum(byLocation)];
  const percent = totalSessions === 0 ? 100 : Math.round((shownSessions / totalSessions) * 1000) / 10;
  const [totalGroups, shownGroups] = [all.length, byLocation.length];
  const sessions = { totalSessions, shownSessions, percent };
  return {
    byLocation,
    mapCoverage: { limit, totalGroups, shownGroups, ...sessions, capped: totalGroups > shownGroups },
  };
}

async function applications(ask: Ask): Promise<ConnectionSummary['appGroups']> {
  const rows = await ask(
    `SELECT f_port AS port, f_proto AS proto,
       if(f_port IN (80, 443, 8080, 8443), splitByChar('.', lower(f_host))[1], '') AS label, count() AS count
     FROM ${flowsQuery} GROUP BY port, proto, label`,
    z.object({ port: whole, proto: text, label: text, count: whole }),
  );
  const web = apps.indexOf('web');
  const found = new Map<number, number>();
  for (const { port, proto, label, count } of rows) {
    const guess = appNumberOf(port, proto);
    const app = guess === web ? webAppNumberOf(label) : guess;
    found.set(app, (found.get(app) ?? 0) + count);
  }
  const named = [...found].map(([app, count]) => ({ app: apps[app] ?? '', count }));
  return topBy(
    named,
    limits.summaryTargets,
    ({ count }) => count,
    ({ app }) => app,
  );
}

async function timeline(ask: Ask, buckets: number): Promise<Pick<ConnectionSummary, 'timeline' | 'byBucket'>> {
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
  ...{ total: whole, observations: whole, uniqueDestinations: whole, uniqueDevices: whole, uniqueTargets: whole },
});

async function totals(ask: Ask): Promise<z.output<typeof total>> {
  const [row] = await ask(
    `SELECT count() AS total, sum(f_observations) AS observations, uniqExact(f_dst) AS uniqueDestinations,
       uniqExact(f_src) AS uniqueDevices, uniqExact(f_target) AS uniqueTargets FROM ${flowsQuery}`,
    total,
  );
  return required(row);
}

/** An aggregate without groups has one row, of no flows as well. */
function required<Row>(row: Row | undefined): Row {
  if (row === undefined) {
    throw new Error('the answer has no row: does ClickHouse stand at this address?');
  }
  return row;
}

/** Flows of the window by the level of their verdict. */
export async function countHistory(ask: Ask): Promise<{ safe: number; warn: number; danger: number }> {
  const [row] = await ask(
    `SELECT countIf(f_level = 0) AS safe, countIf(f_level = 1) AS warn, countIf(f_level = 2) AS danger FROM ${flowsQuery}`,
    z.object({ safe: whole, warn: whole, danger: whole }),
  );
  return required(row);
}

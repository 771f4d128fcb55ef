// Schemas of what the hub computes from the connection log (docs/reference/wire-contract/4-endpoints.md#44-connections).
// A flow (src, dst, dport, proto) that was seen in the window is a session. Instants are epoch milliseconds.
import { z } from 'zod';
import { coverage, observedKinds, threat, threatLevel } from './model.ts';

/** `count` sessions, with the first and the last sighting of any of them. */
const counted = { count: z.int(), firstSeen: z.int(), lastSeen: z.int() };

const sourceNames = {
  srcMac: z.string().nullable(),
  srcVendor: z.string().nullable(),
  srcDnsName: z.string().nullable(),
  srcMdnsName: z.string().nullable(),
};

const destinationNames = {
  dstHost: z.string().nullable(),
  country: z.string().nullable(),
  org: z.string().nullable(),
};

/** How far `safe` can be trusted: checked in all threat feeds, in some or outdated ones, or in none. */
export const judged = z.object({
  judged: z.enum(['full', 'partial', 'none']),
  /** Null when `full`. */
  judgedWhy: z
    .object({
      reason: z.enum(['offline_mode', 'no_feed_enabled', 'not_loaded', 'feeds_missing', 'feeds_stale']),
      feeds: z.array(threat.shape.source).describe('The lists that are missing or outdated'),
      message: z.string(),
    })
    .nullable(),
});
export type Judged = z.output<typeof judged>;

/** Tells who answered for a window that begins before the oldest data of the hub. */
export const longRange = z.object({
  answeredBy: z.enum(['clickhouse', 'log']),
  until: z
    .int()
    .nullable()
    .describe('End of the hours that ClickHouse holds; null when it did not answer or holds none'),
  message: z.string(),
});
export type LongRange = z.output<typeof longRange>;

/** Limits of every total of a window: how well threats were checked, and how long routers were observed. */
export const known = { ...judged.shape, coverage };
export type Known = z.output<z.ZodObject<typeof known>>;

/** The most severe level of the sessions. `safe` means nothing where `judged` is `none`. */
const worst = { level: threatLevel };

/** In each list, groups with the most sessions come first; equal ones are sorted by their key. */
export const connectionSummary = z.object({
  byDst: z
    .array(z.object({ dst: z.string(), ...destinationNames, ...counted, threat: threat.nullable() }))
    .describe('At most 500'),
  /** At most 200. */
  byDevice: z.array(
    z.object({
      src: z.string(),
      ...sourceNames,
      ...counted,
      observedBy: z.array(z.string()),
      sources: z.array(observedKinds).describe('Kinds of the observers, sorted'),
      ...worst,
    }),
  ),
  byTarget: z
    .array(z.object({ key: z.string(), label: z.string(), ...counted, ...worst }))
    .describe(
      'At most 1,000. The key of a target is its organisation, else its host name, else its address: fTarget of the log',
    ),
  /** Sessions between a device and a target. */
  byEdge: z.array(z.object({ src: z.string(), key: z.string(), ...counted, ...worst })).describe('At most 3,000'),
  byCountry: z
    .array(z.object({ country: z.string().nullable(), ...counted, ...worst }))
    .describe('At most 300; null: sessions whose country is not known'),
  /** At most 500 places. `maxTtl`: the longest remaining NAT timeout of the sessions, seconds. */
  byLocation: z.array(
    z.object({
      key: z.string(),
      org: z.string().nullable(),
      country: z.string().nullable(),
      city: z.string().nullable(),
      lat: z.number(),
      lon: z.number(),
      totalSessions: z.int(),
      srcCount: z.int(),
      maxTtl: z.int().nullable(),
      firstSeen: z.int(),
      lastSeen: z.int(),
    }),
  ),
  /** The share of sessions with a known place that `byLocation` shows; `percent` has one decimal. */
  mapCoverage: z.object({
    limit: z.int(),
    totalGroups: z.int(),
    shownGroups: z.int(),
    totalSessions: z.int(),
    shownSessions: z.int(),
    percent: z.number(),
    capped: z.boolean(),
  }),
  appGroups: z.array(z.object({ app: z.string(), count: z.int() })),
  timeline: z
    .array(z.object({ key: z.string(), bucket: z.int(), count: z.int() }))
    .describe('Sessions of a target seen in a bucket; at most 50 targets per bucket'),
  byBucket: z.array(z.int()).describe('Sessions seen in each bucket, all targets together'),
  total: z.int(),
  observations: z.int().describe('Sightings of these sessions in the hours of the window'),
  /** The window is divided into so many parts of equal length. */
  buckets: z.int(),
  from: z.int().describe('As requested; where left out, the first or last sighting of what was counted'),
  to: z.int(),
  uniqueDestinations: z.int(),
  uniqueDevices: z.int(),
  uniqueTargets: z.int(),
  ...known,
  longRange: longRange.optional().describe('Only when the window begins before what the hub keeps'),
  serverTime: z.int().describe('When it was computed'),
  cached: z.boolean(),
});

/** Devices and destinations whose first flow ever lies in the window. */
export const newNodes = z.object({
  deviceCount: z.int(),
  destinationCount: z.int(),
  newDevices: z
    .array(z.object({ src: z.string(), ...sourceNames, firstSeen: z.int() }))
    .describe('Newest first; at most 1,000'),
  newDestinations: z.array(z.object({ dst: z.string(), ...destinationNames, firstSeen: z.int() })),
  serverTime: z.int(),
});

export const threatConnections = z.object({
  count: z.int().describe('Rows returned'),
  total: z.int().describe('Destinations that match'),
  threats: z.array(
    z.object({
      dst: z.string(),
      host: z.string().nullable(),
      sessions: z.int(),
      confidence: threat.shape.confidence,
      level: threat.shape.level,
      source: threat.shape.source,
      tag: z.string().nullable(),
      matchType: threat.shape.matchType,
      matchValue: z.string(),
      url: z.string().nullable(),
      feed: threat.shape.source.describe('The same as source'),
      category: z.string().nullable().describe('The same as tag'),
    }),
  ),
  ...known,
  serverTime: z.int(),
});

/** Sessions of each level. */
export const threatCounts = z.object({
  safe: z.int(),
  warn: z.int(),
  danger: z.int(),
  ...known,
  longRange: longRange.optional().describe('Only when the window begins before what the hub keeps'),
  serverTime: z.int(),
});

/**
 * `hotEntries` counts the flows in memory: the whole log once a summary was asked for, so it may exceed `hotMaxEntries`.
 * `persistedEntries` counts those in the file.
 */
export const connectionMemory = z.object({
  rssBytes: z.int(),
  heapUsedBytes: z.int(),
  heapTotalBytes: z.int(),
  hotEntries: z.int(),
  hotMaxEntries: z.int(),
  persistedEntries: z.int(),
  serverTime: z.int(),
});

export type ConnectionSummary = z.output<typeof connectionSummary>;
export type NewNodes = z.output<typeof newNodes>;
export type ThreatConnections = z.output<typeof threatConnections>;
export type ThreatCounts = z.output<typeof threatCounts>;

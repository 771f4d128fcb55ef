// Records that several routes show: the connection, and what is known of its threat
// (docs/reference/wire-contract/3-records.md#31-connection and the section after it).
import { z } from 'zod';

export const threatLevel = z.enum(['safe', 'warn', 'danger']);
export type ThreatLevel = z.output<typeof threatLevel>;

/** Why a destination is not safe: which feed listed it, and what of it matched. */
export const threat = z.object({
  level: z.enum(['warn', 'danger']),
  confidence: z.enum(['low', 'high']),
  source: z.enum(['feed_c2', 'feed_ioc', 'feed_url', 'feed_drop']),
  tag: z.string().nullable(),
  matchType: z.enum(['ip', 'domain', 'cidr']),
  matchValue: z.string(),
  port: z.int().nullable(),
  url: z.string().nullable(),
});
export type Threat = z.output<typeof threat>;

/** What `source` says: the kinds of the routers in `observedBy`, joined by `+` when there are two. */
export const observedKinds = z.enum(['vendor_a', 'vendor_b', 'vendor_a+vendor_b', 'agent', 'unknown']);
export type ObservedKinds = z.output<typeof observedKinds>;

/** One flow (src, dst, dport, proto) with everything known of both of its ends. Instants are epoch milliseconds. */
export const connection = z.object({
  /** Canonical IP literals: lower case, compressed, no zone. */
  src: z.string(),
  dst: z.string(),
  /** 0…65535; 0 where the protocol has no ports. */
  dport: z.int(),
  /** Upper case. */
  proto: z.string(),
  sport: z.int().nullable(),
  /** Remaining NAT timeout in seconds when last seen. */
  ttl: z.int().nullable(),
  firstSeen: z.int(),
  lastSeen: z.int(),
  /** Sorted ids of routers, deleted ones included; empty when only an Agent saw the flow. */
  observedBy: z.array(z.string()),
  source: observedKinds,
  /** Lower-case colon form. */
  srcMac: z.string().nullable(),
  srcVendor: z.string().nullable(),
  srcDnsName: z.string().nullable(),
  srcMdnsName: z.string().nullable(),
  srcDeviceId: z.string().nullable(),
  dstHost: z.string().nullable(),
  /** ISO 3166 two-letter code. */
  country: z.string().nullable(),
  org: z.string().nullable(),
  lat: z.number().nullable(),
  lon: z.number().nullable(),
  city: z.string().nullable(),
  agentHost: z.string().nullable(),
  process: z.string().nullable(),
  pid: z.int().nullable(),
  /** Decimal text: sums of 64-bit counters. */
  bytesIn: z.string().nullable(),
  bytesOut: z.string().nullable(),
  /** `null` exactly when `threatLevel` is `safe`. */
  threat: threat.nullable(),
  threatLevel,
});
export type Connection = z.output<typeof connection>;

/** From 0 to 1, four decimals. */
export const share = z.number().min(0).max(1);

/** How much of a window its routers observed: what a total of that window can know of. */
export const coverage = z.object({
  /** Of the time of all routers together; null when none was set up in the window. */
  share: share.nullable(),
  /** What is missing, in a sentence; null when nothing is. */
  message: z.string().nullable(),
});
export type Coverage = z.output<typeof coverage>;

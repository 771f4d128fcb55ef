// Threat feeds, their state and settings (docs/reference/wire-contract/3-records.md#32-threat), and the look-up of one
// address at reputation services (docs/reference/wire-contract/4-endpoints.md#manual-look-up).
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { messageFacts } from './facts.ts';
import { limits } from './limits.ts';
import { threat } from './model.ts';

/** Feodo Tracker, ThreatFox, URLhaus, Spamhaus DROP. */
export const feedNames = threat.shape.source.options;
export type FeedName = (typeof feedNames)[number];

/** AbuseIPDB, VirusTotal, OTX. */
export const providerNames = ['rep_a', 'rep_b', 'rep_c'] as const;
export type ProviderName = (typeof providerNames)[number];

/** What a feed is worth now. Its stored data judges connections in every state but `disabled`. */
export const feedState = z.enum([
  /** Fetched as it should be. */
  'ok',
  /** Fetched as it should be, and it lists nothing: its publisher says that this may be so. */
  'empty',
  /** The last try failed, or the data is old: what was good last is in use. */
  'stale',
  /** Not fetched yet. */
  'pending',
  /** Never had any data; the last try failed. */
  'failed',
  /** Its key is missing, or was refused; not fetched again before the key changes. */
  'unauthorised',
  /** Switched off; or the hub is offline, and there is no data of it. */
  'disabled',
]);
export type FeedState = z.output<typeof feedState>;

const feed = z.object({
  id: z.enum(feedNames),
  name: z.string(),
  state: feedState,
  message: z.string().nullable().describe('What is the matter and what to do; null when nothing is'),
  messageFacts,
  entries: z.int().describe('Entries in use'),
  fetchedAt: z.int().nullable().describe('When the data in use was fetched'),
  checkedAt: z.int().nullable().describe('When the publisher last said what is current, changed or not'),
  nextAt: z.int().nullable(),
  credit: z.string().describe('Who publishes it, and on what terms: to be shown with the data'),
  terms: z.string(),
});
export type Feed = z.output<typeof feed>;

const onOff = z.object({ enabled: z.boolean() });
const feedsConfig = z.object({
  authKeySet: z.boolean().describe('One key serves the three feeds of abuse.ch; it is never shown'),
  feeds: z.record(z.enum(feedNames), onOff),
  dropLevel: threat.shape.level.describe('What a hit of feed_drop means'),
  allowList: z.array(z.string()).describe('Addresses, ranges and names that are never a threat'),
});

/** The settings that decide which destinations are a threat. */
export const feedChanges = z.strictObject({
  feeds: z.strictObject({ feed_c2: onOff, feed_ioc: onOff, feed_url: onOff, feed_drop: onOff }).partial().optional(),
  dropLevel: threat.shape.level.optional(),
  allowList: z.array(z.string().trim().min(1).max(limits.allowListEntry)).max(limits.allowList).optional(),
});

/** Travels in a header: what cannot be in one is refused. */
const key = z
  .string()
  .max(limits.threatKey, `must be at most ${limits.threatKey} characters`)
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces')
  .meta({ format: 'password' });

const providers = <T extends z.ZodType>(value: T) => z.object({ rep_a: value, rep_b: value, rep_c: value });

const manualThreat = z.object({
  providers: providers(z.object({ keySet: z.boolean() })),
  cacheTtlMinutes: z.int().describe('An answer is given again for so long'),
  minIntervalSeconds: z.int().describe('A provider is queried at most once in so long'),
});

const instant = z.int().nullable();
const text = z.string().nullable();
const number = z.number().nullable();

/** What each service reports on an address; null where it reports nothing. Instants are epoch milliseconds. */
export const summaries = {
  rep_a: z.object({
    abuseConfidenceScore: number,
    totalReports: number,
    lastReportedAt: instant,
    countryCode: text,
    isp: text,
    domain: text,
    usageType: text,
  }),
  rep_b: z.object({
    malicious: number,
    suspicious: number,
    harmless: number,
    undetected: number,
    reputation: number,
    country: text,
    network: text,
    owner: text,
    lastAnalysisAt: instant,
  }),
  rep_c: z.object({
    pulseCount: number,
    reputation: number,
    countryCode: text,
    asn: text,
    pulses: z
      .array(z.object({ id: z.string(), name: z.string().max(limits.pulseName), created: instant, tlp: text }))
      .max(limits.pulses),
  }),
} as const satisfies Record<ProviderName, z.ZodType>;

export const lookUpFailure = z.object({
  ok: z.literal(false),
  code: z.enum(['key_missing', 'cooldown', 'key_rejected', 'upstream_limit', 'upstream_failed']),
  error: z.string().describe('What happened, and what to do'),
  status: z.int().optional().describe("The provider's HTTP status"),
  retryAfterMs: z.int().optional(),
});
export type LookUpFailure = z.output<typeof lookUpFailure>;

const result = <T extends z.ZodType>(summary: T) =>
  z.union([z.object({ ok: z.literal(true), summary, checkedAt: z.int(), cached: z.boolean() }), lookUpFailure]);

export const threatRoutes = {
  feeds: get('/api/threat/feeds', can('network.read'), {
    summary: 'State of the threat feeds, and whether connections can be judged at all',
    reply: {
      200: z.object({
        available: z.boolean().describe('False when no feed lists anything: then safe means not assessed'),
        feeds: z.array(feed),
        falsePositives: feed
          .pick({ state: true, message: true, messageFacts: true, entries: true, fetchedAt: true })
          .describe('Entries that abuse.ch took back, and when they were fetched'),
        serverTime: z.int(),
      }),
    },
  }),
  feedsConfig: get('/api/config/threat-feeds', can('settings.write'), {
    summary: 'Settings of the threat feeds without the key',
    reply: { 200: feedsConfig },
  }),
  saveFeedsConfig: post('/api/config/threat-feeds', can('settings.write'), {
    summary: 'Change the settings of the threat feeds; an absent or empty authKey keeps the stored one',
    body: z.strictObject({
      authKey: key.optional(),
      clearAuthKey: z.literal(true).optional(),
      ...feedChanges.shape,
    }),
    reply: { 200: feedsConfig.extend({ success: z.literal(true) }) },
  }),
  manualThreat: get('/api/config/manual-threat', can('settings.write'), {
    summary: 'Which reputation services have a key, how long answers are kept, how often a service is asked',
    reply: { 200: manualThreat },
  }),
  saveManualThreat: post('/api/config/manual-threat', can('settings.write'), {
    summary: 'Change keys, cache and intervals of the manual look-up; forgets cached answers and waiting times',
    body: z.strictObject({
      keys: providers(key.optional()).strict().partial().optional(),
      clearKeys: z.array(z.enum(providerNames)).max(providerNames.length).optional(),
      cacheTtlMinutes: z.int().min(limits.lookUpCacheMinutesMin).max(limits.lookUpCacheMinutesMax).optional(),
      minIntervalSeconds: z.int().min(1).max(limits.lookUpIntervalSecondsMax).optional(),
    }),
    reply: { 200: manualThreat.extend({ success: z.literal(true) }) },
  }),
  lookUp: post('/api/threat/manual-lookup', can('settings.write'), {
    summary: 'Send one public address to the chosen reputation services',
    refusals: ['address_not_public', 'offline_mode'],
    body: z.strictObject({
      ip: z.string().min(3).max(45),
      providers: z.array(z.enum(providerNames)).min(1).max(providerNames.length),
    }),
    reply: {
      200: z.object({
        success: z.literal(true),
        ip: z.string().describe('In its canonical spelling'),
        checkedAt: z.int(),
        results: z
          .object({
            rep_a: result(summaries.rep_a),
            rep_b: result(summaries.rep_b),
            rep_c: result(summaries.rep_c),
          })
          .partial(),
      }),
    },
  }),
} as const satisfies RouteTable<Access>;

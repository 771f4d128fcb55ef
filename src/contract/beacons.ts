// Contacts that repeat at regular intervals (docs/reference/wire-contract/3-records.md#38-beacon), and how the hub
// looks for them (docs/reference/wire-contract/4-endpoints.md#beacons).
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { detectionLimits } from './detection-limits.ts';
import { threatLevel } from './model.ts';

/** Why a regular contact is nothing to worry about: it is a time server, or the operator's allow-lists name it. */
export const benignReasons = ['time_service', 'domain', 'organisation'] as const;
export type BenignReason = (typeof benignReasons)[number];

/** One regular contact: a flow (src, dst, dport, proto) and what its new sessions look like in time. */
export const beacon = z.object({
  id: z.int(),
  src: z.string(),
  dst: z.string(),
  dstHost: z.string().nullable(),
  dport: z.int(),
  proto: z.string(),
  country: z.string().nullable(),
  org: z.string().nullable(),
  intervalMs: z.int().describe('Median time between two contacts'),
  intervalCov: z.number().describe('Coefficient of variation of that time, three decimals: lower is more regular'),
  obsCount: z.int().describe('Sessions the figures come from'),
  score: z.number().describe('0…1: how sure the detector is; 0.6 and more is strong'),
  firstSeen: z.int().describe('First of these sessions'),
  lastSeen: z.int().describe('Last of these sessions'),
  detectedAt: z.int(),
  status: z.enum(['candidate', 'dismissed']),
  benign: z.enum(benignReasons).nullable(),
  threatLevel,
});
export type Beacon = z.output<typeof beacon>;

const period = z.int('must be whole milliseconds').min(1, 'must be at least 1');
const domain = z
  .string()
  .trim()
  .toLowerCase()
  .transform((text) => text.replace(/^\*\./, ''))
  .pipe(
    z
      .string()
      .max(253, 'must be at most 253 characters')
      .regex(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/, 'must be a domain name'),
  );
const organisation = z.string().trim().min(1, 'must not be empty').max(100, 'must be at most 100 characters');

export const beaconConfig = z.object({
  enabled: z.boolean(),
  minObs: z
    .int('must be a whole number')
    .min(2, 'must be at least 2')
    .max(10_000, 'must be at most 10000')
    .describe('Sessions at different times that a group needs'),
  maxCov: z.number().gt(0, 'must be more than 0').max(2, 'must be at most 2'),
  minIntervalMs: period.max(604_800_000, 'must be at most a week'),
  maxIntervalMs: period.max(604_800_000, 'must be at most a week'),
  scanIntervalMs: z
    .int('must be whole milliseconds')
    .min(detectionLimits.beaconScanMinMs, `must be at least ${detectionLimits.beaconScanMinMs}`)
    .max(604_800_000, 'must be at most a week'),
  whitelistDomains: z
    .array(domain)
    .max(detectionLimits.beaconDomains, `must be at most ${detectionLimits.beaconDomains}`)
    .describe('Names whose regular contacts, and those of names below them, are benign'),
  orgAllowlist: z
    .array(organisation)
    .max(detectionLimits.beaconOrganisations, `must be at most ${detectionLimits.beaconOrganisations}`)
    .describe('Parts of organisation names whose regular contacts are benign'),
});
export type BeaconConfig = z.output<typeof beaconConfig>;

const beaconId = z.object({
  id: z
    .string()
    .regex(/^\d{1,15}$/, 'must be digits')
    .transform(Number)
    .describe('Number of the beacon, as GET /api/beacons lists it'),
});

const flag = (what: string) => z.enum(['0', '1'], 'must be 0 or 1').optional().describe(`1: also ${what}`);

export const beaconRoutes = {
  list: get('/api/beacons', can('network.read'), {
    summary: 'Beacon candidates, the most regular first',
    query: z.strictObject({
      includeDismissed: flag('those that were dismissed'),
      includeBenign: flag('those that are known to be harmless'),
    }),
    reply: {
      200: z.object({
        beacons: z.array(beacon),
        scan: z
          .object({ at: z.int(), groups: z.int(), regular: z.int(), benign: z.int() })
          .nullable()
          .describe('The last look at all flows; null before the first'),
        serverTime: z.int(),
      }),
    },
  }),
  dismiss: post('/api/beacons/:id/dismiss', can('settings.write'), {
    summary: 'Dismiss a beacon candidate for good: the same flow is never raised again',
    refusals: ['not_found', 'beacon_limit'],
    params: beaconId,
    body: z.object({}),
    reply: { 200: z.object({ success: z.literal(true) }) },
  }),
  config: get('/api/beacons/config', can('settings.write'), {
    summary: 'How beacons are looked for',
    reply: { 200: z.object({ config: beaconConfig }) },
  }),
  saveConfig: post('/api/beacons/config', can('settings.write'), {
    summary: 'Change how beacons are looked for, and look again; what is left out stays',
    body: beaconConfig.partial().strict(),
    reply: { 200: z.object({ success: z.literal(true), config: beaconConfig }) },
  }),
  /** Behind those with a path of their own: the first that fits is taken. */
  detail: get('/api/beacons/:id', can('network.read'), {
    summary: 'A beacon candidate, dismissed or not, and when its sessions began in the last seven days',
    refusals: ['not_found'],
    params: beaconId,
    reply: {
      200: z.object({
        beacon,
        starts: z.object({
          /** Epoch milliseconds, whole seconds, oldest first: the newest 2,000. */
          at: z.array(z.int()),
          truncated: z.boolean(),
          /** Exact to the second, from the age of the entries; else each is the poll that first showed the session. */
          exact: z.boolean(),
        }),
        serverTime: z.int(),
      }),
    },
  }),
} as const satisfies RouteTable<Access>;

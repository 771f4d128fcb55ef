// Contacts that repeat at regular intervals (docs/reference/wire-contract/3-records.md#38-beacon), and how the hub
// looks for them (docs/reference/wire-contract/4-endpoints.md#beacons).
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { detectionLimits } from './detection-limits.ts';
import { threatLevel } from './model.ts';

/** Why a regular contact is harmless: the destination is a time server, or an allow-list of the operator names it. */
export const benignReasons = ['time_service', 'domain', 'organisation'] as const;
export type BenignReason = (typeof benignReasons)[number];

/** A flow (src, dst, dport, proto), and how its sessions were spaced when a scan last found them regular. */
export const beacon = z.object({
  id: z.int(),
  src: z.string(),
  dst: z.string(),
  dstHost: z.string().nullable(),
  dport: z.int(),
  proto: z.string(),
  country: z.string().nullable(),
  org: z.string().nullable(),
  intervalMs: z.int().describe('Usual time between the starts of two sessions'),
  intervalCov: z.number().describe('Coefficient of variation of that time, three decimals: lower is more regular'),
  obsCount: z.int().describe('Session starts that the scan used, of the last seven days'),
  score: z.number().describe('0…1: how sure the detector is; 0.6 and more is strong'),
  firstSeen: z.int().describe('First of these starts'),
  lastSeen: z.int().describe('Last of these starts'),
  detectedAt: z.int(),
  status: z.enum(['candidate', 'dismissed']),
  benign: z.enum(benignReasons).nullable(),
  threatLevel,
});
export type Beacon = z.output<typeof beacon>;

const intervalMs = z
  .int('must be whole milliseconds')
  .min(1, 'must be at least 1')
  .max(604_800_000, 'must be at most a week');
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
    .describe('Session starts at different times that a flow needs'),
  maxCov: z.number().gt(0, 'must be more than 0').max(2, 'must be at most 2'),
  minIntervalMs: intervalMs,
  maxIntervalMs: intervalMs,
  scanIntervalMs: z
    .int('must be whole milliseconds')
    .min(detectionLimits.beaconScanMinMs, `must be at least ${detectionLimits.beaconScanMinMs}`)
    .max(604_800_000, 'must be at most a week'),
  whitelistDomains: z
    .array(domain)
    .max(detectionLimits.beaconDomains, `must be at most ${detectionLimits.beaconDomains}`)
    .describe('Regular contacts with these domains, and with names below them, are benign'),
  orgAllowlist: z
    .array(organisation)
    .max(detectionLimits.beaconOrganisations, `must be at most ${detectionLimits.beaconOrganisations}`)
    .describe('Regular contacts with an organisation whose name contains one of these texts are benign'),
});
export type BeaconConfig = z.output<typeof beaconConfig>;

/** A flow that the scan would have told, with what it would have said. */
const previewedBeacon = beacon
  .pick({
    src: true,
    dst: true,
    dstHost: true,
    dport: true,
    proto: true,
    country: true,
    org: true,
    intervalMs: true,
    intervalCov: true,
    obsCount: true,
    score: true,
    threatLevel: true,
  })
  .extend({
    srcName: z.string().nullable().describe('Name of the device as it is known now; null: none'),
    givenAt: z.int().nullable().describe('Scan that would have told it with the given settings; null: none'),
    savedAt: z.int().nullable().describe('Scan that would have told it with the saved settings; null: none'),
  });

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
          .describe('The last scan of all flows; null before the first since the hub started'),
        serverTime: z.int(),
      }),
    },
  }),
  dismiss: post('/api/beacons/:id/dismiss', can('settings.write'), {
    summary: 'Dismiss a beacon candidate: its flow is not raised again until its alert is no longer expected',
    refusals: ['not_found', 'beacon_limit'],
    params: beaconId,
    body: z.object({}),
    reply: { 200: z.object({ success: z.literal(true) }) },
  }),
  config: get('/api/beacons/config', can('settings.write'), {
    summary: 'Settings of the beacon scan',
    reply: { 200: z.object({ config: beaconConfig }) },
  }),
  saveConfig: post('/api/beacons/config', can('settings.write'), {
    summary: 'Change settings of the beacon scan, and scan at once; what is left out stays',
    body: beaconConfig.partial().strict(),
    reply: { 200: z.object({ success: z.literal(true), config: beaconConfig }) },
  }),
  preview: post('/api/beacons/preview', can('settings.write'), {
    summary:
      'What the beacon scan would have told with other settings, from the stored starts; changes and tells nothing',
    refusals: ['rate_limited'],
    body: beaconConfig.partial().strict().describe('What is left out is as saved'),
    reply: {
      200: z.object({
        asked: z.int().describe('Begin of the last 14 days'),
        from: z
          .int()
          .describe('Begin of the time that was looked at: later than asked, as starts are stored for 7 days'),
        to: z.int(),
        flows: z.int().describe('Flows with stored starts that were measured'),
        given: z.int().describe('Beacons that would have been told with the given settings'),
        saved: z.int().describe('Beacons that would have been told with the saved settings'),
        both: z.int().describe('Beacons that would have been told with either'),
        dismissed: z.int().describe('Dismissed flows: they are not raised, so they are not counted'),
        beacons: z
          .array(previewedBeacon)
          .describe(
            `The newest ${detectionLimits.beaconPreviewRows}; figures are those of the given settings where they tell it`,
          ),
        truncated: z.boolean().describe('More would have been told than are shown'),
      }),
    },
  }),
  /** After `config`, whose path fits this one too: the first route that fits is taken. */
  detail: get('/api/beacons/:id', can('network.read'), {
    summary: 'A beacon, dismissed or not, and the starts of its sessions in the last seven days',
    refusals: ['not_found'],
    params: beaconId,
    reply: {
      200: z.object({
        beacon,
        starts: z.object({
          /** Epoch milliseconds in whole seconds: the newest 2,000, oldest first. `truncated`: there are more. */
          at: z.array(z.int()),
          truncated: z.boolean(),
          /** true: to the second, from the age of entries; false: times of the polls that first showed the sessions. */
          exact: z.boolean(),
        }),
        serverTime: z.int(),
      }),
    },
  }),
} as const satisfies RouteTable<Access>;

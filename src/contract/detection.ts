// The detection log (docs/reference/wire-contract/3-records.md#37-detection-log-entry) and its switches
// (docs/reference/wire-contract/4-endpoints.md#detection-notifications-and-log).
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { alertStates } from './alert-states.ts';
import { connectionFilters, wholeScope } from './connections.ts';
import { detectionLimits } from './detection-limits.ts';
import { threat } from './model.ts';
import { countUpTo, texts } from './query-words.ts';
import { retroMatch } from './retro-match.ts';

export const detectionTypes = ['threat', 'new_device', 'beacon', 'retro_match'] as const;
export type DetectionType = (typeof detectionTypes)[number];

/** `danger`: a feed with high confidence lists the destination; `info`: a new device; `warn`: all others. */
export const detectionLevels = ['danger', 'warn', 'info'] as const;
export type DetectionLevel = (typeof detectionLevels)[number];

/** One detection, with the names known at its time; what became known later fills the gaps. */
export const detectionEntry = z
  .object({
    id: z.int(),
    type: z.enum(detectionTypes),
    chatSent: z.union([z.literal(0), z.literal(1)]).describe('1 when the chat workspace took the message about it'),
    src: z.string().nullable(),
    srcMac: z.string().nullable(),
    srcVendor: z.string().nullable(),
    srcMdnsName: z.string().nullable(),
    srcDnsName: z.string().nullable(),
    dst: z.string().nullable(),
    dstHost: z.string().nullable(),
    dport: z.int().nullable(),
    proto: z.string().nullable(),
    country: z.string().nullable(),
    city: z.string().nullable(),
    org: z.string().nullable(),
    threatSource: threat.shape.source
      .nullable()
      .describe('Of threats and retro-matches, and of beacons to a listed destination'),
    threatTag: z.string().nullable(),
    threatConfidence: threat.shape.confidence.nullable(),
    intervalMs: z.int().nullable().describe('Of beacons: median time between two contacts, and how many were seen'),
    obsCount: z.int().nullable(),
    retro: retroMatch
      .nullable()
      .describe('Of retro-matches: which connections ran before, and which change listed their destination'),
    detectedAt: z.int(),
    alertId: z.int().nullable().describe('The alert that it is part of; null: it has none'),
    alertState: z.enum(alertStates).nullable().describe('State of the alert that it is part of; null: it has none'),
  })
  .meta({ title: 'Detection' });
export type DetectionEntry = z.output<typeof detectionEntry>;

/** Where detections of one kind go: to the chat workspace, and into the log. */
export const channels = z.object({ chat: z.boolean(), history: z.boolean() });

const detectionConfig = z.object({ threat: channels, newDevice: channels, beacon: channels, retroMatch: channels });
export type DetectionConfig = z.output<typeof detectionConfig>;

const someChannels = channels.partial().strict().optional();

export const detectionChanges = z.strictObject({
  threat: someChannels.describe('Connections to listed destinations'),
  newDevice: someChannels,
  beacon: someChannels.describe('Contacts that repeat at regular intervals'),
  retroMatch: someChannels,
});

export const detectionLogQuery = z
  .strictObject({
    from: connectionFilters.from,
    to: connectionFilters.to,
    sourceKind: connectionFilters.sourceKind,
    sourceId: connectionFilters.sourceId,
    type: z
      .enum(detectionTypes, `must be one of ${detectionTypes.join(', ')}`)
      .optional()
      .describe(`Only entries of this type: ${detectionTypes.join(', ')}`),
    level: z
      .enum(detectionLevels, `must be one of ${detectionLevels.join(', ')}`)
      .optional()
      .describe(
        'Only entries of this level: danger (a feed with high confidence lists the destination), info (a new device), warn (all others)',
      ),
    src: texts(64).describe('Only entries of these addresses; may be repeated'),
    srcMac: texts(64).describe(
      'Only entries of these MAC addresses; may be repeated. With src: entries whose MAC address is not known are those of src',
    ),
    limit: countUpTo(detectionLimits.detectionPage).describe(
      `Rows of a page, ${detectionLimits.detectionPage} at most`,
    ),
    before: z
      .string()
      .regex(/^\d{1,16}\.\d{1,16}$/, 'is no cursor of this log: take next of an earlier page')
      .optional()
      .describe('next of the page before: goes on behind its last row'),
  })
  .superRefine(wholeScope);

export const detectionRoutes = {
  log: get('/api/notification-log', can('network.read'), {
    summary: 'The detection log, newest first: threats, new devices, beacons, retro-matches',
    query: detectionLogQuery,
    reply: {
      200: z.object({
        logs: z.array(detectionEntry),
        truncated: z.boolean().describe('More rows match than are shown'),
        next: z.string().nullable().describe('What before takes for the rows after these; null at the end'),
        serverTime: z.int(),
      }),
    },
  }),
  config: get('/api/config/detection-notifications', can('settings.write'), {
    summary: 'Which detections go to the chat workspace, and which into the log',
    reply: { 200: z.object({ config: detectionConfig }) },
  }),
  saveConfig: post('/api/config/detection-notifications', can('settings.write'), {
    summary: 'Change which detections go where; what is left out stays',
    body: detectionChanges,
    reply: { 200: z.object({ success: z.literal(true), config: detectionConfig }) },
  }),
} as const satisfies RouteTable<Access>;

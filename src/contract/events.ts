// Live updates: one stream of server-sent events, and the table of what may come on it
// (docs/reference/wire-contract/5-behaviours.md#55-live-updates).
import { z } from 'zod';
import { get } from '#kernel/http/declare-route.ts';
import type { EventStream, RouteTable } from '#kernel/http/route.ts';
import { type Access, can, type Permission } from './access.ts';
import { aiNotificationNotice } from './ai-notifications.ts';
import { alertsChanged } from './alert-records.ts';
import { beacon } from './beacons.ts';
import { detectionEntry } from './detection.ts';
import { noteMap } from './devices.ts';
import { meshNetwork } from './mesh.ts';
import { connection } from './model.ts';
import { router } from './routers.ts';

/** What one poll changed in the connection log. */
export const connectionsUpdate = z.object({
  connections: z.array(connection).describe('At most 500 rows that were added or renewed'),
  serverTime: z.int(),
  partial: z.literal(true),
  truncated: z.boolean().describe('More rows changed than are shown: ask for the list'),
});

/** What is listed as a threat has changed, and the log was judged again. */
export const threatFeedsChanged = z.object({
  available: z.boolean().describe('False when nothing is listed: then safe means not assessed'),
  judged: z.int().describe('Flows of the log that were looked at again'),
  changed: z.int().describe('Of these, those whose verdict changed'),
  threats: z.int().describe('Of these, those that are newly not safe'),
  retroMatches: z
    .int()
    .describe(
      'Devices and destinations with connections from before that are news now: at most 50 are sent as detection',
    ),
  serverTime: z.int(),
});

/** A device seen for the first time, sent once; one that only looks new by a private MAC is not sent. */
export const newDeviceEvent = z.object({
  src: z.string().describe('Its address, as src of a connection'),
  srcMac: z.string().nullable(),
  srcVendor: z.string().nullable(),
  srcDnsName: z.string().nullable(),
  srcMdnsName: z.string().nullable(),
  srcDeviceId: z.string(),
  firstSeen: z.int(),
});

const notesUpdate = z.object({
  changed: z
    .record(z.string(), z.string().nullable())
    .describe('Each note that is new or another one, by its key as in `notes` of GET /api/notes; null: it was deleted'),
  notes: noteMap.optional().describe('All notes; absent when they are larger than 64 KiB as JSON'),
});

/** Event name → permission its reader needs, and its data. Who lacks the permission does not learn that it happened. */
export const liveEvents = {
  'routers-status': { needs: 'network.read', data: z.array(router) },
  'connections-update': { needs: 'network.read', data: connectionsUpdate },
  'threat-feeds': { needs: 'network.read', data: threatFeedsChanged },
  detection: { needs: 'network.read', data: detectionEntry },
  /** Alerts or their rules changed: by a detection, a person, or because a mute ended. */
  alerts: { needs: 'network.read', data: alertsChanged },
  beacon: { needs: 'network.read', data: beacon },
  'new-device': { needs: 'network.read', data: newDeviceEvent },
  'network-update': { needs: 'network.read', data: meshNetwork },
  /** An analysis that the hub made, or tried to, and each test of its destinations. */
  'ai-notification': { needs: 'audit.read', data: aiNotificationNotice },
  'notes-update': { needs: 'network.read', data: notesUpdate },
} as const satisfies Record<string, { needs: Permission; data: z.ZodType }>;

export type LiveEventName = keyof typeof liveEvents;
export type LiveEventData<N extends LiveEventName> = z.input<(typeof liveEvents)[N]['data']>;

/** Why the hub ends a stream: the data of its last event, `closed`. */
export const closeReasons = [
  /** Logout, revocation, or a new admin token. */
  'revoked',
  'expired',
  'permissions_changed',
  /** More than 1 MB has waited for five seconds: reconnect with `Last-Event-ID`. */
  'too_slow',
  'stopping',
] as const;

export type CloseReason = (typeof closeReasons)[number];

/**
 * Events of the stream itself: `ready` opens it, and nothing was missed since `Last-Event-ID`; `resync` says that all
 * must be read again, because that id is unknown or too old, or because an event was too large; `closed` ends it.
 */
export interface StreamEvents {
  ready: { serverTime: number };
  resync: { serverTime: number };
  closed: { reason: CloseReason };
}

const eventStream = z.custom<EventStream>((value) => Symbol.asyncIterator in Object(value));

export const eventRoutes = {
  stream: get('/api/events', can('network.read'), {
    summary: `Live updates as server-sent events: ${[...Object.keys(liveEvents), 'ready', 'resync', 'closed'].join(', ')}`,
    refusals: ['csrf_rejected', 'stream_limit', 'too_many_streams'],
    stream: true,
    reply: { 200: eventStream },
  }),
} as const satisfies RouteTable<Access>;

// LAN devices and what may be the same one twice. Rules: docs/reference/wire-contract/3-records.md#34-device
// and docs/reference/wire-contract/4-endpoints.md#45-devices-and-notes.
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { generationRefusals } from './ai-analysis.ts';
import { aiQuestion } from './ai-records.ts';
import { connectionFilters, wholeScope } from './connections.ts';
import { deviceLimits } from './device-limits.ts';
import { deviceSources } from './device-sources.ts';
import { sentenceFacts } from './facts.ts';

/** By the last sighting: within 24 hours, within 7 days, longer ago. What is archived is that alone. */
export const deviceStatus = z.enum(['active', 'recent', 'stale', 'archived']);
export type DeviceStatus = z.output<typeof deviceStatus>;

/**
 * What a MAC says of its interface: `stable` is given by a manufacturer and names one interface for good; `private` was
 * made up by the device and may be another tomorrow; `virtual` belongs to a virtual machine or a container; `shared` is
 * used by several machines (router redundancy, repeaters) and identifies none.
 */
export const interfaceKind = z.enum(['stable', 'private', 'virtual', 'shared']);
export type InterfaceKind = z.output<typeof interfaceKind>;

/** How a wireless interface is connected, as the mesh access point said last. */
export const wifi = z.object({
  node: z.string().nullable().describe('Name of the node it is connected to'),
  band: z.enum(['2.4', '5', '6']).nullable(),
  signal: z.int().nullable().describe('dBm, negative'),
});
export type Wifi = z.output<typeof wifi>;

const deviceInterface = z.object({
  mac: z.string().describe('Lower-case colon form'),
  kind: interfaceKind,
  vendor: z.string().nullable(),
  firstSeen: z.int(),
  lastSeen: z.int(),
  wifi: wifi.nullable(),
});

/** One machine on the LAN. Instants are epoch milliseconds; absent knowledge is null. */
export const device = z.object({
  deviceId: z.string().describe("UUID, for good; what was merged into a device is shown under the device's own id"),
  ip: z
    .string()
    .describe(
      'The IPv4 address it was last seen with, canonical; an IPv6 one when it has no other; empty when it has none',
    ),
  mac: z.string().nullable().describe('Of the interface seen last'),
  vendor: z.string().nullable(),
  dnsName: z.string().nullable().describe('From DHCP, reverse DNS or the mesh access point'),
  mdnsName: z.string().nullable().describe('What the device calls itself on the LAN'),
  netbiosName: z.string().nullable(),
  ipv6Addr: z.string().nullable().describe('The IPv6 address seen last'),
  ipv6Addrs: z
    .array(z.string())
    .nullable()
    .describe('The IPv6 addresses of the last 24 hours of its own, newest first'),
  firstSeen: z.int(),
  lastSeen: z.int(),
  sources: z.string().describe('sourceList joined by commas'),
  sourceList: z.array(z.enum(deviceSources)),
  noteKey: z.string().nullable().describe('Key of its note in GET /api/notes; null when it has none'),
  note: z.string().nullable(),
  status: deviceStatus,
  archivedAt: z.int().nullable(),
  mergedInto: z.string().nullable().describe('The device it was merged into; only archived devices have one'),
  interfaces: z.array(deviceInterface).describe('Last seen first'),
});
export type Device = z.output<typeof device>;

export const candidateStatus = z.enum(['pending', 'approved', 'rejected']);

/** Two devices that may be one. `pending` ends as `approved` by a merge of exactly these two, or as `rejected`. */
export const mergeCandidate = z.object({
  id: z.int(),
  deviceIdA: z.string().describe('The smaller id as text'),
  deviceIdB: z.string(),
  score: z.number().describe('0…1; stored from 0.4 on'),
  reasons: z.array(z.string()).describe('What speaks for one device, in plain words'),
  reasonFacts: sentenceFacts('reasons'),
  counterReasons: z.array(z.string()).describe('What speaks against it'),
  counterReasonFacts: sentenceFacts('counterReasons'),
  status: candidateStatus,
  createdAt: z.int(),
  resolvedAt: z.int().nullable(),
  ipA: z.string(),
  macA: z.string().nullable(),
  vendorA: z.string().nullable(),
  mdnsNameA: z.string().nullable(),
  dnsNameA: z.string().nullable(),
  ipB: z.string(),
  macB: z.string().nullable(),
  vendorB: z.string().nullable(),
  mdnsNameB: z.string().nullable(),
  dnsNameB: z.string().nullable(),
});
export type MergeCandidate = z.output<typeof mergeCandidate>;

const deviceId = z.string().min(1, 'must not be empty').max(128, 'must be at most 128 characters');
const done = { 200: z.object({ success: z.literal(true) }) };

export const deviceListQuery = z
  .strictObject({
    includeArchived: z
      .enum(['0', '1'], 'must be 0 or 1')
      .optional()
      .describe('1: also devices that were archived or merged'),
    sourceKind: connectionFilters.sourceKind,
    sourceId: connectionFilters.sourceId,
  })
  .superRefine(wholeScope);

export const deviceRoutes = {
  list: get('/api/devices', can('network.read'), {
    summary: 'LAN devices, last seen first: identity, status, IPv6 addresses, note',
    query: deviceListQuery,
    reply: { 200: z.object({ devices: z.array(device) }) },
  }),
  mergeCandidates: get('/api/devices/merge-candidates', can('network.read'), {
    summary: 'Pairs of devices that may be one, most likely first',
    query: z.strictObject({
      status: z
        .enum([...candidateStatus.options, 'all'], 'must be pending, approved, rejected or all')
        .default('pending')
        .describe('Only pairs that are pending, approved or rejected, or all'),
    }),
    reply: { 200: z.object({ candidates: z.array(mergeCandidate) }) },
  }),
  merge: post('/api/devices/merge', can('settings.write'), {
    summary: 'Make two devices one: dropId is archived and shown as part of keepId',
    refusals: ['not_found', 'device_archived', 'device_merged'],
    body: z.object({ keepId: deviceId, dropId: deviceId }),
    reply: done,
  }),
  split: post('/api/devices/split', can('settings.write'), {
    summary: 'Undo the merge of a device into another: both are as if it had not been',
    refusals: ['not_found', 'device_not_merged'],
    body: z.object({ deviceId }),
    reply: done,
  }),
  reject: post('/api/devices/reject', can('settings.write'), {
    summary: 'Say that a pending pair are two devices; it is not proposed again',
    refusals: ['not_found'],
    body: z.object({
      id: z
        .union(
          [
            z.int().positive(),
            z
              .string()
              .regex(/^\d{1,16}$/)
              .transform(Number),
          ],
          'must be the number of a merge candidate',
        )
        .describe('Number of the pair, as GET /api/devices/merge-candidates lists it'),
    }),
    reply: done,
  }),
  archive: post('/api/devices/archive', can('settings.write'), {
    summary: 'Archive an active device',
    refusals: ['not_found', 'device_merged'],
    body: z.object({ deviceId }),
    reply: done,
  }),
  unarchive: post('/api/devices/unarchive', can('settings.write'), {
    summary: 'Make an archived device active again',
    refusals: ['not_found', 'device_merged'],
    body: z.object({ deviceId }),
    reply: done,
  }),
} as const satisfies RouteTable<Access>;

/** Texts by key: a device id, or an IP, a MAC or `IP|MAC` of a device that has not been seen yet. */
export const noteMap = z.record(z.string(), z.string());

export const noteRoutes = {
  list: get('/api/notes', can('network.read'), {
    summary: 'Saved notes by key',
    reply: { 200: z.object({ notes: noteMap }) },
  }),
  write: post('/api/notes', can('notes.write'), {
    summary: 'Write the note of a device, named by deviceId, ip, mac or key; a blank note is deleted',
    refusals: ['not_found', 'note_limit'],
    body: z.object({
      deviceId: deviceId.optional(),
      ip: z.string().max(45, 'must be at most 45 characters').optional(),
      mac: z.string().max(64, 'must be at most 64 characters').optional(),
      key: z
        .string()
        .max(256, 'must be at most 256 characters')
        .optional()
        .describe('Key of the note in GET /api/notes'),
      note: z.string().max(deviceLimits.note, `must be at most ${deviceLimits.note} characters`).default(''),
    }),
    reply: {
      200: z.object({
        success: z.literal(true),
        deviceId: z
          .string()
          .nullable()
          .describe('The device it is attached to; null while none is known by this ip or mac'),
        key: z.string().describe('Its key in GET /api/notes'),
      }),
    },
  }),
  draft: post('/api/notes/draft', can('notes.write'), {
    summary: 'Draft a note about the device at a private IPv4 address; nothing is saved',
    details:
      'The AI provider that is chosen words it, from the names, the network card and the destinations of the device; notes are not sent. A cloud provider is asked only with the saved consent, cloudConsentConfirmed: true and the permission ai.run.',
    refusals: ['not_found', 'forbidden', ...generationRefusals],
    body: z.object({
      ip: z.string().max(45, 'must be at most 45 characters'),
      assistant: z
        .boolean()
        .optional()
        .describe('false: put together here, although an AI provider is chosen; no external service is queried'),
      cloudConsentConfirmed: aiQuestion.cloudConsentConfirmed,
    }),
    reply: {
      200: z.object({
        draft: z.string().max(deviceLimits.note),
        raw: z.record(z.string(), z.unknown()).describe('What the draft was made from'),
        generatedBy: z.string().describe('The provider and its model; local: put together here'),
      }),
    },
  }),
} as const satisfies RouteTable<Access>;

// What the API says of alerts, of the rules that keep them quiet, and of their history.
import { z } from 'zod';
import { alertLimits } from './alert-limits.ts';
import { alertStates } from './alert-states.ts';
import { detectionEntry, detectionLevels, detectionTypes } from './detection.ts';

export const alertActions = [
  'acknowledge',
  'mute',
  'expect',
  'resolve',
  'reopen',
  'change_rule',
  'end_rule',
  'undo',
  'unlisted',
  'allowed',
  'disallowed',
  'recur',
] as const;
export type AlertAction = (typeof alertActions)[number];

/** What a rule covers: the cause of one alert, or a destination, for one device or for all. */
export const ruleScopes = ['alert', 'device', 'network'] as const;
export type RuleScope = (typeof ruleScopes)[number];

const actor = z.string().nullable().describe('Who did it, as the audit trail names them; null: the hub itself');

export const alertRule = z
  .object({
    id: z.int(),
    effect: z.enum(['mute', 'expect']),
    scope: z.enum(ruleScopes),
    kind: z.enum(detectionTypes).nullable().describe('Only alerts of this kind; null: of each kind'),
    target: z.string().nullable().describe('Name, or address and port, of the destination; null: any'),
    device: z
      .string()
      .nullable()
      .describe('MAC address of the device, or its address where no MAC is known; null: any'),
    until: z.int().nullable().describe('When it ends by itself; null: for good'),
    reason: z.string().nullable(),
    alertId: z.int().nullable().describe('The alert that it was made from; null when that is gone'),
    by: actor,
    createdAt: z.int(),
  })
  .meta({ title: 'AlertRule' });
export type AlertRule = z.output<typeof alertRule>;

const alertDevice = z.object({
  device: z.string().describe('MAC address, or address where no MAC is known: what rules name'),
  src: z.string().nullable(),
  srcMac: z.string().nullable(),
  srcVendor: z.string().nullable(),
  srcDnsName: z.string().nullable(),
  srcMdnsName: z.string().nullable(),
  firstAt: z.int(),
  lastAt: z.int(),
  times: z.int(),
});

export const alert = z
  .object({
    id: z.int(),
    kind: z.enum(detectionTypes),
    level: z.enum(detectionLevels),
    state: z.enum(alertStates),
    since: z.int().describe('Since when it has this state'),
    until: z.int().nullable().describe('Of a muted alert: when that ends by itself; null: for good'),
    note: z.string().nullable().describe('Note or reason of the action that led to this state'),
    firstAt: z.int().describe('First detection'),
    lastAt: z.int().describe('Last detection'),
    times: z.int().describe('Detections'),
    target: z.string().nullable().describe('Name, or address and port, of the destination'),
    lead: detectionEntry.describe('The newest detection'),
    devices: z.array(alertDevice).describe(`The devices, the last seen first: ${alertLimits.alertDevices} at most`),
    deviceCount: z.int(),
    ports: z.array(z.int()).describe(`Ports of the destination: ${alertLimits.alertDevices} at most`),
    lists: z.array(z.string()).describe('The threat feeds that named the destination'),
  })
  .meta({ title: 'Alert' });
export type Alert = z.output<typeof alert>;

/** What the log of connections says of an alert. */
export const alertContacts = z.object({
  programs: z
    .array(z.string())
    .describe(`Programs of its devices that contacted its destination: ${alertLimits.alertPrograms} at most`),
  routers: z
    .array(z.object({ id: z.string(), name: z.string().nullable() }))
    .describe('The routers that saw its devices contact its destination'),
  listedSince: z
    .array(z.object({ list: z.string(), at: z.int().describe('When the hub first fetched the list with it') }))
    .describe(
      'Of feeds that came to name the destination after it had been contacted; of others the hub does not know',
    ),
});
export type AlertContacts = z.output<typeof alertContacts>;

export const alertEvent = z.object({
  id: z.int(),
  at: z.int(),
  by: actor,
  action: z
    .enum(alertActions)
    .describe(
      'unlisted: no list names the destination any more; allowed: it is on the allow list; disallowed: no longer; recur: it happened again',
    ),
  note: z.string().nullable(),
  until: z.int().nullable(),
  ruleId: z.int().nullable(),
  undoneAt: z.int().nullable(),
  canUndo: z.boolean().describe('Whether POST /api/alerts/:id/undo takes this event'),
});
export type AlertEvent = z.output<typeof alertEvent>;

/** What changed: pages that show alerts ask again. */
export const alertsChanged = z.object({
  ids: z.array(z.int()).describe(`Alerts that changed: ${alertLimits.alertsAtOnce} at most; empty: many, or a rule`),
  open: z.int().describe('Alerts that need a look now'),
  serverTime: z.int(),
});

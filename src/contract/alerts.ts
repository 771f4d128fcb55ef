// Alerts: detections by cause, with a state that people work off, and the rules that keep later ones quiet
// (docs/reference/wire-contract/4-endpoints.md#alerts).
import { z } from 'zod';
import { del, get, post, put } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { explain } from '#kernel/text/problem.ts';
import { type Access, can, open } from './access.ts';
import { alertLimits } from './alert-limits.ts';
import { alert, alertContacts, alertEvent, alertRule, ruleScopes } from './alert-records.ts';
import { alertStates } from './alert-states.ts';
import { detectionEntry, detectionLevels, detectionTypes } from './detection.ts';
import { countUpTo, eachOf, texts, words } from './query-words.ts';

const counts = z.object({
  open: z.int(),
  acknowledged: z.int(),
  muted: z.int(),
  expected: z.int(),
  resolved: z.int(),
});

const id = z
  .string()
  .regex(/^\d{1,15}$/, 'must be digits')
  .transform(Number);
const alertId = z.object({ id: id.describe('Number of the alert, as GET /api/alerts lists it') });
const ruleId = z.object({ id: id.describe('Number of the rule, as GET /api/alert-rules lists it') });
const note = z
  .string()
  .trim()
  .max(alertLimits.alertNote, `must be at most ${alertLimits.alertNote} characters`)
  .transform((text) => (text === '' ? null : text))
  .optional()
  .describe('Why, in words');
const until = z
  .int('must be an instant in milliseconds, or null')
  .min(1)
  .nullable()
  .describe('When it ends by itself; null: for good');
const device = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('With scope device: `device` of one of its devices; may be absent when there is only one');
const scope = z
  .enum(ruleScopes)
  .default('alert')
  .describe('alert: this alert; device: its destination for one device; network: its destination for all devices');

const bodies = {
  acknowledge: z.strictObject({ note }),
  mute: z.strictObject({ until, scope, device, note }),
  expect: z.strictObject({ scope, device, note }),
  resolve: z.strictObject({ note }),
  reopen: z.strictObject({ note }),
};

const ids = z
  .array(z.int().min(1))
  .min(1, 'must not be empty')
  .max(alertLimits.alertsAtOnce, `must have at most ${alertLimits.alertsAtOnce} values`)
  .describe('Numbers of alerts');

const eventOfAlert = z.strictObject({
  alertId: z.int().min(1).describe('Number of the alert'),
  eventId: z.int().min(1).describe('Event of its history'),
});
const events = z
  .array(eventOfAlert)
  .min(1, 'must not be empty')
  .max(alertLimits.alertsAtOnce, `must have at most ${alertLimits.alertsAtOnce} values`)
  .refine(
    (all) => new Set(all.map(({ alertId: one }) => one)).size === all.length,
    explain('must name each alert once', 'invalid_value'),
  )
  .describe('Events of histories whose canUndo is true, one of an alert');

const done = z.object({
  success: z.literal(true),
  alerts: z
    .array(alert)
    .describe('The alerts as they are now; of a rule the one that it was made from, if that still is'),
  events: z.array(z.object({ alertId: z.int(), eventId: z.int() })).describe('What POST /api/alerts/undo takes'),
  serverTime: z.int(),
});

const undone = done.extend({
  lapsed: z
    .array(z.int())
    .describe('Alerts with a rule that the action had ended and that stays ended: its time is over'),
});

const refusals = ['not_found', 'alert_covered', 'alert_scope', 'rule_limit'] as const;

const act = <N extends keyof typeof bodies>(name: N, summary: string) =>
  post(`/api/alerts/:id/${name}`, can('alerts.write'), {
    summary,
    refusals,
    params: alertId,
    body: bodies[name],
    reply: { 200: done },
  });

const actOnMany = <N extends keyof typeof bodies, B extends z.ZodObject>(name: N, body: B, summary: string) =>
  post(`/api/alerts/${name}`, can('alerts.write'), {
    summary: `${summary}, of up to ${alertLimits.alertsAtOnce} alerts at once: all or none`,
    refusals,
    body,
    reply: { 200: done },
  });

const summaries = {
  acknowledge: 'Mark an alert as seen; it opens again when another device, port or list comes to it',
  mute: 'Keep an alert, or its destination, quiet until an instant or for good',
  expect: 'Mark an alert, or its destination, as normal: it is not told again and stays in the log',
  resolve: 'Close an alert; it opens again at the next contact',
  reopen: 'Open an alert again, and end the rules that were made from it',
};

const linkToken = z
  .string()
  .max(200, 'must be at most 200 characters')
  .describe('What follows # in the link of a message');
const linkedAlert = alert
  .pick({ kind: true, level: true, state: true, target: true, firstAt: true, lastAt: true, times: true })
  .extend({ device: z.string().nullable().describe('Name or address of the device that was seen last') });
const linkRefusals = ['link_invalid', 'link_expired', 'link_used'] as const;

export const alertRoutes = {
  list: get('/api/alerts', can('network.read'), {
    summary: 'Alerts, the last seen first: detections by cause, with their state',
    query: z.strictObject({
      state: eachOf(alertStates).describe(`Only these states: ${alertStates.join(', ')}; may be repeated`),
      kind: z
        .enum(detectionTypes)
        .optional()
        .describe(`Only this kind: ${detectionTypes.join(', ')}`),
      level: z
        .enum(detectionLevels)
        .optional()
        .describe(`Only this level: ${detectionLevels.join(', ')}`),
      device: texts(64).describe('Only alerts of these devices, by MAC address or address; may be repeated'),
      q: words(200).describe('Only alerts whose destination, device, organisation, list or note contains this text'),
      limit: countUpTo(alertLimits.alertsPage).describe(`Alerts of a page, ${alertLimits.alertsPage} at most`),
      before: z
        .string()
        .regex(/^\d{1,16}\.\d{1,16}$/, 'is no cursor of this list: take next of an earlier page')
        .optional()
        .describe('next of the page before'),
    }),
    reply: {
      200: z.object({
        alerts: z.array(alert),
        next: z.string().nullable().describe('What before takes for the alerts after these; null at the end'),
        counts: counts.describe('All alerts by state, whatever the query asks for'),
        urgent: z.int().describe('Open alerts that are more than a new device'),
        clearSince: z.int().nullable().describe('Since when no alert is open; null while one is, or if none ever was'),
        handled: z.int().describe('Alerts that people resolved, muted or marked as expected in the last seven days'),
        serverTime: z.int(),
      }),
    },
  }),
  acknowledgeMany: actOnMany('acknowledge', bodies.acknowledge.extend({ ids }), summaries.acknowledge),
  muteMany: actOnMany('mute', bodies.mute.extend({ ids }), summaries.mute),
  expectMany: actOnMany('expect', bodies.expect.extend({ ids }), summaries.expect),
  resolveMany: actOnMany('resolve', bodies.resolve.extend({ ids }), summaries.resolve),
  reopenMany: actOnMany('reopen', bodies.reopen.extend({ ids }), summaries.reopen),
  undoMany: post('/api/alerts/undo', can('alerts.write'), {
    summary: `Take actions back, of up to ${alertLimits.alertsAtOnce} alerts at once; what another action followed stays`,
    refusals: ['not_found', 'rule_limit'],
    body: z.strictObject({ events }),
    reply: {
      200: undone.extend({ left: z.array(eventOfAlert).describe('Events that stay, because another action followed') }),
    },
  }),
  detail: get('/api/alerts/:id', can('network.read'), {
    summary: 'An alert with all its devices, its newest detections, its history and the rules that cover it',
    refusals: ['not_found'],
    params: alertId,
    reply: {
      200: z.object({
        alert,
        ...alertContacts.shape,
        detections: z.array(detectionEntry).describe(`Newest first, ${alertLimits.alertsPage} at most`),
        history: z.array(alertEvent).describe(`Newest first, ${alertLimits.alertEvents} at most`),
        rules: z.array(alertRule),
        serverTime: z.int(),
      }),
    },
  }),
  acknowledge: act('acknowledge', summaries.acknowledge),
  mute: act('mute', summaries.mute),
  expect: act('expect', summaries.expect),
  resolve: act('resolve', summaries.resolve),
  reopen: act('reopen', summaries.reopen),
  undo: post('/api/alerts/:id/undo', can('alerts.write'), {
    summary:
      'Take an action back: the alert gets the state it had before, its rule ends, and rules that it ended are back',
    refusals: ['not_found', 'alert_changed', 'rule_limit'],
    params: alertId,
    body: z.strictObject({ eventId: z.int().min(1).describe('An event of its history whose canUndo is true') }),
    reply: { 200: undone },
  }),
  rules: get('/api/alert-rules', can('network.read'), {
    summary: 'The rules that keep alerts quiet: what is muted, and what is expected',
    query: z.strictObject({
      q: words(200).describe('Only rules whose destination, device or reason contains this text'),
    }),
    reply: { 200: z.object({ rules: z.array(alertRule), serverTime: z.int() }) },
  }),
  saveRule: put('/api/alert-rules/:id', can('alerts.write'), {
    summary: 'Change the end or the reason of a rule; what is left out stays. Its alert has it in its history',
    refusals: ['not_found'],
    params: ruleId,
    body: z.strictObject({ until: until.optional(), reason: note }),
    reply: { 200: done.extend({ rule: alertRule }) },
  }),
  endRule: del('/api/alert-rules/:id', can('alerts.write'), {
    summary: 'End a rule: the alerts that only it kept quiet are open again. Its alert has it in its history',
    refusals: ['not_found'],
    params: ruleId,
    reply: { 200: done },
  }),
  lookAtLink: post('/api/alert-links/look', open, {
    summary: 'The alert that the link of a message is about; nothing changes, so programs that open links do no harm',
    refusals: linkRefusals,
    body: z.strictObject({ token: linkToken }),
    reply: { 200: z.object({ alert: linkedAlert }) },
  }),
  actByLink: post('/api/alert-links/act', open, {
    summary: 'Act on an alert by the link of a message, once and without logging in',
    details: 'A link is valid for seven days.',
    refusals: [...linkRefusals, ...refusals],
    body: z.strictObject({
      token: linkToken,
      action: z.enum(['acknowledge', 'mute_day', 'expect']).describe('mute_day: quiet for 24 hours'),
    }),
    reply: { 200: z.object({ success: z.literal(true), alert: linkedAlert }) },
  }),
} as const satisfies RouteTable<Access>;

// Which devices' destinations are not kept (docs/privacy.md): the rules, what is counted instead, and the erasure.
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { del, get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import { explain } from '#kernel/text/problem.ts';
import { type Access, can } from './access.ts';

export const mostPrivacyRules = 200;

const deviceId = /^[\w-]{1,64}$/;

/** Returns the value of a rule in its canonical form; null when the kind of rule takes no such value. */
export function toRuleValue(kind: 'device' | 'range' | 'guests', value: string): string | null {
  if (kind === 'guests') {
    return value === '' ? '' : null;
  }
  if (kind === 'device') {
    return canonicalMac(value) ?? (deviceId.test(value) ? value : null);
  }
  const [address = '', length] = value.split('/');
  const canonical = canonicalIp(address);
  const range = canonical === null ? '' : `${canonical}/${length ?? (canonical.includes(':') ? 128 : 32)}`;
  return ipaddr.isValidCIDR(range) ? range : null;
}

const ruleForm = {
  kind: z
    .enum(['device', 'range', 'guests'])
    .describe('guests: devices that appeared after the rule was made, and that have no note'),
  value: z
    .string()
    .trim()
    .max(64, 'must be at most 64 characters')
    .describe('device: MAC address or device id; range: an address or address/length; guests: empty'),
  tellThreats: z.boolean().describe('A contact with a listed destination is told and stored as an alert all the same'),
};

const isRule = ({ kind, value }: { kind: 'device' | 'range' | 'guests'; value: string }) =>
  toRuleValue(kind, value) !== null;
const valueForms = 'must be a MAC address or a device id, an address or address/length, or empty for guests';

/** Also the form in the settings document. It is strict: a hub that does not understand a rule must not start. */
const ruleRecord = z.strictObject({
  id: z.string().min(1).max(64),
  ...ruleForm,
  since: z.int().min(0).describe('When it was made, epoch milliseconds'),
  by: z.string().describe('Who made it, as the audit trail names them'),
});
export const privacyRule = ruleRecord.refine(isRule, { path: ['value'], ...explain(valueForms, 'invalid_format') });
export const chosenRule = ruleRecord.pick({ id: true, kind: true, value: true, since: true });
export type PrivacyRule = z.output<typeof privacyRule>;

const rules = z.object({
  rules: z.array(privacyRule),
  devices: z
    .array(z.object({ deviceId: z.string(), ruleIds: z.array(z.string()) }))
    .describe('The devices that a rule covers now, and the ids of their rules'),
});

const decimal = z.string().nullable().describe('Decimal digits; null: nobody counted them');

const eraseJob = z.object({
  id: z.string(),
  ruleId: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  startedAt: z.int(),
  finishedAt: z.int().nullable(),
  phase: z.enum(['hours', 'connections', 'traces', 'compacting', 'done']),
  error: z.string().nullable(),
  erased: z.object({ connections: z.int(), destinations: z.int(), alerts: z.int() }),
  remains: z
    .object({
      backups: z.int().describe('Backups of this hub made before: they hold what they held. Delete them to be sure'),
      clickhouseHours: z.int().describe('Hours of the log that were sent to ClickHouse: delete there what they hold'),
      conversations: z.int().describe('Stored conversations and reports of AI, which may quote a destination'),
    })
    .describe('Where a destination may lie that this job does not touch'),
});
export type EraseJob = z.output<typeof eraseJob>;

const id = z.string().min(1).max(64).describe('Id of a rule, as GET /api/privacy/rules lists it');

export const privacyRoutes = {
  rules: get('/api/privacy/rules', can('network.read'), {
    summary: 'The devices and ranges whose destinations are not kept',
    reply: { 200: rules },
  }),
  add: post('/api/privacy/rules', can('settings.write'), {
    summary: 'From now on, count the connections of these devices without their destinations',
    details: 'A rule of the same kind and value keeps its id and its time; it gets the new tellThreats.',
    refusals: ['rule_limit'],
    audit: 'handler',
    body: z
      .strictObject({
        ...ruleForm,
        value: ruleForm.value.default(''),
        tellThreats: ruleForm.tellThreats.default(false),
      })
      .refine(isRule, { path: ['value'], ...explain(valueForms, 'invalid_format') }),
    reply: { 200: rules.extend({ success: z.literal(true), id: z.string() }) },
  }),
  remove: del('/api/privacy/rules/:id', can('settings.write'), {
    summary: 'From now on, keep the destinations of these devices again',
    refusals: ['not_found'],
    audit: 'handler',
    params: z.object({ id }),
    reply: { 200: rules.extend({ success: z.literal(true) }) },
  }),
  counts: get('/api/privacy/counts', can('network.read'), {
    summary: 'How many connections were counted without their destination, by device',
    query: z.strictObject({
      from: z.coerce.number().int().optional().describe('Epoch milliseconds; whole hours are counted'),
      to: z.coerce.number().int().optional().describe('Epoch milliseconds; whole hours are counted'),
    }),
    reply: {
      200: z.object({
        counts: z.array(
          z.object({
            holder: z.string().describe('Id of the device; an address while no device is known by it'),
            connections: z.int().describe('Connections that began. Of routers and Agents, the ones that saw more'),
            bytesIn: decimal,
            bytesOut: decimal,
            lastAt: z.int(),
          }),
        ),
        serverTime: z.int(),
      }),
    },
  }),
  erase: post('/api/privacy/erase', can('settings.write'), {
    summary: 'Erase what was kept of the devices of a rule: connections, destinations, alerts',
    details: 'The answer is the job, which goes on. Nothing brings back what it erases, except a backup.',
    refusals: ['not_found', 'erase_running'],
    audit: 'handler',
    body: z.strictObject({
      ruleId: id,
      before: z.int().min(0).optional().describe('Only connections last seen before this instant, epoch milliseconds'),
    }),
    reply: { 200: z.object({ job: eraseJob }) },
  }),
  eraseJob: get('/api/privacy/erase', can('settings.write'), {
    summary: 'The erasure that runs or ran last',
    reply: { 200: z.object({ job: eraseJob.nullable() }) },
  }),
} as const satisfies RouteTable<Access>;

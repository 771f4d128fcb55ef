// The routes of destinations, which are told of events beside the chat workspace: settings, tests, and what became of events.
import { z } from 'zod';
import { del, get, post, put } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { destinationLimits } from './destination-limits.ts';

const limits = destinationLimits;

/** The kinds of events that people can be told of, with the names of the facts that an event of each kind may have. */
export const toldFacts = {
  threat: ['device', 'destination', 'service', 'listedBy', 'confidence', 'owner', 'mac', 'resolvedBy', 'note'],
  beacon: ['device', 'destination', 'service', 'listedBy', 'confidence', 'every', 'owner', 'mac', 'resolvedBy', 'note'],
  newDevice: ['device', 'mac', 'resolvedBy', 'note'],
  retroMatch: [
    'device',
    'destination',
    'service',
    'contacted',
    'connections',
    'listedBy',
    'listed',
    'confidence',
    'active',
    'owner',
    'mac',
    'resolvedBy',
    'note',
  ],
  router: ['router', 'since', 'reason'],
  hub: [],
  ai: ['period', 'because', 'writtenBy'],
} as const;

export type ToldKind = keyof typeof toldFacts;
export type ToldFact = (typeof toldFacts)[ToldKind][number];
export const toldKinds = Object.keys(toldFacts) as [ToldKind, ...ToldKind[]];

export const toldStates = ['waiting', 'delivered', 'given_up'] as const;
export type ToldState = (typeof toldStates)[number];

const text = (max: number) => z.string().trim().max(max, `must be at most ${max} characters`);
const named = (max: number) => text(max).min(1, 'must not be empty');
const secret = z
  .string()
  .max(limits.destinationSecret, `must be at most ${limits.destinationSecret} characters`)
  .meta({ format: 'password' });
const port = z.int().min(1, 'must be 1 to 65535').max(65_535, 'must be 1 to 65535');
const allowPrivate = z
  .boolean()
  .default(false)
  .describe('Whether the target may be in a private network or on this machine');

export const webhookPresets = [
  'json',
  'ntfy',
  'gotify',
  'discord',
  'telegram',
  'pushover',
  'teams',
  'home_assistant',
] as const;

const webhookMembers = {
  kind: z.literal('webhook').describe('An HTTP request for each event'),
  preset: z
    .enum(webhookPresets)
    .default('json')
    .describe('Form of the request: json is signed, others are of a service'),
  to: text(limits.destinationText).default('').describe('Chat of telegram or user of pushover; else empty'),
  allowPrivate,
};
const mqttMembers = {
  kind: z.literal('mqtt').describe('A broker, and Home Assistant behind it'),
  host: named(limits.destinationHost).describe('Name or address of the server'),
  port,
  tls: z.boolean().default(false).describe('Whether the connection is encrypted'),
  ca: text(limits.destinationCertificates)
    .default('')
    .describe('Certificates to trust as PEM; empty: those of the system'),
  user: text(limits.destinationText).default(''),
  topic: named(limits.destinationText).default('gatehouse').describe('What every topic begins with'),
  discovery: z.boolean().default(true).describe('Whether Home Assistant finds the hub by itself'),
  allowPrivate,
};
const emailMembers = {
  kind: z.literal('email').describe('A mail server'),
  host: named(limits.destinationHost).describe('Name or address of the server'),
  port,
  security: z.enum(['tls', 'starttls', 'none']).default('starttls').describe('How the connection is encrypted'),
  user: text(limits.destinationText).default(''),
  from: named(limits.destinationText).describe('Address of the sender'),
  to: z
    .array(named(limits.destinationText))
    .min(1, 'must name somebody')
    .max(limits.destinationRecipients)
    .describe('Addresses of the recipients'),
  allowPrivate,
};

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(limits.destinationUrl);
const kept = secret.optional().describe('Absent: the stored one stays');

/** The settings of a destination as the hub stores them, with secrets. */
export const destinationSettings = z.discriminatedUnion('kind', [
  z.object({ ...webhookMembers, url: z.string(), secret: z.string().default('') }),
  z.object({ ...mqttMembers, password: z.string().default('') }),
  z.object({ ...emailMembers, password: z.string().default('') }),
]);
export type DestinationSettings = z.output<typeof destinationSettings>;
export type DestinationKind = DestinationSettings['kind'];

const sentSettings = z.discriminatedUnion('kind', [
  z.strictObject({ ...webhookMembers, url: url.optional().describe('Absent: the stored one stays'), secret: kept }),
  z.strictObject({ ...mqttMembers, password: kept }),
  z.strictObject({ ...emailMembers, password: kept }),
]);
export type SentDestinationSettings = z.output<typeof sentSettings>;

const shownSettings = z.discriminatedUnion('kind', [
  z.object({
    ...webhookMembers,
    url: z.string().describe('Without its path where that is a secret: discord, teams, home_assistant'),
    secretSet: z.boolean(),
  }),
  z.object({ ...mqttMembers, secretSet: z.boolean() }),
  z.object({ ...emailMembers, secretSet: z.boolean() }),
]);

const fact = z.enum([...new Set(Object.values(toldFacts).flat())] as [ToldFact, ...ToldFact[]]);
/** Returns an object that has `member` for each kind of event. */
export const byToldKind = <T>(member: T) =>
  Object.fromEntries(toldKinds.map((kind) => [kind, member])) as Record<ToldKind, T>;
const kindSentences: Record<ToldKind, string> = {
  threat: 'Contacts with destinations that a feed lists',
  beacon: 'Contacts at regular intervals',
  newDevice: 'Devices seen for the first time',
  retroMatch: 'Connections that ran before their destination was listed',
  router: 'Routers that cannot be reached',
  hub: 'Damage to the data of the hub',
  ai: 'Analyses by an AI provider',
};
const describeKinds = <T extends z.ZodType>(member: T) =>
  Object.fromEntries(toldKinds.map((kind) => [kind, member.describe(kindSentences[kind])])) as Record<ToldKind, T>;
export const chosenFacts = z.array(fact).max(32, 'must have at most 32 entries').nullable();

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:30');
const quietHours = z
  .strictObject({
    from: clockTime.describe('Local time in timeZone'),
    to: clockTime.describe('On the next day when it is not after from'),
    timeZone: named(limits.destinationText).describe('IANA name'),
    days: z
      .array(z.int().min(0, 'must be 0 to 6').max(6, 'must be 0 to 6'))
      .min(1, 'must name a day')
      .max(7)
      .describe('Days on which they begin; 0 is Sunday'),
  })
  .nullable();

/** The members of a destination that the other side never sees. */
export const destinationMembers = {
  name: named(limits.destinationName).describe('Name that people see'),
  enabled: z.boolean(),
  tells: z.strictObject(describeKinds(z.boolean())).describe('Which kinds of events it is told of'),
  tellResolved: z.boolean().describe('Whether it also says that what it was told of is resolved'),
  fields: z.strictObject(describeKinds(chosenFacts)).describe('Which facts it is told, by kind; null: all of them'),
  quietHours: quietHours.describe('When events wait; null: never'),
  dangerAnyway: z.boolean().describe('Whether dangerous events do not wait'),
  muteUntil: z.int().nullable().describe('Until when events wait, epoch milliseconds; null: they do not'),
};

const delivery = z.object({
  waiting: z.int().describe('Events that the other side has not taken yet'),
  lastSentAt: z.int().nullable(),
  lastFailedAt: z.int().nullable(),
  lastError: z.string().nullable().describe('What happened; null when the last try went well'),
  quietUntil: z.int().nullable().describe('Until when events wait now; null: they are sent'),
  events: z
    .array(
      z.object({
        kind: z.enum(toldKinds),
        state: z.enum(['raised', 'resolved']),
        title: z.string(),
        at: z.int(),
        putAt: z.int().describe('When it was put into the queue'),
        delivery: z.enum(toldStates),
        attempts: z.int().describe('Tries that failed'),
        endedAt: z.int().nullable().describe('When it was delivered or given up; null while it waits'),
        error: z.string().nullable().describe('Why the last failed try failed'),
      }),
    )
    .describe('The last 50, newest first'),
});

const shown = z
  .object({ id: z.string(), ...destinationMembers, settings: shownSettings, delivery })
  .meta({ title: 'Destination' });
export type Destination = z.output<typeof shown>;

const changes = z.object(destinationMembers).partial().shape;
const id = z.object({
  id: z
    .string()
    .regex(/^[\da-f-]{36}$/, 'must be an id of GET /api/destinations')
    .describe('Id of a destination'),
});
const one = { 200: z.object({ success: z.literal(true), destination: shown }) };

export const destinationRoutes = {
  list: get('/api/destinations', can('settings.write'), {
    summary: 'Destinations of events without their secrets, and how delivery goes',
    reply: { 200: z.object({ destinations: z.array(shown), serverTime: z.int() }) },
  }),
  create: post('/api/destinations', can('settings.write'), {
    summary: 'Add a destination, after it has taken a test event',
    details: 'A destination that refuses the test event is not kept: the answer has its words.',
    refusals: ['destination_refused', 'destination_limit'],
    body: z.strictObject({
      ...changes,
      name: destinationMembers.name,
      settings: sentSettings.describe('What reaches the other side'),
    }),
    reply: one,
  }),
  update: put('/api/destinations/:id', can('settings.write'), {
    summary: 'Change a destination; what is absent stays. New settings are kept after a test event was taken',
    refusals: ['not_found', 'destination_refused'],
    params: id,
    body: z.strictObject({ ...changes, settings: sentSettings.optional().describe('What reaches the other side') }),
    reply: one,
  }),
  remove: del('/api/destinations/:id', can('settings.write'), {
    summary: 'Delete a destination with the events that wait for it',
    refusals: ['not_found'],
    params: id,
    reply: { 200: z.object({ success: z.literal(true) }) },
  }),
  test: post('/api/destinations/:id/test', can('settings.write'), {
    summary: 'Send one test event with the stored settings',
    refusals: ['not_found', 'destination_refused'],
    params: id,
    body: z.object({}),
    reply: { 200: z.object({ success: z.literal(true) }) },
  }),
} as const satisfies RouteTable<Access>;

// Router records, detection of an unsaved one, and the legacy set-up flow. Rules:
// docs/reference/wire-contract/4-endpoints.md#43-router-set-up-and-routers and
// docs/reference/wire-contract/3-records.md#33-router.
import { z } from 'zod';
import { del, get, post, put } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { explain } from '#kernel/text/problem.ts';
import { type Access, can } from './access.ts';
import { limits } from './limits.ts';
import { routerNotes } from './router-notes.ts';

export const routerKind = z.enum(['vendor_a', 'vendor_b']);
export type RouterKind = z.output<typeof routerKind>;

const natText = z
  .union([z.string().regex(/^\d{1,10}$/, 'must be digits'), z.int()])
  .transform(String)
  .refine(
    (text) => Number(text) >= 1 && Number(text) <= limits.natDescriptor,
    explain('must be a descriptor number, 1 to 2147483647', 'too_big', limits.natDescriptor),
  );

const printable = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), explain('must not hold control characters', 'control_characters'));

const address = z.string().min(1, 'must be an IP address').max(45);
const displayName = printable(limits.routerDisplayName);
const user = printable(limits.routerUser).min(1, 'must not be empty');
const pass = z.string().max(limits.routerPassword);
const port = z.int().min(1).max(65_535);

/** SHA-256 of a host key, lower-case hex. */
const fingerprint = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');

/** What a caller may send of a router; `id` is never among it. */
const routerFields = {
  displayName: displayName.optional(),
  port: port.optional(),
  nat: natText.optional(),
  enabled: z.boolean().optional(),
  legacyAlgorithms: z.boolean().optional(),
  hostFp: fingerprint
    .optional()
    .describe(
      'The host key that is accepted: of a new router the one that a test showed, of another how a changed key is approved',
    ),
};

export const routerCreate = z.object({
  ...routerFields,
  kind: routerKind,
  ip: address,
  user,
  pass: pass.min(1, 'must not be empty'),
  enablePass: pass.nullable().optional(),
});

export const routerUpdate = z.object({
  ...routerFields,
  kind: routerKind.optional(),
  ip: address.optional(),
  user: user.optional(),
  pass: pass.optional(),
  enablePass: pass.nullable().optional(),
});

export const routerState = z.enum(['disabled', 'connecting', 'ready', 'reconnecting', 'failed']);

/** The public form of a router: never a secret. */
export const router = z
  .object({
    id: z.string(),
    kind: routerKind,
    displayName: z.string(),
    hostName: z.string(),
    ip: z.string(),
    port: z.int(),
    user: z.string().optional(),
    nat: z.string().optional(),
    enabled: z.boolean(),
    legacyAlgorithms: z.boolean(),
    passSet: z.boolean(),
    enablePassSet: z.boolean(),
    hostKeyPinned: z.boolean(),
    hostKeyChange: z
      .object({ known: z.string(), presented: z.string() })
      .nullable()
      .describe(
        'Fingerprints of the key that is pinned and of the other one that was presented; null while that is not the failure',
      ),
    ready: z.boolean(),
    state: routerState,
    message: z.string(),
    failure: z
      .string()
      .nullable()
      .describe('Failure class of the last error, such as auth_failed; null while all is well'),
    lastSuccessAt: z.int().nullable(),
    lastError: z.string().nullable(),
    lastErrorAt: z.int().nullable(),
    nextPollAt: z.int().nullable(),
    sessionCount: z.int().describe('Rows of the last poll'),
    complete: z.boolean().nullable().describe('Whether the last table was read to its end'),
    unparsed: z
      .object({ count: z.int(), samples: z.array(z.string()) })
      .describe('Lines of the last poll that were not understood, with samples'),
    unsupported: z
      .object({ count: z.int(), samples: z.array(z.string()) })
      .describe('Whole rows of the last poll whose form is not read, such as IPv6 or port ranges, with samples'),
    model: z.string(),
    ...routerNotes,
  })
  .meta({ title: 'Router' });

const candidate = z.object({ candidate: z.string(), ok: z.boolean(), sessions: z.int(), interfaceName: z.string() });

export const detection = z
  .object({
    success: z.literal(true),
    ssh: z.object({ ok: z.literal(true) }),
    nat: z.object({
      ok: z.boolean(),
      sessionsOk: z.boolean(),
      sessions: z.int(),
      descriptor: z.string().optional(),
      candidates: z.array(z.string()).optional(),
    }),
    lan: z.object({ ip: z.string() }),
    os: z.object({ ok: z.boolean(), version: z.string() }).optional(),
    suggested: z.object({ ip: z.string(), user: z.string(), nat: z.string().optional() }),
    hostFp: z.string(),
    hostName: z.string(),
    model: z.string(),
    ...routerNotes,
    diag: z.object({
      ssh: z.object({ ok: z.literal(true) }),
      lanIp: z.string(),
      natCandidates: z.array(candidate).optional(),
      fromConfig: z.array(z.string()).optional(),
      isExpectedOs: z.boolean().optional(),
      natSessions: z.int().optional(),
      privilegeError: z.boolean().optional(),
    }),
  })
  .meta({ title: 'RouterTest' });

const saved = z.object({ success: z.literal(true), router });
const idParams = z.object({ id: z.string().min(1).max(64).describe('Id of the router, as GET /api/routers lists it') });
const legacyText = (max: number) => z.string().max(max).optional();
const legacyNat = z.union([z.literal(''), natText]).optional();
const vendorA = {
  vendorAIp: legacyText(45),
  vendorAUser: legacyText(64),
  vendorAPass: legacyText(256),
  vendorANat: legacyNat,
};
const vendorB = {
  vendorBIp: legacyText(45),
  vendorBUser: legacyText(64),
  vendorBPass: legacyText(256),
  vendorBEnablePass: legacyText(256),
};

export const routerRoutes = {
  nonce: post('/api/nonce', can('settings.write'), {
    summary: 'Ask the mesh access point for a login nonce',
    refusals: ['routerIpPrivate', 'mesh_login_refused', 'upstream_failed'],
    body: z.object({
      routerIp: legacyText(45),
      id: legacyText(128).describe('Id that the nonce is asked for; made when absent'),
    }),
    reply: { 200: z.object({ nonce: z.string(), id: z.string() }) },
  }),
  detectVendorA: post('/api/vendor-a/detect', can('settings.write'), {
    summary: 'Test the definition of a Yamaha RTX (vendor_a); blanks fall back to stored values',
    refusals: ['vendorADetectMissing', 'vendorADetectFailed', 'routerIpPrivate', 'router_address'],
    body: z.object(vendorA),
    reply: { 200: detection },
  }),
  detectVendorB: post('/api/vendor-b/detect', can('settings.write'), {
    summary: 'Test the definition of a Cisco IOS (vendor_b); blanks fall back to stored values',
    refusals: ['vendorBDetectMissing', 'vendorBDetectFailed', 'routerIpPrivate', 'router_address'],
    body: z.object(vendorB),
    reply: { 200: detection },
  }),
  setUp: post('/api/login', can('settings.write'), {
    audit: 'router_changed',
    summary: 'Legacy set-up: configure and start, or disable, one router of each kind and the mesh access point',
    refusals: [
      'routerIpPrivate',
      'router_address',
      'router_limit',
      'mesh_login_refused',
      'upstream_failed',
      'settings_changed',
    ],
    body: z.object({
      username: legacyText(64),
      password: legacyText(256).meta({ format: 'password' }),
      routerIp: legacyText(45),
      ...vendorA,
      ...vendorB,
      doMesh: z.boolean().optional(),
      doVendorA: z.boolean().optional(),
      doVendorB: z.boolean().optional(),
    }),
    reply: { 200: z.object({ success: z.literal(true), routerIp: z.string().optional() }) },
  }),
  list: get('/api/routers', can('network.read'), {
    summary: 'Router records with their runtime status',
    reply: {
      200: z.object({
        routers: z.array(router),
        maxRouters: z.int(),
        serverTime: z.int(),
        processStartedAt: z.int(),
      }),
    },
  }),
  detect: post('/api/routers/detect', can('settings.write'), {
    summary: 'Test an unsaved router definition; 502 with diagnostics when it cannot be reached or understood',
    refusals: ['router_address', 'router_detect_failed'],
    body: routerCreate,
    reply: { 200: detection },
  }),
  create: post('/api/routers', can('settings.write'), {
    audit: 'router_changed',
    summary: 'Add a router',
    refusals: ['router_address', 'router_limit'],
    body: routerCreate,
    reply: { 201: saved },
  }),
  update: put('/api/routers/:id', can('settings.write'), {
    audit: 'router_changed',
    summary: 'Change a router; kind and id stay, an omitted password is kept',
    refusals: ['not_found', 'router_address', 'router_kind_fixed', 'router_password_required'],
    params: idParams,
    body: routerUpdate,
    reply: { 200: saved },
  }),
  remove: del('/api/routers/:id', can('settings.write'), {
    audit: 'router_changed',
    summary: 'Remove a router; its id is tombstoned and history stays attributed to it',
    refusals: ['not_found'],
    params: idParams,
    reply: { 200: z.object({ success: z.literal(true) }) },
  }),
} as const satisfies RouteTable<Access>;

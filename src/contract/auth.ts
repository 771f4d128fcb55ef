// Login, sessions, OIDC, API identities and the audit trail. Rules: docs/reference/rest-api.md#5-authentication
// and docs/reference/wire-contract/4-endpoints.md#41-authentication.
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { explain } from '#kernel/text/problem.ts';
import { type Access, can, identityOnly, open, permissions, signedIn } from './access.ts';
import { authLimits } from './auth-limits.ts';
import { auditEvent, auditEventTypes, caller, domain, email, identity, oidcRefusals, session } from './auth-records.ts';
import { warningFacts } from './facts.ts';
import { countUpTo, words } from './query-words.ts';

const permission = z.enum(permissions);
const { passwordMin } = authLimits;
const currentPassword = z.string().max(authLimits.password);
const sessionId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a positive whole number')
  .transform(Number)
  .describe('Number of the session, as GET /api/auth/sessions lists it');

const success = z.object({ success: z.literal(true) });
const revoked = z.object({ success: z.literal(true), revoked: z.int() });

export const authRoutes = {
  login: post('/api/auth/login', open, {
    summary: 'Exchange the login password for a session; locked after five failures',
    refusals: ['login_failed', 'login_locked'],
    body: z.object({
      password: z.string().min(1, 'must not be empty').max(authLimits.password),
      deviceLabel: z.string().max(authLimits.deviceLabel).optional(),
    }),
    reply: { 200: z.object({ success: z.literal(true), token: z.string(), expiresAt: z.int() }) },
  }),
  verifyAdminToken: post('/api/admin/verify', open, {
    summary: 'Tell whether this is the admin token',
    refusals: ['login_failed', 'login_locked'],
    body: z.object({ token: z.string().max(4096).describe('The token in question') }),
    failure: { ok: false },
    reply: { 200: z.object({ ok: z.literal(true) }) },
  }),
  status: get('/api/auth/status', open, {
    summary: 'Who the caller is',
    reply: { 200: caller },
  }),
  methods: get('/api/auth/methods', open, {
    summary: 'Which ways to log in there are',
    reply: {
      200: z.object({ local: z.object({ enabled: z.boolean() }), oidc: z.object({ enabled: z.boolean() }) }),
    },
  }),
  logout: post('/api/auth/logout', signedIn, {
    audit: 'handler',
    summary: 'End the calling session and take its cookies back',
    body: z.object({}),
    reply: { 200: success },
  }),
  sessions: get('/api/auth/sessions', can('auth.admin'), {
    summary: 'Active sessions, latest activity first',
    reply: { 200: z.object({ sessions: z.array(session) }) },
  }),
  revokeSession: post('/api/auth/sessions/:id/revoke', can('auth.admin'), {
    audit: 'handler',
    summary: 'End one session',
    refusals: ['not_found'],
    params: z.object({ id: sessionId }),
    body: z.object({}),
    reply: { 200: success },
  }),
  revokeAllSessions: post('/api/auth/sessions/revoke-all', can('auth.admin'), {
    audit: 'handler',
    summary: "End all sessions; the caller's own only with includeSelf",
    body: z.object({ includeSelf: z.boolean().optional() }),
    reply: { 200: revoked },
  }),
  changePassword: post('/api/auth/change-password', can('auth.admin'), {
    audit: 'handler',
    summary: 'Change the login password',
    refusals: ['password_rejected', 'login_failed', 'login_locked'],
    body: z.object({
      currentPassword,
      newPassword: z
        .string()
        .max(authLimits.password)
        .refine(
          (text) => [...text].length >= passwordMin,
          explain(`must have at least ${passwordMin} characters`, 'too_small', passwordMin, 'characters'),
        )
        .refine((text) => text.trim() !== '', explain('must not be blank', 'missing')),
      revokeOtherSessions: z.boolean().optional(),
    }),
    reply: { 200: revoked },
  }),
  regenerateAdminToken: post('/api/admin/regenerate-token', can('auth.admin'), {
    audit: 'handler',
    summary: 'Replace the admin token; the new one is shown once',
    refusals: ['login_failed', 'login_locked'],
    body: z.object({ currentPassword }),
    reply: { 200: z.object({ success: z.literal(true), token: z.string() }) },
  }),
  securityConfig: get('/api/auth/security-config', can('auth.admin'), {
    summary: 'OIDC settings without the secret, session lifetime, and what to mind',
    reply: {
      200: z.object({
        oidc: z.object({
          enabled: z.boolean(),
          provider: z.literal('oidc'),
          issuer: z.string(),
          clientId: z.string(),
          clientSecretSet: z.boolean(),
          allowedEmails: z.array(z.string()),
          allowedDomains: z.array(z.string()),
          redirectUri: z
            .string()
            .nullable()
            .describe('What to register at the issuer; null while the hub does not know its own address'),
        }),
        sessionTtlDays: z.int(),
        trustedProxyConfigured: z.boolean(),
        warnings: z.array(z.string()),
        warningFacts,
      }),
    },
  }),
  saveSecurityConfig: post('/api/auth/security-config', can('auth.admin'), {
    audit: 'handler',
    summary: 'Change the OIDC settings; an absent or empty clientSecret keeps the stored one',
    refusals: ['oidc_incomplete'],
    body: z.object({
      enabled: z.boolean(),
      issuer: z.string().trim().max(500).optional(),
      clientId: z.string().trim().max(500),
      clientSecret: z.string().max(2000).meta({ format: 'password' }).optional(),
      allowedEmails: z.array(email).max(authLimits.oidcAllowList).optional(),
      allowedDomains: z.array(domain).max(authLimits.oidcAllowList).optional(),
    }),
    reply: {
      200: z.object({
        success: z.literal(true),
        clientSecretSet: z.boolean(),
        warnings: z.array(z.string()),
        warningFacts,
      }),
    },
  }),
  oidcTest: post('/api/auth/oidc/test', can('auth.admin'), {
    summary: 'Ask the configured issuer for its metadata and keys',
    refusals: ['oidc_test_failed'],
    body: z.object({}),
    reply: { 200: z.object({ success: z.literal(true), issuer: z.string() }) },
  }),
  oidcStart: get('/api/auth/oidc/start', open, {
    summary: 'Send the browser to the OIDC issuer',
    refusals: [
      'oidc_not_configured',
      'oidc_offline',
      'oidc_issuer_down',
      'oidc_issuer_metadata',
      'oidc_pkce_unsupported',
    ],
    query: z.object({
      returnTo: z.string().max(512).optional().describe('Path of the page to come back to; / when left out'),
    }),
    navigated: true,
    reply: { 302: z.null() },
  }),
  oidcCallback: get('/api/auth/oidc/callback', open, {
    summary: 'Where the OIDC issuer sends the browser back',
    refusals: oidcRefusals,
    query: z.looseObject({}),
    navigated: true,
    reply: { 302: z.null() },
  }),
  identities: get('/api/auth/api-identities', can('auth.admin'), {
    summary: 'Scoped API identities, newest first',
    reply: { 200: z.object({ identities: z.array(identity), availablePermissions: z.array(z.string()) }) },
  }),
  createIdentity: post('/api/auth/api-identities', can('auth.admin'), {
    audit: 'handler',
    summary: 'Make a scoped API identity; its token is shown once',
    refusals: ['identity_limit'],
    body: z.object({
      label: z
        .string()
        .trim()
        .min(1, 'must not be empty')
        .max(authLimits.identityLabel)
        .refine((text) => !/\p{Cc}/u.test(text), explain('must not hold control characters', 'control_characters')),
      permissions: z
        .array(permission)
        .min(1, 'must not be empty')
        .max(permissions.length)
        .describe('A permission that is named twice is stored once; the reply shows the stored list, sorted'),
      expiresInMs: z.int().min(authLimits.identityLifetimeMinMs).max(authLimits.identityLifetimeMaxMs),
    }),
    reply: { 201: z.object({ token: z.string(), identity }) },
  }),
  revokeIdentity: post('/api/auth/api-identities/:id/revoke', can('auth.admin'), {
    audit: 'handler',
    summary: 'Revoke one API identity for good',
    refusals: ['not_found'],
    params: z.object({
      id: z.string().min(1).max(64).describe('Id of the identity, as GET /api/auth/api-identities lists it'),
    }),
    body: z.object({}),
    reply: { 200: success },
  }),
  self: get('/api/auth/api-identities/self', identityOnly('network.read'), {
    summary: 'The calling API identity; sessions and the admin token are refused',
    reply: {
      200: z.object({ identity: identity.pick({ id: true, label: true, permissions: true, expiresAt: true }) }),
    },
  }),
  auditEvents: get('/api/auth/audit-events', can('audit.read'), {
    summary: 'Security events, newest first',
    query: z.object({
      limit: countUpTo(authLimits.auditPage).describe(
        `Events of a page, ${authLimits.auditPage} at most; ${authLimits.auditPageDefault} when left out`,
      ),
      before: z
        .string()
        .regex(/^[1-9]\d{0,15}$/, 'must be epoch milliseconds')
        .transform(Number)
        .optional()
        .describe('Only events before this instant, epoch milliseconds'),
      after: z.string().max(100).optional().describe('next of the page before: goes on behind its last event'),
      type: z.enum(auditEventTypes).optional().describe('Only events of this type'),
      outcome: auditEvent.shape.outcome.optional().describe('Only events with this outcome'),
      q: words(authLimits.auditSearch).describe(
        'Only events with this text in their type, methods, path, hashes, request id or metadata; the case of ASCII letters does not matter',
      ),
      requestId: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/, 'must be an id as X-Request-Id may be')
        .optional()
        .describe('All that is known of this request; the latest reads of API identities are found by this alone'),
    }),
    reply: {
      200: z.object({
        events: z.array(auditEvent),
        next: z
          .string()
          .nullable()
          .describe(
            'after of the next page; null at the end. A page of a search may have a next although it has few events or none',
          ),
      }),
    },
  }),
} as const satisfies RouteTable<Access>;

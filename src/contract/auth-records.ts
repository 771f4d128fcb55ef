// Records of authentication: session, API identity, audit event, and the allow-lists
// (docs/reference/wire-contract/3-records.md#36-session-identity-agent-audit-event).
import { z } from 'zod';

export const authMethods = ['local', 'oidc', 'api-token', 'api-identity', 'agent-token', 'enrollment-code'] as const;
export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

export const role = z.enum(roles);

/** A browser session; instants are epoch milliseconds. */
export const session = z.object({
  id: z.int(),
  deviceLabel: z.string().nullable(),
  createdAt: z.int(),
  lastSeenAt: z.int(),
  expiresAt: z.int(),
  authMethod: z.enum(['local', 'oidc']),
  role,
  current: z.boolean().describe("Whether it is the caller's own"),
});

/** A scoped API identity, never with its token. */
export const identity = z.object({
  id: z.string(),
  label: z.string(),
  permissions: z.array(z.string()),
  permissionsValid: z
    .boolean()
    .describe('False when a stored permission is not known to this version: then it grants nothing'),
  createdAt: z.int(),
  expiresAt: z.int(),
  lastUsedAt: z.int().nullable(),
  revokedAt: z.int().nullable(),
});

export const auditEvent = z.object({
  eventId: z.string(),
  createdAt: z.int(),
  eventType: z.string().max(100),
  outcome: z.enum(['success', 'failure']),
  authMethod: z.enum(authMethods).nullable(),
  actorHash: z
    .string()
    .nullable()
    .describe('12 hex digits of a keyed hash each: the same for the same, and nothing else'),
  principalHash: z.string().nullable(),
  requestId: z.string().nullable(),
  clientIpHash: z.string().nullable(),
  httpMethod: z.string().nullable(),
  path: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
});

/** One entry of an allow-list, lower case. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(320)
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');
export const domain = z
  .string()
  .trim()
  .toLowerCase()
  .min(1, 'must not be empty')
  .max(253)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, 'must be a domain name without @');

/** Why a login through an issuer did not come about. */
export const oidcRefusals = [
  'oidc_state_mismatch',
  'oidc_flow_expired',
  'oidc_denied',
  'oidc_code_rejected',
  'oidc_client_rejected',
  'oidc_exchange_failed',
  'oidc_issuer_mismatch',
  'oidc_audience',
  'oidc_nonce_mismatch',
  'oidc_token_invalid',
  'oidc_email_unverified',
  'oidc_email_not_allowed',
  'oidc_not_configured',
  'oidc_offline',
  'oidc_issuer_down',
  'oidc_issuer_metadata',
] as const;

// Records of authentication: caller, session, API identity, audit event, and entries of the OIDC allow-lists
// (docs/reference/wire-contract/3-records.md#36-session-identity-agent-audit-event).
import { z } from 'zod';
import { permissions } from './access.ts';

export const authMethods = ['local', 'oidc', 'api-token', 'api-identity', 'agent-token', 'enrollment-code'] as const;
export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

export const role = z.enum(roles);

export const caller = z.object({
  authenticated: z.boolean(),
  authMethod: z.enum(['local', 'oidc', 'api-token', 'api-identity']).nullable(),
  oidcEnabled: z.boolean(),
  localLoginEnabled: z.boolean(),
  name: z.string().nullable().describe('Label of the session or of the API identity; null without one'),
  role: role.nullable(),
  expiresAt: z.int().nullable(),
  permissions: z.array(z.enum(permissions)),
});

/** A browser session; instants are epoch milliseconds. */
export const session = z.object({
  id: z.int(),
  deviceLabel: z.string().nullable(),
  createdAt: z.int(),
  lastSeenAt: z.int(),
  expiresAt: z.int(),
  authMethod: z.enum(['local', 'oidc']),
  role,
  userAgent: z.string().nullable().describe('How the browser named itself when it logged in; null when it did not'),
  address: z.string().nullable().describe('The address that it logged in from; null when that is not known'),
  current: z.boolean().describe("Whether it is the caller's own"),
});

/** An API identity with permissions of its own; the record never contains its token. */
export const identity = z.object({
  id: z.string(),
  label: z.string(),
  permissions: z.array(z.string()),
  permissionsValid: z
    .boolean()
    .describe('False when this version does not know one of the permissions: the identity then has none'),
  createdAt: z.int(),
  expiresAt: z.int(),
  lastUsedAt: z.int().nullable(),
  revokedAt: z.int().nullable(),
});

/** Events of the audit trail. `api_read` is held in memory: only the request id finds it. */
export const auditEventTypes = [
  'login',
  'logout',
  'password_changed',
  'security_config_changed',
  'oidc_login_started',
  'api_identity_created',
  'api_identity_revoked',
  'permission_denied',
  'csrf_rejected',
  'api_mutation',
  'session_revoked',
  'sessions_revoked_all',
  'admin_token_regenerated',
  'router_changed',
  'agent_authentication',
  'agent_enrollment_created',
  'agent_enrollment_burned',
  'agent_enrollment_requested',
  'agent_enrollment_approved',
  'agent_enrollment_rejected',
  'agent_enrolled',
  'agent_revoked',
  'agent_self_revoked',
  'agent_token_rotated',
  'agent_transport_consent',
  'agent_transport_rejected',
  'agent_ingest',
  'backup_created',
  'backup_downloaded',
  'backup_restored',
  'config_applied',
  'ai_sent',
  'privacy_changed',
  'privacy_erased',
  'api_read',
] as const;
export type AuditEventType = (typeof auditEventTypes)[number];

const createHashSchema = (hashed: string) =>
  z.string().nullable().describe(`${hashed}: 12 hex digits of a keyed hash. Equal values have equal hashes`);

export const auditEvent = z.object({
  eventId: z.string(),
  createdAt: z.int(),
  eventType: z.string().max(100),
  outcome: z.enum(['success', 'failure']),
  authMethod: z.enum(authMethods).nullable(),
  actorHash: createHashSchema('Who acted'),
  principalHash: createHashSchema('The credential used'),
  requestId: z.string().nullable(),
  clientIpHash: createHashSchema('The address of the client'),
  httpMethod: z.string().nullable(),
  path: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
});

/** Entries of `allowedEmails` and `allowedDomains`, which decide who may log in with OIDC. */
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

/** Error codes of a failed login through an OIDC issuer. */
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

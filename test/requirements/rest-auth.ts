// REST specification: authentication, sessions, scoped identities and the audit trail.
import { type Requirement, stated } from './requirement.ts';

const login = [
  ...stated(1, '2 Session, 4 Authentication', {
    'rest.login.success': 'login returns success, a boolean',
    'rest.login.token': 'login returns token, the session token',
    'rest.login.expires-at': 'login returns expiresAt in epoch milliseconds',
  }),
  ...stated(1, '3, 4 Authentication, 5', {
    'rest.login.correct-password': 'POST /api/auth/login with the correct password makes an active session',
    'rest.login.public': 'POST /api/auth/login is Public',
  }),
  ...stated(1, '5', {
    'rest.login.revocable': 'the session token is revocable',
  }),
  ...stated(1, '4 Authentication, 5, 8', {
    'rest.login.password-256': 'the password has at most 256 characters',
  }),
  ...stated(1, '5, 8', {
    'rest.login.lockout': '5 failures of one client in a 10-minute window lock it out for 5 minutes',
  }),
];

const sessions = [
  ...stated(1, '3', {
    'rest.sessions.logout-revokes': 'logout revokes the session',
    'rest.sessions.revoke-revokes': 'session revoke revokes that session',
    'rest.sessions.revoke-all-revokes': 'revoke-all revokes the sessions',
  }),
  ...stated(1, '4 Authentication', {
    'rest.sessions.logout': 'POST /api/auth/logout is Protected',
    'rest.sessions.list': 'GET /api/auth/sessions is Protected and lists sessions',
    'rest.sessions.revoke': 'POST /api/auth/sessions/:id/revoke is Protected',
    'rest.sessions.revoke-all': 'POST /api/auth/sessions/revoke-all is Protected',
  }),
];

const routes = [
  ...stated(1, '4 Authentication', {
    'rest.oidc.start': 'GET /api/auth/oidc/start is Public and redirects',
    'rest.oidc.callback': 'GET /api/auth/oidc/callback is Public and is the redirect target',
    'rest.oidc.test': 'POST /api/auth/oidc/test is Protected',
  }),
  ...stated(1, '4 Authentication', {
    'rest.auth.admin-verify': 'POST /api/admin/verify verifies a token supplied in the body',
    'rest.auth.admin-verify-public': 'POST /api/admin/verify is Public',
    'rest.auth.status': 'GET /api/auth/status is Public',
    'rest.auth.methods': 'GET /api/auth/methods is Public',
    'rest.auth.change-password': 'POST /api/auth/change-password is Protected and changes the password',
    'rest.auth.regenerate-token': 'POST /api/admin/regenerate-token is Protected and replaces the admin token',
    'rest.auth.security-config-read': 'GET /api/auth/security-config is Protected',
    'rest.auth.security-config-write': 'POST /api/auth/security-config is Protected',
    'rest.auth.audit-events': 'GET /api/auth/audit-events is Protected',
  }),
  ...stated(1, '5', {
    'rest.auth.all-others-need-credential':
      'only login, admin verify, auth status and methods, OIDC start and callback, Agent enrolment and claim, /healthz and /readyz are public',
    'rest.auth.tokens-not-in-logs': 'tokens are placed in no URL, log or source file',
    'rest.auth.https-across-boundaries': 'HTTPS or a trusted VPN is required across network boundaries',
  }),
];

const identities = [
  ...stated(1, '2 API identity, 5', {
    'rest.identities.label-required': 'label is required',
    'rest.identities.permissions-required': 'permissions is a required, non-empty list',
    'rest.identities.expiry-required': 'expiresInMs is required',
  }),
  ...stated(1, '2 API identity', {
    'rest.identities.permission-names': 'auth.admin, network.read, notes.write and agent.ingest are permission names',
    'rest.identities.hash-only': 'only the SHA-256 hash of the token is stored',
  }),
  ...stated(1, '2 API identity, 8', {
    'rest.identities.lifetime': 'expiresInMs is from 1 minute to 1 year',
  }),
  ...stated(1, '2 API identity, 5', {
    'rest.identities.prefix': 'the plaintext token has the prefix svc_',
  }),
  ...stated(1, '2 API identity, 3, 4 Authentication', {
    'rest.identities.plaintext-once': 'the plaintext token is returned once, in the 201 creation response',
  }),
  ...stated(1, '3, 4 Authentication, 5', {
    'rest.identities.create-admin': 'creating an identity needs auth.admin and makes it active',
    'rest.identities.revoke-admin': 'revoking an identity needs auth.admin and makes it revoked',
    'rest.identities.list-admin': 'listing identities needs auth.admin',
  }),
  ...stated(1, '4 Authentication', {
    'rest.identities.list-no-store': 'the identity list is sent with Cache-Control: no-store',
    'rest.identities.create-no-store': 'identity creation is sent with no-store',
    'rest.identities.revoke-no-store': 'identity revocation is sent with no-store',
    'rest.identities.self-own-only': 'GET /api/auth/api-identities/self returns only the calling identity',
    'rest.identities.self-rejects-session': 'self rejects browser sessions',
    'rest.identities.self-rejects-legacy': 'self rejects the legacy admin token',
  }),
  ...stated(1, '4 Authentication, 5', {
    'rest.identities.self-network-read': 'self needs a scoped identity with network.read',
  }),
];

export const restAuth: readonly Requirement[] = [...login, ...sessions, ...routes, ...identities];

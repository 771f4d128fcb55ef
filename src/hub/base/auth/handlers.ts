// Handlers of login, sessions, credentials and the audit trail.
import { permissions } from '#contract/access.ts';
import type { authRoutes } from '#contract/auth.ts';
import { authLimits } from '#contract/auth-limits.ts';
import { AppError } from '#kernel/errors.ts';
import { type Handlers, reply } from '#kernel/http/route.ts';
import { createToken, hashToken } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { ReaderPool } from '../readers/pool.ts';
import { createRefusal } from '../refusals.ts';
import { createStatement, toFacts } from '../statements.ts';
import type { AuditQueries } from './audit-queries.ts';
import type { Auth } from './auth.ts';
import { identityHandlers } from './credentials/identity-handlers.ts';
import { passwordWeakness } from './credentials/password-rules.ts';
import { securityConfigHandlers } from './oidc/config-handlers.ts';
import { oidcHandlers } from './oidc/handlers.ts';
import { identify, type Principal, requireStillValid, type SignedIn, toActor } from './principal.ts';
import { describeClient, type Session } from './sessions.ts';

const localLogin = { method: 'local', actor: 'local-admin', credential: null } as const;
const adminToken = { method: 'api-token', actor: 'admin-token', credential: 'admin-token' } as const;

type AuthHandlers = Handlers<typeof authRoutes, Principal>;

type Reads = Pick<ReaderPool<AuditQueries>, 'ask'>;

export function authHandlers(auth: Auth, clock: Clock, reads: Reads): AuthHandlers {
  const { audit } = auth;
  return {
    ...loginHandlers(auth, clock),
    ...sessionHandlers(auth),
    ...credentialHandlers(auth),
    ...identityHandlers(auth),
    ...oidcHandlers(auth, clock),
    ...securityConfigHandlers(auth),

    async auditEvents({ query: { requestId, ...query }, signal }) {
      if (requestId !== undefined) {
        const { limit = authLimits.auditPageDefault } = query;
        return { events: await audit.ofRequest(requestId, limit), next: null };
      }
      await audit.settled();
      return reads.ask('auditPage', query, signal);
    },
  };
}

type LoginRoutes = 'login' | 'verifyAdminToken' | 'status' | 'methods' | 'logout';

function loginHandlers(auth: Auth, clock: Clock): Pick<AuthHandlers, LoginRoutes> {
  const { audit, cookies, document, firstFiles, firstToken, login, sessions } = auth;
  return {
    async login({ body, request }) {
      const confirm = await login.requirePassword(body.password, { type: 'login', by: localLogin, request });
      const deviceLabel = body.deviceLabel?.trim() || null;
      const about = {
        authMethod: 'local',
        role: 'admin',
        subject: null,
        deviceLabel,
        ...describeClient(request),
      } as const;
      const { session, token, csrfToken, replaced } = await sessions.open(about, confirm, cookies.session(request));
      firstFiles.forget('initial-password');
      const by = { ...localLogin, credential: `session:${session.id}` };
      await audit.record({
        type: 'login',
        outcome: 'success',
        request,
        by,
        ...(replaced && { metadata: { replaced } }),
      });
      return reply(
        200,
        { success: true, token, expiresAt: session.expiresAt },
        { cookies: cookies.keep(request, { token, csrfToken }, session.expiresAt - clock.now()) },
      );
    },
    async verifyAdminToken({ body, request }) {
      const confirm = await login.requireAdminToken(body.token, { type: 'login', by: adminToken, request });
      await audit.record({ type: 'login', outcome: 'success', request, by: adminToken });
      confirm();
      firstToken.noteUse();
      return { ok: true };
    },
    status({ request }) {
      const caller = identify(auth, request);
      return {
        authenticated: caller !== null,
        ...describeCaller(caller),
        oidcEnabled: document.current().oidc.enabled,
        localLoginEnabled: true,
        permissions: permissions.filter((name) => caller?.permissions.has(name)),
      };
    },
    methods: () => ({ local: { enabled: true }, oidc: { enabled: document.current().oidc.enabled } }),
    async logout({ principal, request }) {
      if (principal.who === 'session') {
        await sessions.revoke([principal.session.id]);
      }
      await audit.record({ type: 'logout', outcome: 'success', request, by: toActor(principal) });
      return reply(200, { success: true }, { cookies: cookies.clear(request) });
    },
  };
}

type SessionRoutes = 'sessions' | 'revokeSession' | 'revokeAllSessions';

function sessionHandlers({ audit, sessions }: Auth): Pick<AuthHandlers, SessionRoutes> {
  return {
    sessions: ({ principal }) => ({
      sessions: sessions.list().map((session) => ({
        ...publicSession(session),
        current: principal.who === 'session' && principal.session.id === session.id,
      })),
    }),
    async revokeSession({ params, principal, request }) {
      if ((await sessions.revoke([params.id])) === 0) {
        throw new AppError('not_found', 'there is no session with this id; GET /api/auth/sessions lists them');
      }
      const metadata = { session: params.id };
      await audit.record({ type: 'session_revoked', outcome: 'success', request, by: toActor(principal), metadata });
      return { success: true };
    },
    async revokeAllSessions({ body, principal, request }) {
      const keep = body.includeSelf === true ? null : ownSession(principal);
      const revoked = await sessions.revokeAll({ keep });
      const metadata = { revoked, includeSelf: body.includeSelf === true };
      await audit.record({
        type: 'sessions_revoked_all',
        outcome: 'success',
        request,
        by: toActor(principal),
        metadata,
      });
      return { success: true, revoked };
    },
  };
}

/** The password and the admin token: each is replaced only with the current password. */
function credentialHandlers(auth: Auth): Pick<AuthHandlers, 'changePassword' | 'regenerateAdminToken'> {
  const { audit, document, firstFiles, login, sessions, signals } = auth;
  return {
    async changePassword({ body, principal, request }) {
      const weakness =
        body.newPassword === body.currentPassword
          ? createStatement('password_same', 'must not be the current one')
          : passwordWeakness(body.newPassword);
      if (weakness !== null) {
        throw createRefusal('password_rejected', `newPassword ${weakness.sentence}`, toFacts(weakness));
      }
      const by = toActor(principal);
      const confirm = await login.requirePassword(body.currentPassword, { type: 'password_changed', by, request });
      const change = await login.newPassword(body.newPassword, () => {
        confirm();
        requireStillValid(auth, request, principal);
      });
      let revoked = 0;
      if (body.revokeOtherSessions === true) {
        revoked = await sessions.revokeAll({ keep: ownSession(principal), change });
      } else {
        change();
      }
      firstFiles.forget('initial-password');
      await audit.record({ type: 'password_changed', outcome: 'success', request, by, metadata: { revoked } });
      return { success: true, revoked };
    },
    async regenerateAdminToken({ body, principal, request }) {
      const by = toActor(principal);
      const purpose = { type: 'admin_token_regenerated', by, request } as const;
      const confirm = await login.requirePassword(body.currentPassword, purpose);
      const token = createToken('', 24);
      confirm();
      requireStillValid(auth, request, principal);
      document.update((all) => ({ ...all, adminTokenHash: hashToken(token) }));
      firstFiles.forget('initial-admin-token');
      signals.emit('credentialRevoked', 'admin-token');
      await audit.record({ type: 'admin_token_regenerated', outcome: 'success', request, by });
      return { success: true, token };
    },
  };
}

/** How the caller logged in, under which name and role, and until when, in epoch milliseconds. */
function describeCaller(caller: SignedIn | null) {
  switch (caller?.who) {
    case 'admin':
      return { authMethod: 'api-token', name: null, role: 'admin', expiresAt: null } as const;
    case 'identity': {
      const { label: name, expiresAt } = caller.identity;
      return { authMethod: 'api-identity', name, role: null, expiresAt } as const;
    }
    case 'session': {
      const { authMethod, deviceLabel: name, role, expiresAt } = caller.session;
      return { authMethod, name, role, expiresAt };
    }
    default:
      return { authMethod: null, name: null, role: null, expiresAt: null };
  }
}

function ownSession(principal: Principal): number | null {
  return principal.who === 'session' ? principal.session.id : null;
}

function publicSession(session: Session) {
  const { id, deviceLabel, createdAt, lastSeenAt, expiresAt, authMethod, role, userAgent, address } = session;
  return { id, deviceLabel, createdAt, lastSeenAt, expiresAt, authMethod, role, userAgent, address };
}

// Handlers of login, sessions, credentials and the audit trail.
import { permissions } from '#contract/access.ts';
import type { authRoutes } from '#contract/auth.ts';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import { type Handlers, reply } from '#kernel/http/route.ts';
import { createToken, hashToken } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { Auth } from './auth.ts';
import { identityHandlers } from './credentials/identity-handlers.ts';
import { passwordWeakness } from './credentials/password-rules.ts';
import { securityConfigHandlers } from './oidc/config-handlers.ts';
import { oidcHandlers } from './oidc/handlers.ts';
import { actorOf, identify, type Principal, requireStill, type SignedIn } from './principal.ts';
import type { Session } from './sessions.ts';

const localLogin = { method: 'local', actor: 'local-admin', credential: null } as const;
const adminToken = { method: 'api-token', actor: 'admin-token', credential: 'admin-token' } as const;

export function authHandlers(auth: Auth, clock: Clock): Handlers<typeof authRoutes, Principal> {
  const { audit, cookies, document, firstFiles, firstToken, login, sessions } = auth;

  const record = audit.record;
  const succeeded = 'success' as const;

  return {
    ...identityHandlers(auth),
    ...oidcHandlers(auth, clock),
    ...securityConfigHandlers(auth),

    async login({ body, request }) {
      const confirm = await login.requirePassword(body.password, { type: 'login', by: localLogin, request });
      const deviceLabel = body.deviceLabel?.trim() || null;
      const about = { authMethod: 'local', role: 'admin', subject: null, deviceLabel } as const;
      const { session, token, csrfToken, replaced } = await sessions.open(about, confirm, cookies.session(request));
      firstFiles.forget('initial-password');
      const by = { ...localLogin, credential: `session:${session.id}` };
      await record({ type: 'login', outcome: succeeded, request, by, ...(replaced && { metadata: { replaced } }) });
      return reply(
        200,
        { success: true, token, expiresAt: session.expiresAt },
        { cookies: cookies.keep(request, { token, csrfToken }, session.expiresAt - clock.now()) },
      );
    },
    async verifyAdminToken({ body, request }) {
      const confirm = await login.requireAdminToken(body.token, { type: 'login', by: adminToken, request });
      await record({ type: 'login', outcome: succeeded, request, by: adminToken });
      confirm();
      firstToken.noteUse();
      return { ok: true };
    },
    status({ request }) {
      const caller = identify(auth, request);
      return {
        authenticated: caller !== null,
        authMethod: caller && methodOf(caller),
        oidcEnabled: document.current().oidc.enabled,
        localLoginEnabled: true,
        role: caller?.who === 'session' ? caller.session.role : caller?.who === 'admin' ? 'admin' : null,
        permissions: permissions.filter((name) => caller?.permissions.has(name)),
      };
    },
    methods: () => ({ local: { enabled: true }, oidc: { enabled: document.current().oidc.enabled } }),
    async logout({ principal, request }) {
      if (principal.who === 'session') {
        await sessions.revoke([principal.session.id]);
      }
      await record({ type: 'logout', outcome: succeeded, request, by: actorOf(principal) });
      return reply(200, { success: true }, { cookies: cookies.clear(request) });
    },
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
      await record({ type: 'session_revoked', outcome: succeeded, request, by: actorOf(principal), metadata });
      return { success: true };
    },
    async revokeAllSessions({ body, principal, request }) {
      const keep = body.includeSelf === true ? null : ownSession(principal);
      const revoked = await sessions.revokeAll({ keep });
      const metadata = { revoked, includeSelf: body.includeSelf === true };
      await record({ type: 'sessions_revoked_all', outcome: succeeded, request, by: actorOf(principal), metadata });
      return { success: true, revoked };
    },
    async changePassword({ body, principal, request }) {
      const weakness =
        body.newPassword === body.currentPassword ? 'must not be the current one' : passwordWeakness(body.newPassword);
      if (weakness !== null) {
        throw new AppError('password_rejected', `newPassword ${weakness}`);
      }
      const by = actorOf(principal);
      const confirm = await login.requirePassword(body.currentPassword, { type: 'password_changed', by, request });
      const change = await login.newPassword(body.newPassword, () => {
        confirm();
        requireStill(auth, request, principal);
      });
      let revoked = 0;
      if (body.revokeOtherSessions === true) {
        revoked = await sessions.revokeAll({ keep: ownSession(principal), change });
      } else {
        change();
      }
      firstFiles.forget('initial-password');
      await record({ type: 'password_changed', outcome: succeeded, request, by, metadata: { revoked } });
      return { success: true, revoked };
    },
    async regenerateAdminToken({ body, principal, request }) {
      const by = actorOf(principal);
      const purpose = { type: 'admin_token_regenerated', by, request } as const;
      const confirm = await login.requirePassword(body.currentPassword, purpose);
      const token = createToken('', 24);
      confirm();
      requireStill(auth, request, principal);
      document.update((all) => ({ ...all, adminTokenHash: hashToken(token) }));
      firstFiles.forget('initial-admin-token');
      auth.signals.emit('credentialRevoked', 'admin-token');
      await record({ type: 'admin_token_regenerated', outcome: succeeded, request, by });
      return { success: true, token };
    },
    async auditEvents({ query: { limit = limits.auditPageDefault, requestId, ...query } }) {
      return requestId === undefined
        ? audit.page({ ...query, limit })
        : { events: await audit.ofRequest(requestId, limit), next: null };
    },
  };
}

function methodOf(caller: SignedIn) {
  switch (caller.who) {
    case 'admin':
      return 'api-token';
    case 'identity':
      return 'api-identity';
    case 'session':
      return caller.session.authMethod;
  }
}

function ownSession(principal: Principal): number | null {
  return principal.who === 'session' ? principal.session.id : null;
}

function publicSession({ id, deviceLabel, createdAt, lastSeenAt, expiresAt, authMethod, role }: Session) {
  return { id, deviceLabel, createdAt, lastSeenAt, expiresAt, authMethod, role };
}

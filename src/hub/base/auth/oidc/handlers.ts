// Handlers of the browser login through an OIDC issuer: redirects, the state cookie, and the session at the end.

import { AppError } from '#kernel/errors.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import { reply } from '#kernel/http/route.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { RouteHandlers } from '../../feature.ts';
import type { Auth } from '../auth.ts';
import { describeClient, type OpenedSession } from '../sessions.ts';
import type { OidcPerson } from './oidc.ts';

type OidcHandlers = RouteHandlers<'auth', 'oidcStart' | 'oidcCallback' | 'oidcTest'>;

const unknownPerson = { method: 'oidc', actor: null, credential: null } as const;

export function oidcHandlers({ oidc, audit, cookies, sessions, publicUrl }: Auth, clock: Clock): OidcHandlers {
  const finish = async (request: RequestFacts): Promise<OidcPerson & OpenedSession> => {
    try {
      const url = new URL(request.target, publicUrl ?? 'http://hub.invalid');
      const person = await oidc.finish({ url, stateCookie: cookies.oidcState(request) });
      const { subject, role, confirm } = person;
      const about = { authMethod: 'oidc', role, subject, deviceLabel: null, ...describeClient(request) } as const;
      const opened = await sessions.open(about, confirm, cookies.session(request));
      return { ...person, ...opened };
    } catch (error) {
      const reason = error instanceof AppError ? error.code : 'internal';
      await audit.record({ type: 'login', outcome: 'failure', request, by: unknownPerson, metadata: { reason } });
      throw error;
    }
  };

  return {
    async oidcStart({ query, request }) {
      const { location, state } = await oidc.start({ returnTo: query.returnTo, address: request.address });
      await audit.record({ type: 'oidc_login_started', outcome: 'success', request, by: unknownPerson });
      return reply(302, null, { headers: { Location: location }, cookies: [cookies.keepOidcState(request, state)] });
    },
    async oidcCallback({ request }) {
      const { subject, role, returnTo, session, token, csrfToken, replaced } = await finish(request);
      const by = { method: 'oidc', actor: subject, credential: `session:${session.id}` } as const;
      await audit.record({
        type: 'login',
        outcome: 'success',
        request,
        by,
        metadata: { role, ...(replaced && { replaced }) },
      });
      const base = publicUrl?.pathname.replace(/\/$/, '') ?? '';
      return reply(302, null, {
        headers: { Location: base + (returnTo ?? '/') },
        cookies: [
          ...cookies.keep(request, { token, csrfToken }, session.expiresAt - clock.now()),
          cookies.clearOidcState(request),
        ],
      });
    },
    async oidcTest() {
      const { issuer } = await oidc.test();
      return { success: true, issuer };
    },
  };
}

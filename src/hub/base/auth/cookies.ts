// The three cookies: session, CSRF token, state of a browser login under way
// (docs/reference/wire-contract/5-behaviours.md#53-cookies-csrf-sessions).
import { oidcLimits } from '#contract/oidc-limits.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { Cookie } from '#kernel/http/route.ts';

export interface CookieRules {
  /** Every cookie is `Secure`, also in the answer to a plain HTTP request. */
  alwaysSecure: boolean;
  /** Path of the hub as browsers see it, `/` or a sub-path. */
  path: string;
}

export type Cookies = ReturnType<typeof createCookies>;

type Name = 'monitor_session' | 'monitor_csrf' | 'monitor_oidc_state';

export function createCookies({ alwaysSecure, path }: CookieRules) {
  const isSecure = (request: RequestFacts) => alwaysSecure || request.isSecure;
  /** With the prefix `__Host-`, neither another host nor a plain connection can set the cookie. */
  const nameFor = (request: RequestFacts, name: Name) => (isSecure(request) && path === '/' ? `__Host-${name}` : name);
  const read = (request: RequestFacts, name: Name) => request.cookies[nameFor(request, name)];
  const write = (request: RequestFacts, name: Name, value: string, maxAgeMs: number): Cookie => ({
    name: nameFor(request, name),
    value,
    maxAgeMs,
    path,
    secure: isSecure(request),
    httpOnly: name !== 'monitor_csrf',
  });
  return {
    session: (request: RequestFacts) => read(request, 'monitor_session'),
    csrf: (request: RequestFacts) => read(request, 'monitor_csrf'),
    oidcState: (request: RequestFacts) => read(request, 'monitor_oidc_state'),
    /** Cookies of both tokens, valid for `maxAgeMs`. */
    keep: (
      request: RequestFacts,
      { token, csrfToken }: { token: string; csrfToken: string | undefined },
      maxAgeMs: number,
    ) => [
      write(request, 'monitor_session', token, maxAgeMs),
      ...(csrfToken === undefined ? [] : [write(request, 'monitor_csrf', csrfToken, maxAgeMs)]),
    ],
    keepOidcState: (request: RequestFacts, state: string) =>
      write(request, 'monitor_oidc_state', state, oidcLimits.oidcFlowMs),
    clear: (request: RequestFacts) => [write(request, 'monitor_session', '', 0), write(request, 'monitor_csrf', '', 0)],
    clearOidcState: (request: RequestFacts) => write(request, 'monitor_oidc_state', '', 0),
  };
}

// Whether a change that came with a session cookie was meant by the page of this hub
// (docs/reference/wire-contract/5-behaviours.md#53-cookies-csrf-sessions).
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { Cookies } from './cookies.ts';
import { ownsCsrfToken, type StoredSession } from './sessions.ts';

export interface ForgeryRules {
  cookies: Cookies;
  publicOrigin: () => string | null;
}

export type Forgery = 'cross_site' | 'origin' | 'token_missing' | 'token_mismatch';

/** Why the request must not change anything; null when it may, or only reads. */
export function forgeryIn(rules: ForgeryRules, request: RequestFacts, session: StoredSession): Forgery | null {
  if (request.method === 'GET' || request.method === 'HEAD') {
    return null;
  }
  if (request.headers['sec-fetch-site'] === 'cross-site') {
    return 'cross_site';
  }
  if (!isOwnOrigin(request, rules.publicOrigin())) {
    return 'origin';
  }
  const header = request.headers['x-csrf-token'];
  const cookie = rules.cookies.csrf(request);
  if (typeof header !== 'string' || header === '' || cookie === undefined) {
    return 'token_missing';
  }
  return header === cookie && ownsCsrfToken(session, header) ? null : 'token_mismatch';
}

/** Whether a page of another origin sent the request, as its browser says. For answers that stay open, such as streams. */
export function isForeignPage(request: RequestFacts, publicOrigin: string | null): boolean {
  const site = request.headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site' || !isOwnOrigin(request, publicOrigin);
}

/** A missing `Origin` is accepted, since the token is checked too. One that is sent must be ours. */
function isOwnOrigin({ headers, host }: RequestFacts, publicOrigin: string | null): boolean {
  const { origin } = headers;
  if (origin === undefined || origin === publicOrigin) {
    return true;
  }
  return host !== '' && URL.parse(origin)?.host === host;
}

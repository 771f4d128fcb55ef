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

/** Why the request must not change anything; null for one that may, and for one that only reads. */
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

/** Whether a page of another origin asked, as far as its browser tells: for what lasts longer than one answer. */
export function isForeignPage(request: RequestFacts, publicOrigin: string | null): boolean {
  const site = request.headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site' || !isOwnOrigin(request, publicOrigin);
}

/** No `Origin` at all is the token's affair; one that is sent must be ours. */
function isOwnOrigin({ headers, host }: RequestFacts, publicOrigin: string | null): boolean {
  const { origin } = headers;
  if (origin === undefined || origin === publicOrigin) {
    return true;
  }
  return host !== '' && URL.parse(origin)?.host === host;
}

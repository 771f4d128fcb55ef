// What stands before a handler: the cookies and their names, forged changes, and the event that a call leaves.
import { expect, test } from 'vitest';
import type { AuditEntry, AuditTrail } from '#hub/base/auth/audit.ts';
import { createCookies } from '#hub/base/auth/cookies.ts';
import { forgeryIn, isForeignPage } from '#hub/base/auth/csrf.ts';
import { auditCall } from '#hub/base/auth/mutation-audit.ts';
import type { Principal } from '#hub/base/auth/principal.ts';
import type { StoredSession } from '#hub/base/auth/sessions.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { hashToken } from '#kernel/text/secret.ts';
import { requestOf } from '../../../support/auth-desk.ts';

test.each([
  [false, '/', false, ''],
  [true, '/', false, '__Host-'],
  [false, '/', true, '__Host-'],
  [true, '/monitor', false, ''],
  [false, '/monitor', true, ''],
])('cookies when always secure is %s, below %s, over TLS %s: prefix "%s"', (alwaysSecure, path, isSecure, prefix) => {
  const cookies = createCookies({ alwaysSecure, path });
  const named = {
    [`${prefix}monitor_session`]: 's',
    [`${prefix}monitor_csrf`]: 'c',
    [`${prefix}monitor_oidc_state`]: 'o',
  };
  const request = requestOf({ isSecure, cookies: named });
  const cookie = (name: string, value: string, maxAgeMs: number) => ({
    ...{ name: `${prefix}monitor_${name}`, value, maxAgeMs, path, secure: alwaysSecure || isSecure },
    httpOnly: name !== 'csrf',
  });
  expect([cookies.session(request), cookies.csrf(request), cookies.oidcState(request)]).toEqual(['s', 'c', 'o']);
  expect(cookies.keep(request, { token: 't', csrfToken: 'x' }, 7)).toEqual([
    cookie('session', 't', 7),
    cookie('csrf', 'x', 7),
  ]);
  expect(cookies.keep(request, { token: 't', csrfToken: undefined }, 7)).toEqual([cookie('session', 't', 7)]);
  expect(cookies.keepOidcState(request, 'o')).toEqual(cookie('oidc_state', 'o', 600_000));
  expect(cookies.clear(request)).toEqual([cookie('session', '', 0), cookie('csrf', '', 0)]);
  expect(cookies.clearOidcState(request)).toEqual(cookie('oidc_state', '', 0));
});

const own = 'the token of this session';
const sent = { 'x-csrf-token': own };
const page = 'https://hub.example';

test.each<[string, Record<string, unknown>, object, string | null]>([
  ['GET', {}, {}, null],
  ['HEAD', {}, {}, null],
  ['PUT', {}, {}, 'token_missing'],
  ['POST', sent, {}, null],
  ['POST', { ...sent, 'sec-fetch-site': 'same-site' }, {}, null],
  ['POST', { ...sent, 'sec-fetch-site': 'cross-site' }, {}, 'cross_site'],
  ['POST', { ...sent, origin: page }, {}, null],
  ['POST', { ...sent, origin: 'http://hub.lan:3000' }, {}, null],
  ['POST', { ...sent, origin: 'http://hub.lan:3001' }, {}, 'origin'],
  ['POST', { ...sent, origin: 'null' }, {}, 'origin'],
  ['POST', { ...sent, origin: 'file://' }, { host: '' }, 'origin'],
  ['POST', { 'x-csrf-token': '' }, { cookies: { monitor_csrf: '' } }, 'token_missing'],
  ['POST', { 'x-csrf-token': ['a'] }, {}, 'token_missing'],
  ['POST', sent, { cookies: {} }, 'token_missing'],
  ['POST', { 'x-csrf-token': 'x' }, {}, 'token_mismatch'],
  ['POST', sent, { cookies: { monitor_csrf: 'x' } }, 'token_mismatch'],
  ['POST', { 'x-csrf-token': 'x' }, { cookies: { monitor_csrf: 'x' } }, 'token_mismatch'],
])('a cookie sent with %s and %j %j: %s', (method, headers, more, expected) => {
  const rules = { cookies: createCookies({ alwaysSecure: false, path: '/' }), publicOrigin: () => page };
  const session = { csrfHash: hashToken(own) } as StoredSession;
  const request = requestOf({
    method,
    headers: headers as RequestFacts['headers'],
    host: 'hub.lan:3000',
    cookies: { monitor_csrf: own },
    ...more,
  });
  expect(forgeryIn(rules, request, session)).toBe(expected);
});

test.each([
  [{}, false],
  [{ 'sec-fetch-site': 'same-origin' }, false],
  [{ 'sec-fetch-site': 'same-site' }, true],
  [{ 'sec-fetch-site': 'cross-site' }, true],
  [{ origin: 'http://hub.example' }, false],
  [{ origin: 'http://evil.example' }, true],
])('a request with %j is of a foreign page: %s', (headers, expected) => {
  expect(isForeignPage(requestOf({ headers }), null)).toBe(expected);
});

const held = { permissions: new Set<never>() };
const identity = { ...held, who: 'identity', identity: { id: 'i' }, credential: 'identity:i' } as unknown as Principal;
const admin: Principal = { ...held, who: 'admin', credential: 'admin-token' };

test.each<[string, string | undefined, Principal, number, string | null]>([
  ['GET', undefined, identity, 200, 'read api_read success'],
  ['GET', undefined, identity, 400, 'read api_read failure'],
  ['GET', undefined, admin, 200, null],
  ['POST', undefined, identity, 399, 'noted api_mutation success'],
  ['DELETE', 'router_changed', admin, 400, 'noted router_changed failure'],
  ['POST', 'handler', admin, 200, null],
  ['POST', undefined, { who: 'nobody' }, 200, null],
])('%s (audit %s) by %o with %i leaves %s', (method, by, principal, status, expected) => {
  const left: string[] = [];
  const keep = (how: string) => (entry: AuditEntry) => {
    left.push(`${how} ${entry.type} ${entry.outcome}`);
    expect(entry).toMatchObject({ request: { id: 'one' }, by: { method: expect.any(String) }, metadata: { status } });
  };
  const trail = { note: keep('noted'), noteRead: keep('read') } as Partial<AuditTrail> as AuditTrail;
  const route = { method, audit: by } as RouteDefinition<unknown>;
  auditCall(trail, { request: requestOf(), route, principal, status });
  expect(left).toEqual(expected === null ? [] : [expected]);
});

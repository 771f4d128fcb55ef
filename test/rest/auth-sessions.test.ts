// Sessions: their lifetime, their end, and that only the page of the hub can change something with their cookie.
import { describe, expect, test } from 'vitest';
import { authRoutes } from '#contract/auth.ts';
import { createAuthorize } from '#hub/base/auth/principal.ts';
import { AppError } from '#kernel/errors.ts';
import { mount, startServer } from '#kernel/http/serve.ts';
import { createLog } from '#kernel/process/log.ts';
import { type Browser, raw } from '../support/actors.ts';
import { startLab } from '../support/lab.ts';
import { browserAs } from '../support/role-session.ts';
import { verifies } from '../support/verifies.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

async function isIn(browser: Browser): Promise<boolean> {
  return (await browser.get('/api/routers')).status === 200;
}

interface Listed {
  id: number;
  current: boolean;
  expiresAt: number;
  lastSeenAt: number;
}

async function listed(browser: Browser): Promise<Listed[]> {
  return ((await browser.get('/api/auth/sessions')).body as { sessions: Listed[] }).sessions;
}

verifies(
  'rest.sessions.logout rest.sessions.logout-revokes rest.login.revocable',
  'logout ends the session and takes the cookies back; a token caller may call it too',
  async () => {
    await using lab = await startLab();
    const [browser, other] = [await lab.as.browser(), await lab.as.browser()];
    const token = browser.cookies.get('monitor_session') ?? '';
    const answer = await browser.post('/api/auth/logout');
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(answer.headers['set-cookie']).toEqual([
      'monitor_session=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
      'monitor_csrf=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; SameSite=Lax',
    ]);
    expect(browser.cookies.size).toBe(0);
    const again = { method: 'GET', path: '/api/routers' } as const;
    expect((await raw(lab.url, { ...again, headers: { cookie: `monitor_session=${token}` } })).status).toBe(401);
    expect((await raw(lab.url, { ...again, headers: { 'x-admin-token': token } })).status).toBe(401);
    expect(await isIn(other)).toBe(true);
    expect(await lab.as.admin.auth.logout({ body: {} })).toEqual({ success: true });
    expect(await isIn(other)).toBe(true);
  },
);

verifies(
  'rest.sessions.list rest.sessions.revoke rest.sessions.revoke-revokes',
  'sessions are listed without secrets, latest activity first, and end one by one',
  async () => {
    await using lab = await startLab();
    const first = await lab.as.browser();
    await lab.advance(minuteMs);
    const second = await lab.as.browser();
    const answer = await first.get('/api/auth/sessions');
    const [late, early] = (answer.body as { sessions: [Listed, Listed] }).sessions;
    expect(early).toEqual({
      id: expect.any(Number),
      deviceLabel: null,
      createdAt: lab.clock.now() - minuteMs,
      lastSeenAt: lab.clock.now() - minuteMs,
      expiresAt: lab.clock.now() - minuteMs + 30 * dayMs,
      authMethod: 'local',
      role: 'admin',
      userAgent: null,
      address: '127.0.0.1',
      current: true,
    });
    expect(late).toMatchObject({ current: false, lastSeenAt: lab.clock.now() });
    expect((await first.post(`/api/auth/sessions/${late.id}/revoke`)).status).toBe(200);
    expect([await isIn(first), await isIn(second)]).toEqual([true, false]);
    expect((await first.post(`/api/auth/sessions/${late.id}/revoke`)).status).toBe(404);
    for (const id of ['0', '-1', 'x', '1.5', '9'.repeat(30)]) {
      expect([id, (await first.post(`/api/auth/sessions/${id}/revoke`)).status]).toEqual([id, 400]);
    }
  },
);

verifies(
  'rest.sessions.revoke-all rest.sessions.revoke-all-revokes',
  "revoke-all ends every session but the caller's, and that too when asked",
  async () => {
    await using lab = await startLab();
    const [mine, second, third] = [await lab.as.browser(), await lab.as.browser(), await lab.as.browser()];
    expect((await mine.post('/api/auth/sessions/revoke-all')).body).toEqual({ success: true, revoked: 2 });
    expect([await isIn(mine), await isIn(second), await isIn(third)]).toEqual([true, false, false]);
    const all = await mine.post('/api/auth/sessions/revoke-all', { includeSelf: true });
    expect(all.body).toEqual({ success: true, revoked: 1 });
    expect(await isIn(mine)).toBe(false);
    const fourth = await lab.as.browser();
    expect(await lab.as.admin.auth.revokeAllSessions({ body: {} })).toEqual({ success: true, revoked: 1 });
    expect(await isIn(fourth)).toBe(false);
  },
);

describe('lifetime', () => {
  test('slides with use, at most every five minutes, and renews both cookies', async () => {
    await using lab = await startLab();
    const browser = await lab.as.browser();
    const made = lab.clock.now();
    const cookies = async () => (await browser.get('/api/routers')).headers['set-cookie'];
    await lab.advance(5 * minuteMs - 1);
    expect(await cookies()).toBeUndefined();
    await lab.advance(1);
    expect(await cookies()).toEqual([
      expect.stringMatching(/^monitor_session=[0-9a-f]{64}; Max-Age=2592000;/),
      expect.stringMatching(/^monitor_csrf=[0-9a-f]{64}; Max-Age=2592000;/),
    ]);
    await lab.settled();
    expect(await cookies()).toBeUndefined();
    const renewed = made + 5 * minuteMs;
    expect(await listed(browser)).toMatchObject([{ lastSeenAt: renewed, expiresAt: renewed + 30 * dayMs }]);
  });

  test('ends after 30 days without use', async () => {
    await using lab = await startLab();
    const browser = await lab.as.browser();
    await lab.skip(30 * dayMs - 1);
    expect((await listed(await lab.as.browser())).length).toBe(2);
    await lab.advance(1);
    expect(await isIn(browser)).toBe(false);
    expect((await listed(await lab.as.browser())).length).toBe(2);
  });

  test('ends after 90 days however much it is used', async () => {
    await using lab = await startLab();
    const browser = await lab.as.browser();
    const made = lab.clock.now();
    for (const day of [20, 40, 60, 80]) {
      await lab.skip(made + day * dayMs - lab.clock.now());
      expect([day, await isIn(browser)]).toEqual([day, true]);
      await lab.settled();
    }
    expect(await listed(browser)).toMatchObject([{ expiresAt: made + 90 * dayMs }]);
    await lab.skip(10 * dayMs - 1);
    expect(await isIn(browser)).toBe(true);
    await lab.advance(1);
    expect(await isIn(browser)).toBe(false);
  });

  test('outlives a restart, and follows MONITOR_SESSION_TTL_DAYS', async () => {
    await using lab = await startLab({ hub: { sessionTtlDays: 1 } });
    const browser = await lab.as.browser();
    const token = browser.cookies.get('monitor_session') ?? '';
    await lab.restart();
    const ask = () => raw(lab.url, { method: 'GET', path: '/api/routers', headers: { 'x-admin-token': token } });
    expect((await ask()).status).toBe(200);
    await lab.skip(dayMs);
    expect((await ask()).status).toBe(401);
  });
});

describe('a change that comes with the cookie', () => {
  const body = '{"includeSelf":false}';
  const change = (browser: Browser, headers: Record<string, string>) =>
    browser.withoutCsrf({
      method: 'POST',
      path: '/api/auth/sessions/revoke-all',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });

  verifies('rest.access.csrf', 'needs the token of this very session, in the header and in the cookie', async () => {
    await using lab = await startLab();
    const [browser, stranger] = [await lab.as.browser(), await browserAs(lab, 'admin')];
    const session = `monitor_session=${browser.cookies.get('monitor_session')}`;
    const [mine = '', foreign = ''] = [browser.cookies.get('monitor_csrf'), stranger.cookies.get('monitor_csrf')];
    const cases: readonly [string, Record<string, string>, number][] = [
      ['no header', {}, 403],
      ['empty header', { 'x-csrf-token': '' }, 403],
      ['wrong header', { 'x-csrf-token': 'f'.repeat(64) }, 403],
      ['no cookie', { 'x-csrf-token': mine, cookie: session }, 403],
      ['of another session', { 'x-csrf-token': foreign, cookie: `${session}; monitor_csrf=${foreign}` }, 403],
      ['made up', { 'x-csrf-token': 'a', cookie: `${session}; monitor_csrf=a` }, 403],
      ['too long', { 'x-csrf-token': mine + 'a'.repeat(500) }, 403],
      ['right', { 'x-csrf-token': mine }, 200],
    ];
    for (const [what, headers, expected] of cases) {
      const answer = await change(browser, headers);
      expect([what, answer.status]).toEqual([what, expected]);
      expect(expected === 200 || (answer.body as { code: string }).code === 'csrf_rejected').toBe(true);
    }
    const { events } = await lab.as.admin.auth.auditEvents({ query: {} });
    const reasons = events.filter(({ eventType }) => eventType === 'csrf_rejected').map((one) => one.metadata?.reason);
    expect(new Set(reasons)).toEqual(new Set(['token_missing', 'token_mismatch']));
  });

  test('is refused when a browser says that another site sent it', async () => {
    await using lab = await startLab({ hub: { publicUrl: new URL('http://home.example') } });
    const browser = await lab.as.browser();
    const token = { 'x-csrf-token': browser.cookies.get('monitor_csrf') ?? '' };
    const cases: readonly [Record<string, string>, number][] = [
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ origin: `http://${lab.url.hostname}:1` }, 403],
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ origin: lab.url.origin, 'sec-fetch-site': 'same-origin' }, 200],
      [{ origin: 'http://home.example' }, 200],
    ];
    for (const [headers, expected] of cases) {
      expect([headers, (await change(browser, { ...token, ...headers })).status]).toEqual([headers, expected]);
    }
  });

  test('is refused without the permission before the token is asked for', async () => {
    await using lab = await startLab();
    const viewer = await browserAs(lab, 'viewer');
    const answer = await change(viewer, {});
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });
});

verifies('rest.errors.503-auth', 'before the hub knows its credentials everything protected is 503', async () => {
  const unreachable = () => {
    throw new AppError('internal', 'a handler was reached');
  };
  const handlers = Object.fromEntries(Object.keys(authRoutes).map((name) => [name, unreachable]));
  await using served = await startServer({
    mounted: [mount(authRoutes, handlers as never)],
    authorize: createAuthorize(() => undefined),
    log: createLog('test', 'silent'),
    host: '127.0.0.1',
    port: 0,
  });
  const headers = { 'x-admin-token': 'f'.repeat(48) };
  for (const route of Object.values(authRoutes).filter(({ access }) => access.who !== 'open')) {
    const answer = await raw(served.url, { method: route.method, path: route.path.replace(':id', '1'), headers });
    expect([route.path, answer.status, answer.body]).toMatchObject([route.path, 503, { code: 'auth_not_initialised' }]);
  }
});

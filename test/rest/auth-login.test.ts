// Login with the password: what it gives, how it fails, and when a client is locked out.
import { describe, expect, test } from 'vitest';
import type { ClientError } from '#kernel/http/client.ts';
import { createBrowser, type RawAnswer, raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const minuteMs = 60_000;
const json = { 'content-type': 'application/json' };
const proxied = { hub: { trustProxy: ['127.0.0.1'] } };

function login(lab: Lab<never>, password: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return raw(lab.url, {
    method: 'POST',
    path: '/api/auth/login',
    headers: { ...json, ...headers },
    body: JSON.stringify({ password }),
  });
}

/** As a client at `address`, behind a trusted proxy. */
const from = (address: string) => ({ 'x-forwarded-for': address });

async function fail(lab: Lab<never>, times: number, address: string): Promise<void> {
  const answers = await Promise.all(Array.from({ length: times }, () => login(lab, 'wrong', from(address))));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
}

verifies(
  'rest.login.success rest.login.token rest.login.expires-at',
  'the answer has a token for scripts, when it ends, and two cookies for browsers',
  async () => {
    await using lab = await startLab();
    const answer = await login(lab, lab.password);
    const { token, expiresAt } = answer.body as { token: string; expiresAt: number };
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(expiresAt).toBe(lab.clock.now() + 30 * 24 * 60 * minuteMs);
    const [session, csrf] = answer.headers['set-cookie'] as string[];
    expect(session).toBe(`monitor_session=${token}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`);
    expect(csrf).toMatch(/^monitor_csrf=[0-9a-f]{64}; Max-Age=2592000; Path=\/; SameSite=Lax$/);
    const routers = await raw(lab.url, { method: 'GET', path: '/api/routers', headers: { 'x-admin-token': token } });
    expect(routers.status).toBe(200);
  },
);

verifies(
  'rest.login.correct-password rest.login.public',
  'nobody needs more than the right password to have an active session',
  async () => {
    await using lab = await startLab();
    expect((await login(lab, `${lab.password}x`)).status).toBe(401);
    expect((await lab.as.admin.auth.sessions({})).sessions).toEqual([]);
    const { token } = (await login(lab, lab.password)).body as { token: string };
    const asScript = { 'x-admin-token': token };
    const sessions = await raw(lab.url, { method: 'GET', path: '/api/auth/sessions', headers: asScript });
    expect(sessions.body).toMatchObject({ sessions: [{ authMethod: 'local', role: 'admin', current: true }] });
    const change = { method: 'POST', path: '/api/auth/sessions/revoke-all', body: '{}' } as const;
    expect((await raw(lab.url, { ...change, headers: { ...asScript, ...json } })).status).toBe(200);
  },
);

test('each login has a token of its own, also with the cookie of another session', async () => {
  await using lab = await startLab();
  const browser = await lab.as.browser();
  const seen = new Set([browser.cookies.get('monitor_session'), browser.cookies.get('monitor_csrf')]);
  await browser.login(lab.password);
  const { token } = (await login(lab, lab.password)).body as { token: string };
  for (const one of [browser.cookies.get('monitor_session'), browser.cookies.get('monitor_csrf'), token]) {
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    seen.add(one);
  }
  expect(seen.size).toBe(5);
});

test('a password whose length cannot be compared is a body that is refused', async () => {
  await using lab = await startLab();
  const body = '{"password":{"length":{"toString":1}}}';
  const answer = await raw(lab.url, { method: 'POST', path: '/api/auth/login', headers: json, body });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
});

test('a login ends the session whose cookie it replaces, and no other; a refused one ends none', async () => {
  await using lab = await startLab();
  const other = await lab.as.browser();
  const browser = await lab.as.browser();
  const before = String(browser.cookies.get('monitor_session'));
  const reads = async (token: string) =>
    (await raw(lab.url, { method: 'GET', path: '/api/routers', headers: { 'x-admin-token': token } })).status;
  expect((await browser.login(`${lab.password}x`)).status).toBe(401);
  expect(await reads(before)).toBe(200);
  const { sessions } = await lab.as.admin.auth.sessions({});
  expect((await browser.login(lab.password)).status).toBe(200);
  expect(await reads(before)).toBe(401);
  expect(await reads(String(browser.cookies.get('monitor_session')))).toBe(200);
  expect(await reads(String(other.cookies.get('monitor_session')))).toBe(200);
  const { events } = await lab.as.admin.auth.auditEvents({ query: { limit: '1' } });
  const ids = sessions.map(({ id }) => id);
  expect(ids).toContain(events[0]?.metadata?.replaced);
  expect((await lab.as.admin.auth.sessions({})).sessions).toHaveLength(2);
});

verifies('rest.login.password-256', 'a password has 1 to 256 characters, a label at most 200', async () => {
  await using lab = await startLab();
  const send = (body: unknown) =>
    raw(lab.url, { method: 'POST', path: '/api/auth/login', headers: json, body: JSON.stringify(body) });
  for (const body of [
    {},
    { password: '' },
    { password: 'x'.repeat(257) },
    { password: 1 },
    { password: lab.password, deviceLabel: 'x'.repeat(201) },
    { password: lab.password, extra: 1 },
  ]) {
    expect([body, (await send(body)).status]).toEqual([body, 400]);
  }
  expect((await send({ password: 'x'.repeat(256) })).status).toBe(401);
  expect((await send({ password: lab.password, deviceLabel: 'x'.repeat(200) })).status).toBe(200);
  const { sessions } = await lab.as.admin.auth.sessions({});
  expect(sessions.map(({ deviceLabel }) => deviceLabel)).toEqual(['x'.repeat(100)]);
});

test('a wrong password costs half a second, and the answer says no more than that it is wrong', async () => {
  await using lab = await startLab();
  const started = performance.now();
  const answer = await login(lab, 'wrong');
  expect(performance.now() - started).toBeGreaterThanOrEqual(490);
  expect(answer).toMatchObject({ status: 401, body: { code: 'login_failed', error: 'the password is wrong' } });
  expect(answer.headers['set-cookie']).toBeUndefined();
});

describe('lock-out', () => {
  verifies(
    'rest.login.lockout',
    'five wrong passwords in ten minutes lock that client for five minutes and no other',
    async () => {
      await using lab = await startLab(proxied);
      const [locked, other] = ['203.0.113.1', '203.0.113.2'];
      await fail(lab, 4, locked);
      await lab.advance(9 * minuteMs);
      await fail(lab, 1, locked);
      const sixth = await login(lab, lab.password, from(locked));
      expect(sixth).toMatchObject({ status: 429, body: { code: 'login_locked' } });
      expect(sixth.headers['retry-after']).toBe('300');
      expect((await login(lab, lab.password, from(other))).status).toBe(200);
      await lab.advance(5 * minuteMs - 1000);
      const almost = await login(lab, lab.password, from(locked));
      expect([almost.status, almost.headers['retry-after']]).toEqual([429, '1']);
      await lab.advance(1000);
      expect((await login(lab, lab.password, from(locked))).status).toBe(200);
    },
  );

  verifies('rest.login.lockout', 'of 50 wrong passwords at once five are judged', async () => {
    await using lab = await startLab();
    const answers = await Promise.all(Array.from({ length: 50 }, () => login(lab, 'wrong')));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(401), count(429)]).toEqual([5, 45]);
    const { events } = await lab.as.admin.auth.auditEvents({ query: { limit: '100' } });
    const reasons = events.filter(({ eventType }) => eventType === 'login').map(({ metadata }) => metadata?.reason);
    expect(reasons.filter((reason) => reason === 'wrong_secret')).toHaveLength(5);
    expect(reasons.filter((reason) => reason === 'rate_limited')).toHaveLength(10);
  });

  test('admin token, password change and token renewal count together with the login', async () => {
    await using lab = await startLab();
    const browser = await lab.as.browser();
    expect((await browser.post('/api/admin/verify', { token: 'wrong' })).status).toBe(401);
    expect((await browser.post('/api/admin/regenerate-token', { currentPassword: 'wrong' })).status).toBe(401);
    const change = { currentPassword: 'wrong', newPassword: 'a longer word than that' };
    expect((await browser.post('/api/auth/change-password', change)).status).toBe(401);
    expect((await login(lab, 'wrong')).status).toBe(401);
    expect((await browser.post('/api/admin/verify', { token: '' })).status).toBe(401);
    const right = { currentPassword: lab.password, newPassword: 'a longer word than that' };
    for (const answer of [
      await browser.post('/api/admin/verify', { token: lab.adminToken }),
      await browser.post('/api/admin/regenerate-token', { currentPassword: lab.password }),
      await browser.post('/api/auth/change-password', right),
      await login(lab, lab.password),
    ]) {
      expect([answer.status, answer.headers['retry-after']]).toEqual([429, '300']);
    }
    expect((await browser.get('/api/auth/sessions')).status).toBe(200);
  });

  test('a client cannot choose its address, unless a trusted proxy gives it', async () => {
    await using lab = await startLab();
    for (let count = 0; count < 5; count += 1) {
      expect((await login(lab, 'wrong', from(`198.51.100.${count}`))).status).toBe(401);
    }
    expect((await login(lab, lab.password, from('198.51.100.9'))).status).toBe(429);
  });

  test('an IPv6 client is its /64 network', async () => {
    await using lab = await startLab(proxied);
    for (let count = 1; count <= 5; count += 1) {
      expect((await login(lab, 'wrong', from(`2001:db8:1:2::${count}`))).status).toBe(401);
    }
    expect((await login(lab, lab.password, from('2001:db8:1:2:ffff::1'))).status).toBe(429);
    expect((await login(lab, lab.password, from('2001:db8:1:3::1'))).status).toBe(200);
  });
});

verifies(
  'rest.auth.admin-verify rest.auth.admin-verify-public',
  'the admin token can be verified, and nothing else as one',
  async () => {
    await using lab = await startLab();
    const { auth } = lab.as.nobody;
    expect(await auth.verifyAdminToken({ body: { token: lab.adminToken } })).toEqual({ ok: true });
    const { token } = await lab.as.identity(['auth.admin']);
    const wrong = await auth.verifyAdminToken({ body: { token } }).catch((error: ClientError) => error);
    expect(wrong).toMatchObject({ status: 401, body: { ok: false, error: expect.any(String) } });
    const none = await raw(lab.url, { method: 'POST', path: '/api/admin/verify', headers: json, body: '{}' });
    expect(none).toMatchObject({ status: 400, body: { ok: false, code: 'invalid_body' } });
  },
);

verifies('rest.auth.status rest.auth.methods', 'status and methods answer everybody', async () => {
  await using lab = await startLab();
  const status = async (headers: Record<string, string>) =>
    (await raw(lab.url, { method: 'GET', path: '/api/auth/status', headers })).body;
  const nobody = { authenticated: false, authMethod: null, oidcEnabled: false, localLoginEnabled: true, role: null };
  const unknown = { name: null, expiresAt: null };
  expect(await status({})).toEqual({ ...nobody, ...unknown, permissions: [] });
  expect(await status({ 'x-admin-token': 'wrong' })).toMatchObject(nobody);
  expect(await status({ 'x-admin-token': lab.adminToken })).toMatchObject({ authMethod: 'api-token', role: 'admin' });
  const { token } = await lab.as.identity(['notes.write', 'network.read']);
  expect(await status({ 'x-admin-token': token })).toMatchObject({
    authenticated: true,
    authMethod: 'api-identity',
    name: 'notes.write network.read',
    role: null,
    expiresAt: lab.clock.now() + 3_600_000,
    permissions: ['network.read', 'notes.write'],
  });
  const browser = await lab.as.browser();
  expect((await browser.get('/api/auth/status')).body).toMatchObject({
    ...{ authMethod: 'local', role: 'admin', name: null },
    expiresAt: lab.clock.now() + 30 * 86_400_000,
  });
  expect(await lab.as.nobody.auth.methods({})).toEqual({ local: { enabled: true }, oidc: { enabled: false } });
});

verifies(
  'rest.auth.https-across-boundaries',
  'cookies are Secure and bound to the host behind TLS, or when the operator says so',
  async () => {
    const cookiesOf = async (lab: Lab<never>, headers: Record<string, string>) => {
      const browser = createBrowser(lab.url, headers);
      const lines = (await browser.login(lab.password)).headers['set-cookie'] as string[];
      expect((await browser.get('/api/auth/sessions')).status).toBe(200);
      expect((await browser.post('/api/auth/sessions/revoke-all')).status).toBe(200);
      return lines.map((line) => line.replace(/=[0-9a-f]{64}/, ''));
    };
    const secure = [
      '__Host-monitor_session; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Lax',
      '__Host-monitor_csrf; Max-Age=2592000; Path=/; Secure; SameSite=Lax',
    ];
    const https = { 'x-forwarded-proto': 'https' };
    await using behind = await startLab(proxied);
    expect(await cookiesOf(behind, https)).toEqual(secure);
    await using forced = await startLab({ hub: { alwaysSecureCookies: true } });
    expect(await cookiesOf(forced, {})).toEqual(secure);
    await using alone = await startLab();
    expect((await cookiesOf(alone, https)).join()).not.toMatch(/Secure|__Host/);
    await using below = await startLab({ hub: { publicUrl: new URL('https://home.example/monitor/') } });
    expect(await cookiesOf(below, {})).toEqual([
      'monitor_session; Max-Age=2592000; Path=/monitor; HttpOnly; Secure; SameSite=Lax',
      'monitor_csrf; Max-Age=2592000; Path=/monitor; Secure; SameSite=Lax',
    ]);
  },
);

verifies('rest.auth.https-across-boundaries', 'HSTS only over TLS or what a trusted proxy calls so', async () => {
  const hsts = async (lab: Lab<never>) =>
    (await raw(lab.url, { method: 'GET', path: '/api/auth/methods', headers: { 'x-forwarded-proto': 'https' } }))
      .headers['strict-transport-security'];
  await using behind = await startLab(proxied);
  expect(await hsts(behind)).toBe('max-age=31536000; includeSubDomains');
  await using alone = await startLab();
  expect(await hsts(alone)).toBeUndefined();
});

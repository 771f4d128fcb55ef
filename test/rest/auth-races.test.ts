// What is allowed when a request begins and no longer when its work is done: passwords, credentials, OIDC settings.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createIdentities } from '#hub/base/auth/credentials/identities.ts';
import { createPasswords } from '#hub/base/auth/credentials/password.ts';
import { createSessions } from '#hub/base/auth/sessions.ts';
import { createSignals } from '#hub/base/signals.ts';
import { AppError } from '#kernel/errors.ts';
import { createLog } from '#kernel/process/log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { createBrowser, type RawAnswer, raw } from '../support/actors.ts';
import { holdScrypt } from '../support/held-scrypt.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { browserAs } from '../support/role-session.ts';
import { type StubIssuer, startStubIssuer } from '../support/stub-issuer.ts';
import { verifies } from '../support/verifies.ts';

const nextPassword = 'green lamps over harbour';
const thirdPassword = 'seven boats and a lantern';
const json = { 'content-type': 'application/json' };

const startProxied = () => startLab({ hub: { trustProxy: ['127.0.0.1'] } });

/** A lab whose password was stored with other parameters than new ones have. */
async function startWithOldRecord(): Promise<Lab<never>> {
  const lab = await startProxied();
  const file = path.join(lab.dataDir, 'monitor.json');
  const stored = JSON.parse(readFileSync(file, 'utf8')) as object;
  const passwordRecord = await createPasswords({ log2N: 9, r: 8, p: 1 }).hash(lab.password);
  writeFileSync(file, JSON.stringify({ ...stored, passwordRecord }));
  await lab.restart();
  return lab;
}

/** A call from `address`, with the admin token unless it is the login. */
function post(lab: Lab<never>, address: string, at: string, body: object): Promise<RawAnswer> {
  const headers = { ...json, 'x-forwarded-for': address };
  const call = { method: 'POST', path: at, headers, body: JSON.stringify(body) } as const;
  return at === '/api/auth/login' ? raw(lab.url, call) : lab.as.raw(call);
}

async function canLogIn(lab: Lab<never>, password: string): Promise<boolean> {
  return (await post(lab, '203.0.113.99', '/api/auth/login', { password })).status === 200;
}

/** Changes the password while `call` has its own check of the old one under way. Resolves to the answer to `call`. */
async function overtaken(lab: Lab<never>, call: () => Promise<RawAnswer>): Promise<RawAnswer> {
  using scrypt = holdScrypt(2);
  const body = { currentPassword: lab.password, newPassword: nextPassword, revokeOtherSessions: true };
  const change = post(lab, '203.0.113.1', '/api/auth/change-password', body);
  await scrypt.begun(1);
  const stale = call();
  await scrypt.begun(2);
  scrypt.release(1);
  expect((await change).status).toBe(200);
  scrypt.release(2);
  return stale;
}

const meanwhile = { status: 401, body: { code: 'login_failed', error: expect.stringContaining('in the meantime') } };

async function lastReason(lab: Lab<never>, type: string): Promise<unknown> {
  const { events } = await lab.as.admin.auth.auditEvents({ query: {} });
  return events.find(({ eventType, outcome }) => eventType === type && outcome === 'failure')?.metadata?.reason;
}

describe('a password that changes while the old one is being checked', () => {
  verifies('rest.auth.change-password', 'opens no session to whoever logs in with the old one', async () => {
    await using lab = await startProxied();
    const password = lab.password;
    const answer = await overtaken(lab, () => post(lab, '203.0.113.3', '/api/auth/login', { password }));
    expect(answer).toMatchObject(meanwhile);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect((await lab.as.admin.auth.sessions({})).sessions).toEqual([]);
    expect(await lastReason(lab, 'login')).toBe('changed_meanwhile');
    expect([await canLogIn(lab, password), await canLogIn(lab, nextPassword)]).toEqual([false, true]);
  });

  test('gives no admin token for the old one', async () => {
    await using lab = await startProxied();
    const body = { currentPassword: lab.password };
    const answer = await overtaken(lab, () => post(lab, '203.0.113.3', '/api/admin/regenerate-token', body));
    expect(answer).toMatchObject(meanwhile);
    expect((await lab.as.admin.routers.list({})).routers).toEqual([]);
  });

  verifies('rest.auth.change-password', 'is not changed again by whoever knew the old one', async () => {
    await using lab = await startProxied();
    const body = { currentPassword: lab.password, newPassword: thirdPassword };
    const answer = await overtaken(lab, () => post(lab, '203.0.113.3', '/api/auth/change-password', body));
    expect(answer).toMatchObject(meanwhile);
    expect([await canLogIn(lab, thirdPassword), await canLogIn(lab, nextPassword)]).toEqual([false, true]);
  });
});

test('a record that is brought to new parameters by one login ends no other one', async () => {
  await using lab = await startWithOldRecord();
  using scrypt = holdScrypt(2);
  const body = { password: lab.password };
  const first = post(lab, '203.0.113.1', '/api/auth/login', body);
  await scrypt.begun(1);
  const second = post(lab, '203.0.113.2', '/api/auth/login', body);
  await scrypt.begun(2);
  scrypt.release(1);
  expect((await first).status).toBe(200);
  scrypt.release(2);
  expect((await second).status).toBe(200);
});

describe('a credential that ends while its request is still being sent', () => {
  /** Sends the head of a change, waits until the hub has let it in, and gives back what sends its body. */
  async function openCall(lab: Lab<never>, token: string, body: string): Promise<() => Promise<string>> {
    const socket = connect(Number(lab.url.port), lab.url.hostname);
    socket.setEncoding('utf8');
    let text = '';
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    const ended = new Promise<void>((resolve, reject) => socket.on('end', resolve).on('error', reject));
    const invited = new Promise<void>((resolve) => socket.once('data', () => resolve()));
    socket.write(
      `POST /api/auth/api-identities HTTP/1.1\r\nHost: hub\r\nX-Admin-Token: ${token}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await invited;
    expect(text).toContain('100 Continue');
    return async () => {
      socket.write(body);
      await ended;
      return text.slice(text.indexOf('\r\n\r\n') + 4);
    };
  }

  const wanted = JSON.stringify({ label: 'spare key', permissions: ['auth.admin'], expiresInMs: 60_000 });

  test('makes no identity, whether a session, an identity or the admin token', async () => {
    await using lab = await startLab();
    const browser = await lab.as.browser();
    const { token, id } = await lab.as.identity(['auth.admin']);
    const held = [
      await openCall(lab, browser.cookies.get('monitor_session') ?? '', wanted),
      await openCall(lab, token, wanted),
      await openCall(lab, lab.adminToken, wanted),
    ];
    await lab.as.admin.auth.revokeIdentity({ params: { id }, body: {} });
    const renewed = await browser.post('/api/admin/regenerate-token', { currentPassword: lab.password });
    const headers = { 'x-admin-token': (renewed.body as { token: string }).token };
    expect((await browser.post('/api/auth/sessions/revoke-all', { includeSelf: true })).status).toBe(200);
    for (const answer of await Promise.all(held.map((sendBody) => sendBody()))) {
      expect([answer.slice(0, 12), answer.includes('"code":"unauthorized"')]).toEqual(['HTTP/1.1 401', true]);
    }
    const { body } = await lab.as.raw({ method: 'GET', path: '/api/auth/api-identities', headers });
    expect((body as { identities: unknown[] }).identities).toHaveLength(1);
  });

  test('is let through as long as it holds', async () => {
    await using lab = await startLab();
    const send = await openCall(lab, lab.adminToken, wanted);
    expect((await send()).slice(0, 12)).toBe('HTTP/1.1 201');
  });
});

describe('OIDC settings that change while the issuer exchanges the code', () => {
  const clientId = 'hub';
  const settings = (stub: StubIssuer) => ({
    enabled: true,
    issuer: stub.issuer,
    clientId,
    clientSecret: 'a client secret of some length',
    allowedEmails: ['olive@example.com'],
    allowedDomains: ['example.org'],
  });
  type Settings = ReturnType<typeof settings>;

  test.each<[string, Partial<Settings>, string]>([
    ['switched off', { enabled: false }, 'oidc_flow_expired'],
    ['another issuer', { issuer: 'https://issuer.example' }, 'oidc_flow_expired'],
    ['another client', { clientId: 'other' }, 'oidc_flow_expired'],
    ['the address struck off', { allowedEmails: [] }, 'oidc_email_not_allowed'],
  ])('%s: no session', async (_name, change, code) => {
    await using lab = await startLab();
    await using stub = await startStubIssuer({ now: lab.clock.now, clientId });
    await lab.as.admin.auth.saveSecurityConfig({ body: settings(stub) });
    const browser = createBrowser(lab.url, { accept: 'text/html' });
    const started = await browser.get('/api/auth/oidc/start');
    const back = stub.approve(String(started.headers.location));
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const sign = stub.sign;
    stub.sign = async (claims) => {
      asked.resolve();
      await released.promise;
      return sign(claims);
    };
    const answer = browser.get(back.pathname + back.search);
    await asked.promise;
    await lab.as.admin.auth.saveSecurityConfig({ body: { ...settings(stub), ...change } });
    released.resolve();
    expect(await answer).toMatchObject({ status: 401, text: expect.stringContaining(`(${code},`) });
    expect((await lab.as.admin.auth.sessions({})).sessions).toEqual([]);
  });
});

test('what allows an identity or a session is looked at in the write itself', async () => {
  await using lab = await startLab();
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const signals = createSignals(createLog('hub', 'silent'));
  const identities = createIdentities({ db, clock: lab.clock, signals });
  const sessions = createSessions({ db, clock: lab.clock, signals, ttlMs: 60_000 });
  const state = { held: true, ended: false };
  const held = db.write(function* hold() {
    while (state.held) {
      yield;
    }
  });
  const confirm = () => {
    if (state.ended) {
      throw new AppError('unauthorized', 'ended');
    }
  };
  const about = {
    authMethod: 'local',
    role: 'admin',
    subject: null,
    deviceLabel: null,
    userAgent: null,
    address: null,
  } as const;
  const begun = Promise.allSettled([
    identities.create({ label: 'x', permissions: ['auth.admin'], expiresInMs: 60_000 }, confirm),
    sessions.open(about, confirm),
  ]);
  Object.assign(state, { ended: true, held: false });
  await held;
  expect((await begun).map((one) => one.status === 'rejected' && one.reason.code)).toEqual(
    Array(2).fill('unauthorized'),
  );
  expect([identities.list(), sessions.list()]).toEqual([[], []]);
  await db.close();
});

test('a session that was ended is not brought back by its own use', async () => {
  await using lab = await startLab();
  const browser = await browserAs(lab, 'admin');
  await lab.skip(600_000);
  const uses = Array.from({ length: 5 }, () => browser.get('/api/routers'));
  await lab.as.admin.auth.revokeAllSessions({ body: {} });
  await Promise.all(uses);
  await lab.settled();
  expect((await browser.get('/api/routers')).status).toBe(401);
  expect((await lab.as.admin.auth.sessions({})).sessions).toEqual([]);
});

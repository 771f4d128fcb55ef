// The audit trail: which events there are, who they name and how, and that nobody can take one back.
import path from 'node:path';
import { expect, test } from 'vitest';
import { createAuditTrail } from '#hub/base/auth/audit.ts';
import { createLog } from '#kernel/process/log.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import type { RawAnswer } from '../support/actors.ts';
import { readAuditPage } from '../support/audit-page.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { browserAs } from '../support/role-session.ts';
import { verifies } from '../support/verifies.ts';

const dayMs = 86_400_000;

async function eventsOf(lab: Lab<never>) {
  return (await lab.as.admin.auth.auditEvents({ query: { limit: '500' } })).events;
}

verifies('rest.auth.audit-events', 'each event names what happened and the request it belongs to', async () => {
  await using lab = await startLab();
  const browser = await lab.as.browser();
  const seen: [string, string, RawAnswer][] = [];
  const did = async (type: string, outcome: string, answer: Promise<RawAnswer>) => {
    seen.push([type, outcome, await answer]);
    return (await answer).body;
  };
  const router = { kind: 'vendor_a', ip: '192.168.1.1', user: 'u', pass: 'p', enabled: false };
  const identity = { label: 'x', permissions: ['network.read'], expiresInMs: 60_000 };
  const password = 'the next one, please';

  await did('login', 'failure', browser.post('/api/auth/login', { password: 'wrong' }));
  const made = await did('api_identity_created', 'success', browser.post('/api/auth/api-identities', identity));
  const { id } = (made as { identity: { id: string } }).identity;
  await did('api_identity_revoked', 'success', browser.post(`/api/auth/api-identities/${id}/revoke`));
  await did('router_changed', 'success', browser.post('/api/routers', router));
  await did('router_changed', 'failure', browser.send({ method: 'DELETE', path: '/api/routers/none' }));
  await did('api_mutation', 'failure', browser.post('/api/auth/oidc/test'));
  const settings = { enabled: false, clientId: '' };
  await did('security_config_changed', 'success', browser.post('/api/auth/security-config', settings));
  const change = { currentPassword: lab.password, newPassword: password };
  await did('password_changed', 'success', browser.post('/api/auth/change-password', change));
  const wrong = { ...change, newPassword: 'and one after that' };
  await did('password_changed', 'failure', browser.post('/api/auth/change-password', wrong));
  await did('csrf_rejected', 'failure', browser.withoutCsrf({ method: 'POST', path: '/api/auth/logout' }));
  const viewer = await browserAs(lab, 'viewer');
  await did('permission_denied', 'failure', viewer.get('/api/auth/sessions'));
  await viewer.get('/api/routers');
  const sessions = (await browser.get('/api/auth/sessions')).body as { sessions: { id: number; role: string }[] };
  const viewers = sessions.sessions.find(({ role }) => role === 'viewer')?.id;
  await did('session_revoked', 'success', browser.post(`/api/auth/sessions/${viewers}/revoke`));
  await did('sessions_revoked_all', 'success', browser.post('/api/auth/sessions/revoke-all'));
  await did('logout', 'success', browser.post('/api/auth/logout'));
  await did('login', 'success', browser.login(password));

  const events = (await eventsOf(lab)).reverse().slice(1);
  expect(events.map(({ eventType, outcome, requestId }) => [eventType, outcome, requestId])).toEqual(
    seen.map(([type, outcome, { headers }]) => [type, outcome, headers['x-request-id']]),
  );
  const renewed = await browser.post('/api/admin/regenerate-token', { currentPassword: password });
  const token = (renewed.body as { token: string }).token;
  const answer = await lab.as.raw({
    method: 'GET',
    path: '/api/auth/audit-events?limit=1',
    headers: { 'x-admin-token': token },
  });
  expect(answer.body).toMatchObject({ events: [{ eventType: 'admin_token_regenerated', outcome: 'success' }] });
});

test('an event names people, credentials and clients by keyed pseudonyms only', async () => {
  await using lab = await startLab({ hub: { trustProxy: ['127.0.0.1'] } });
  const login = (address: string) =>
    lab.as.raw({
      method: 'POST',
      path: '/api/auth/login',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ password: lab.password }),
    });
  for (const address of ['203.0.113.1', '203.0.113.1', '203.0.113.2']) {
    await login(address);
  }
  const [third, second, first] = await eventsOf(lab);
  const pseudonym = expect.stringMatching(/^[0-9a-f]{12}$/);
  expect(first).toEqual({
    eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    createdAt: lab.clock.now(),
    eventType: 'login',
    outcome: 'success',
    authMethod: 'local',
    actorHash: pseudonym,
    principalHash: pseudonym,
    requestId: expect.any(String),
    clientIpHash: pseudonym,
    httpMethod: 'POST',
    path: '/api/auth/login',
    metadata: null,
  });
  expect(second?.clientIpHash).toBe(first?.clientIpHash);
  expect(third?.clientIpHash).not.toBe(first?.clientIpHash);
  expect([second?.actorHash, third?.actorHash]).toEqual([first?.actorHash, first?.actorHash]);
  expect(second?.principalHash).not.toBe(first?.principalHash);
  const viewer = await browserAs(lab, 'viewer');
  await viewer.get('/api/auth/sessions?password=in-the-query');
  const events = await eventsOf(lab);
  expect(events[0]).toMatchObject({ eventType: 'permission_denied', path: '/api/auth/sessions' });
  expect(JSON.stringify(events)).not.toMatch(/203\.0\.113|in-the-query/);

  await using another = await startLab();
  await another.as.browser();
  expect((await eventsOf(another))[0]?.actorHash).not.toBe(first?.actorHash);
});

test('pseudonyms outlive a new admin token and a restart', async () => {
  await using lab = await startLab();
  const browser = await lab.as.browser();
  const { body } = await browser.post('/api/admin/regenerate-token', { currentPassword: lab.password });
  await lab.restart();
  const headers = { 'x-admin-token': (body as { token: string }).token, 'content-type': 'application/json' };
  await lab.as.raw({
    method: 'POST',
    path: '/api/auth/login',
    headers,
    body: JSON.stringify({ password: lab.password }),
  });
  const answer = await lab.as.raw({ method: 'GET', path: '/api/auth/audit-events', headers });
  const { events } = answer.body as { events: { eventType: string; actorHash: string }[] };
  const actors = events.filter(({ eventType }) => eventType === 'login').map(({ actorHash }) => actorHash);
  expect(actors).toHaveLength(2);
  expect(new Set(actors).size).toBe(1);
});

test('pages lose nothing that happened in one millisecond; limit and before are checked', async () => {
  await using lab = await startLab();
  await Promise.all(Array.from({ length: 25 }, () => lab.as.identity(['network.read'])));
  const all = await eventsOf(lab);
  const found: string[] = [];
  let after: string | null | undefined;
  do {
    const page = await lab.as.admin.auth.auditEvents({ query: { limit: '7', ...(after ? { after } : {}) } });
    found.push(...page.events.map(({ eventId }) => eventId));
    after = page.next;
  } while (after);
  expect(found).toEqual(all.map(({ eventId }) => eventId));
  expect(found).toHaveLength(25);
  const at = lab.clock.now();
  const before = async (ms: number) =>
    (await lab.as.admin.auth.auditEvents({ query: { before: String(ms) } })).events.length;
  expect([await before(at), await before(at + 1)]).toEqual([0, 25]);
  for (const query of ['limit=0', 'limit=501', 'limit=x', 'before=0', 'before=-1', 'before=x', 'other=1']) {
    const { status } = await lab.as.raw({ method: 'GET', path: `/api/auth/audit-events?${query}` });
    expect([query, status]).toEqual([query, 400]);
  }
});

test('a search finds events by type, outcome and text, over all pages', async () => {
  await using lab = await startLab();
  const browser = await lab.as.browser();
  await browser.post('/api/auth/login', { password: 'wrong' });
  await browser.post('/api/config/general', { homeCountry: 'DE' });
  await browser.post('/api/config/general', { homeCountry: 'xx' });
  const search = async (query: Record<string, string>) => {
    const { events, next } = await lab.as.admin.auth.auditEvents({ query });
    expect(next).toBeNull();
    return events.map(({ eventType, outcome }) => `${eventType} ${outcome}`);
  };
  expect(await search({ type: 'login' })).toEqual(['login failure', 'login success']);
  expect(await search({ type: 'login', outcome: 'success' })).toEqual(['login success']);
  expect(await search({ outcome: 'failure', q: 'CONFIG/general' })).toEqual(['api_mutation failure']);
  const [newest] = await eventsOf(lab);
  expect(await search({ q: newest?.requestId ?? '' })).toEqual(['api_mutation failure']);
  expect(await search({ q: newest?.actorHash ?? '', type: 'api_mutation' })).toHaveLength(2);
  expect(await search({ q: '%' })).toEqual([]);
  for (const query of ['type=none', 'outcome=maybe', `q=${'x'.repeat(201)}`]) {
    const { status } = await lab.as.raw({ method: 'GET', path: `/api/auth/audit-events?${query}` });
    expect([query, status]).toEqual([query, 400]);
  }
});

test('one search looks at 10,000 events, and its next goes on', async () => {
  await using lab = await startLab();
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  await db.write((writer) => {
    const insert = writer.prepare(
      'INSERT INTO audit_event (event_id, created_at, event_type, outcome) VALUES (?, ?, ?, ?)',
    );
    for (let index = 0; index < 10_001; index += 1) {
      insert.run(`made ${index}`, lab.clock.now() - 1000 - index, index === 10_000 ? 'logout' : 'login', 'success');
    }
  });
  await db.close();
  const search = (query: Record<string, string>) => lab.as.admin.auth.auditEvents({ query });
  const first = await search({ type: 'logout' });
  expect(first).toMatchObject({ events: [], next: expect.stringMatching(/\w/) });
  const second = await search({ type: 'logout', after: first.next ?? '' });
  expect(second).toMatchObject({ events: [{ eventId: 'made 10000' }], next: null });
  const page = await search({ type: 'login', limit: '3' });
  const next = await search({ type: 'login', limit: '3', after: page.next ?? '' });
  expect([...page.events, ...next.events].map(({ eventId }) => eventId)).toEqual(
    [0, 1, 2, 3, 4, 5].map((index) => `made ${index}`),
  );
});

test('events cannot be changed, nor deleted before 180 days; then they go by themselves', async () => {
  await using lab = await startLab();
  await lab.as.identity(['network.read']);
  const db = new Db(`${lab.dataDir}/monitor.db`);
  const run = (sql: string) => db.write((writer) => writer.prepare(sql).run());
  await expect(run("UPDATE audit_event SET outcome = 'failure'")).rejects.toThrow('append-only');
  await expect(run('DELETE FROM audit_event')).rejects.toThrow('180 days');
  await db.close();
  await lab.skip(180 * dayMs - 1);
  await lab.as.identity(['network.read']);
  expect(await eventsOf(lab)).toHaveLength(2);
  await lab.advance(1);
  await lab.as.identity(['network.read']);
  await lab.skip(dayMs);
  expect((await eventsOf(lab)).map(({ createdAt }) => lab.clock.now() - createdAt)).toEqual([dayMs, dayMs + 1]);
  await lab.skip(400 * dayMs);
  await lab.as.identity(['network.read']);
  await lab.restart();
  expect(await eventsOf(lab)).toHaveLength(1);
});

test('what is too long to keep is left out, and said to be', async () => {
  await using lab = await startLab();
  const db = new Db(`${lab.dataDir}/monitor.db`);
  const audit = createAuditTrail({ db, clock: lab.clock, log: createLog('test', 'silent'), key: 'k' });
  const request = {
    id: 'one',
    method: 'POST',
    path: `/api/${'x'.repeat(500)}`,
    target: '/api',
    address: '::1',
    host: 'hub',
    isSecure: false,
    headers: {},
    cookies: {},
  };
  const by = { method: null, actor: null, credential: null };
  const entry = (text: string) =>
    ({ type: 'api_mutation', outcome: 'success', request, by, metadata: { text } }) as const;
  await audit.record(entry('é'.repeat(2042)));
  await audit.record(entry('é'.repeat(2043)));
  const { events } = await readAuditPage({ audit, db }, { limit: 2 });
  expect(events[0]?.metadata).toEqual({ truncated: true });
  expect(events[1]?.metadata).toEqual({ text: 'é'.repeat(2042) });
  expect(events[0]?.path).toHaveLength(300);
  await db.close();
});

test('a request is found by its id: what it changed, and for a while what an API identity read', async () => {
  await using lab = await startLab();
  const { token } = await lab.as.identity(['network.read', 'notes.write']);
  const asked = (id: string) => ({
    ...{ 'x-admin-token': token, 'x-request-id': id, 'content-type': 'application/json' },
  });
  const found = async (requestId: string) => (await lab.as.admin.auth.auditEvents({ query: { requestId } })).events;
  const body = JSON.stringify({ key: '192.0.2.7', note: 'a note' });
  await lab.as.raw({ method: 'GET', path: '/api/devices', headers: asked('read-1') });
  await lab.as.raw({ method: 'POST', path: '/api/notes', headers: asked('write-1'), body });
  expect(await found('read-1')).toMatchObject([
    { eventType: 'api_read', outcome: 'success', httpMethod: 'GET', path: '/api/devices', authMethod: 'api-identity' },
  ]);
  expect(await found('write-1')).toMatchObject([{ eventType: 'api_mutation', httpMethod: 'POST' }]);
  expect(await found('nobody')).toEqual([]);
  expect((await eventsOf(lab)).map(({ eventType }) => eventType)).not.toContain('api_read');
});

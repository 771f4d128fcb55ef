// Scoped API identities: what they may do, for how long, and that their token is shown once.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { permissions } from '#contract/access.ts';
import type { ClientError } from '#kernel/http/client.ts';
import { raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const minuteMs = 60_000;
const yearMs = 31_536_000_000;

function create(lab: Lab<never>, body: unknown, token = lab.adminToken) {
  return lab.as.raw({
    method: 'POST',
    path: '/api/auth/api-identities',
    headers: { 'content-type': 'application/json', 'x-admin-token': token },
    body: JSON.stringify(body),
  });
}

async function statusWith(lab: Lab<never>, token: string, path = '/api/routers'): Promise<number> {
  return (await raw(lab.url, { method: 'GET', path, headers: { 'x-admin-token': token } })).status;
}

const good = { label: 'x', permissions: ['network.read'], expiresInMs: minuteMs };

/** Each body is refused, and nothing is made. */
async function areRefused(bodies: readonly Record<string, unknown>[]): Promise<void> {
  await using lab = await startLab();
  for (const body of bodies) {
    expect([body, (await create(lab, body)).status]).toEqual([body, 400]);
  }
  expect((await lab.as.admin.auth.identities({})).identities).toEqual([]);
}

verifies(
  'rest.identities.create-admin rest.identities.prefix rest.identities.plaintext-once',
  'an administrator makes an identity that is active at once, with a token that is never shown again',
  async () => {
    await using lab = await startLab();
    const made = await create(lab, {
      label: '  nightly  ',
      permissions: ['notes.write', 'network.read', 'network.read'],
      expiresInMs: minuteMs,
    });
    const { token, identity } = made.body as { token: string; identity: { id: string } };
    expect(made.status).toBe(201);
    expect(token).toMatch(/^svc_[0-9a-f]{64}$/);
    expect(identity).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      label: 'nightly',
      permissions: ['network.read', 'notes.write'],
      permissionsValid: true,
      createdAt: lab.clock.now(),
      expiresAt: lab.clock.now() + minuteMs,
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(await statusWith(lab, token)).toBe(200);
    await lab.settled();
    const list = await lab.as.raw({ method: 'GET', path: '/api/auth/api-identities' });
    expect(list.body).toEqual({
      identities: [{ ...identity, lastUsedAt: lab.clock.now() }],
      availablePermissions: [...permissions],
    });
    expect(list.text).not.toContain(token.slice(4));
    expect((await create(lab, good, token)).status).toBe(403);
    expect((await lab.as.admin.auth.identities({})).identities).toHaveLength(1);
  },
);

test('a permission that is named twice is stored once: in the reply, the list, the audit trail and for its holder', async () => {
  await using lab = await startLab();
  const lists = fc
    .array(fc.constantFrom(...permissions), { minLength: 1, maxLength: permissions.length - 2 })
    .map((names) => [...names, names[0], 'network.read']);
  const isOnce = fc.asyncProperty(lists, async (names) => {
    const once = [...new Set(names)].toSorted();
    const made = await create(lab, { ...good, permissions: names });
    const { token, identity } = made.body as { token: string; identity: { id: string; permissions: string[] } };
    expect(identity.permissions).toEqual(once);
    const { identities } = await lab.as.admin.auth.identities({});
    expect(identities.find(({ id }) => id === identity.id)?.permissions).toEqual(once);
    const headers = { 'x-admin-token': token };
    const self = await raw(lab.url, { method: 'GET', path: '/api/auth/api-identities/self', headers });
    expect(self.body).toMatchObject({ identity: { permissions: once } });
    const { events } = await lab.as.admin.auth.auditEvents({ query: { limit: '1' } });
    const recorded: unknown = events[0]?.metadata;
    expect(recorded).toMatchObject({ identity: identity.id, permissions: once });
    await lab.as.admin.auth.revokeIdentity({ params: { id: identity.id }, body: {} });
  });
  await fc.assert(isOnce, { numRuns: 15 });
});

verifies(
  'rest.identities.list-admin rest.identities.create-no-store rest.identities.list-no-store',
  'the list is for administrators; neither it nor a new token is kept by a cache',
  async () => {
    await using lab = await startLab();
    const made = await create(lab, good);
    const { token } = made.body as { token: string };
    const list = (given: string) =>
      lab.as.raw({ method: 'GET', path: '/api/auth/api-identities', headers: { 'x-admin-token': given } });
    const administrator = await lab.as.identity(['auth.admin']);
    const answers = [await list(lab.adminToken), await list(administrator.token), await list(token)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403]);
    expect([made, ...answers].map(({ headers }) => headers['cache-control'])).toEqual(Array(4).fill('no-store'));
  },
);

verifies(
  'rest.identities.label-required rest.identities.permissions-required rest.identities.expiry-required',
  'a label, permissions and a lifetime are required',
  () =>
    areRefused([
      { ...good, label: undefined },
      { ...good, label: '   ' },
      { ...good, label: 'x'.repeat(101) },
      { ...good, label: 'a\u0007b' },
      { ...good, permissions: undefined },
      { ...good, permissions: [] },
      { ...good, permissions: 'network.read' },
      { ...good, permissions: Array(9).fill('network.read') },
      { ...good, expiresInMs: undefined },
      { ...good, extra: 1 },
    ]),
);

verifies('rest.identities.lifetime', 'from one minute to one year', async () => {
  await areRefused([
    { ...good, expiresInMs: minuteMs - 1 },
    { ...good, expiresInMs: yearMs + 1 },
    { ...good, expiresInMs: 1.5 * minuteMs + 0.5 },
    { ...good, expiresInMs: '60000' },
  ]);
  await using lab = await startLab();
  expect((await create(lab, good)).status).toBe(201);
  expect((await create(lab, { ...good, label: 'x'.repeat(100), expiresInMs: yearMs })).status).toBe(201);
});

verifies(
  'rest.identities.permission-names',
  'three of the names open what they say to an identity; agent.ingest is for Agents alone',
  async () => {
    await areRefused([
      { ...good, permissions: ['agent.ingest'] },
      { ...good, permissions: ['network.read', 'agent.ingest'] },
      { ...good, permissions: ['everything'] },
      { ...good, permissions: ['Network.Read'] },
    ]);
    await using lab = await startLab();
    const calls = [
      { method: 'GET', path: '/api/auth/api-identities' },
      { method: 'GET', path: '/api/routers' },
      { method: 'POST', path: '/api/notes', body: '{"ip":"192.168.1.5","note":"by the door"}' },
    ] as const;
    const opens = { 'auth.admin': [200, 403, 403], 'network.read': [403, 200, 403], 'notes.write': [403, 403, 200] };
    for (const [name, expected] of Object.entries(opens)) {
      const { token } = (await create(lab, { ...good, permissions: [name] })).body as { token: string };
      const headers = { 'x-admin-token': token, 'content-type': 'application/json' };
      const seen = await Promise.all(calls.map(async (call) => (await raw(lab.url, { ...call, headers })).status));
      expect([name, seen]).toEqual([name, expected]);
    }
  },
);

test('an identity ends by itself at its time', async () => {
  await using lab = await startLab();
  const { token } = (await create(lab, { label: 'x', permissions: ['network.read'], expiresInMs: minuteMs })).body as {
    token: string;
  };
  await lab.advance(minuteMs - 1);
  expect(await statusWith(lab, token)).toBe(200);
  await lab.advance(1);
  expect(await statusWith(lab, token)).toBe(401);
});

verifies(
  'rest.identities.revoke-admin rest.identities.revoke-no-store',
  'revoking ends one identity for good, and no other',
  async () => {
    await using lab = await startLab();
    const [one, other] = [await lab.as.identity(['network.read']), await lab.as.identity(['network.read'])];
    const revoke = (headers: Record<string, string> = {}, id = one.id) =>
      lab.as.raw({ method: 'POST', path: `/api/auth/api-identities/${id}/revoke`, headers });
    const answers = [
      await revoke({ 'x-admin-token': other.token }),
      await revoke(),
      await revoke(),
      await revoke({}, 'none'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 200, 404, 404]);
    expect(answers.map(({ headers }) => headers['cache-control'])).toEqual(Array(4).fill('no-store'));
    expect([await statusWith(lab, one.token), await statusWith(lab, other.token)]).toEqual([401, 200]);
    await lab.restart();
    expect([await statusWith(lab, one.token), await statusWith(lab, other.token)]).toEqual([401, 200]);
    const { identities } = await lab.as.admin.auth.identities({});
    expect(identities.map(({ id, revokedAt }) => [id, revokedAt])).toEqual([
      [other.id, null],
      [one.id, lab.clock.now()],
    ]);
  },
);

verifies(
  'rest.identities.self-own-only',
  'self tells an identity about itself and nobody about anybody else',
  async () => {
    await using lab = await startLab();
    const { client, id } = await lab.as.identity(['notes.write', 'network.read']);
    await lab.as.identity(['network.read']);
    expect(await client.auth.self({})).toEqual({
      identity: {
        id,
        label: 'notes.write network.read',
        permissions: ['network.read', 'notes.write'],
        expiresAt: lab.clock.now() + 60 * minuteMs,
      },
    });
    const refused = (error: ClientError) => [error.status, error.headers['cache-control']];
    expect(await lab.as.admin.auth.self({}).catch(refused)).toEqual([403, 'no-store']);
    const writer = await lab.as.identity(['notes.write']);
    expect(await writer.client.auth.self({}).catch(refused)).toEqual([403, 'no-store']);
    const answer = await (await lab.as.browser()).get('/api/auth/api-identities/self');
    expect([answer.status, answer.headers['cache-control']]).toEqual([403, 'no-store']);
    const said = (error: ClientError) => error.message;
    expect(await lab.as.admin.auth.self({}).catch(said)).toMatch(/is for API identities alone: send the token of one/);
    expect(await writer.client.auth.self({}).catch(said)).toMatch(/does not hold the permission network\.read/);
  },
);

test('25 may be active at once, however they are asked for', async () => {
  await using lab = await startLab();
  const body = { label: 'x', permissions: ['network.read'], expiresInMs: minuteMs };
  const statuses = (await Promise.all(Array.from({ length: 30 }, () => create(lab, body)))).map(({ status }) => status);
  expect([statuses.filter((s) => s === 201).length, statuses.filter((s) => s === 409).length]).toEqual([25, 5]);
  const { identities } = await lab.as.admin.auth.identities({});
  await lab.as.admin.auth.revokeIdentity({ params: { id: identities[0]?.id ?? '' }, body: {} });
  expect((await create(lab, body)).status).toBe(201);
  expect((await create(lab, body)).body).toMatchObject({ code: 'identity_limit' });
  await lab.advance(minuteMs);
  expect((await create(lab, body)).status).toBe(201);
});

test('the last use is noted, at most every five minutes', async () => {
  await using lab = await startLab();
  const { token } = await lab.as.identity(['network.read']);
  const lastUse = async () => (await lab.as.admin.auth.identities({})).identities[0]?.lastUsedAt;
  const made = lab.clock.now();
  await statusWith(lab, token);
  await lab.advance(5 * minuteMs - 1);
  await statusWith(lab, token);
  await lab.settled();
  expect(await lastUse()).toBe(made);
  await lab.advance(1);
  await statusWith(lab, token);
  await lab.settled();
  expect(await lastUse()).toBe(made + 5 * minuteMs);
});

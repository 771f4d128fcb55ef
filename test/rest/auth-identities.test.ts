// Scoped API identities: what they may do, for how long, and that their token is shown once.
import { expect, test } from 'vitest';
import { permissions } from '#contract/access.ts';
import type { ClientError } from '#kernel/http/client.ts';
import { raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const minuteMs = 60_000;
const yearMs = 31_536_000_000;

function create(lab: Lab<never>, body: unknown) {
  return lab.as.raw({
    method: 'POST',
    path: '/api/auth/api-identities',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function statusWith(lab: Lab<never>, token: string, path = '/api/routers'): Promise<number> {
  return (await raw(lab.url, { method: 'GET', path, headers: { 'x-admin-token': token } })).status;
}

verifies(
  'rest.identities.create-admin rest.identities.prefix rest.identities.plaintext-once rest.identities.list-admin rest.identities.create-no-store rest.identities.list-no-store',
  'an identity is made with a token that is never shown again',
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
    expect([made.headers['cache-control'], list.headers['cache-control']]).toEqual(['no-store', 'no-store']);
  },
);

verifies(
  'rest.identities.label-required rest.identities.permissions-required rest.identities.expiry-required rest.identities.lifetime rest.identities.permission-names',
  'label, permissions and a lifetime of one minute to one year are required',
  async () => {
    await using lab = await startLab();
    const good = { label: 'x', permissions: ['network.read'], expiresInMs: minuteMs };
    const bad: readonly Record<string, unknown>[] = [
      { ...good, label: undefined },
      { ...good, label: '   ' },
      { ...good, label: 'x'.repeat(101) },
      { ...good, label: 'a\u0007b' },
      { ...good, permissions: undefined },
      { ...good, permissions: [] },
      { ...good, permissions: ['agent.ingest'] },
      { ...good, permissions: ['everything'] },
      { ...good, permissions: Array(8).fill('network.read') },
      { ...good, expiresInMs: undefined },
      { ...good, expiresInMs: minuteMs - 1 },
      { ...good, expiresInMs: yearMs + 1 },
      { ...good, expiresInMs: 1.5 * minuteMs + 0.5 },
      { ...good, expiresInMs: '60000' },
      { ...good, extra: 1 },
    ];
    for (const body of bad) {
      expect([body, (await create(lab, body)).status]).toEqual([body, 400]);
    }
    expect((await lab.as.admin.auth.identities({})).identities).toEqual([]);
    for (const name of permissions) {
      expect((await create(lab, { ...good, permissions: [name] })).status).toBe(201);
    }
    expect((await create(lab, { ...good, label: 'x'.repeat(100), expiresInMs: yearMs })).status).toBe(201);
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
  'rest.identities.self-own-only rest.identities.self-network-read rest.identities.self-rejects-session rest.identities.self-rejects-legacy',
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

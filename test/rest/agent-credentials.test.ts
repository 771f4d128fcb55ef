// The bearer of an Agent over HTTP: rotation and its lost replies, revocation, transport, inventory, documents.
import { describe, expect, test } from 'vitest';
import { agentClient, agentFacts, batchOf, enrolAgent, observation } from '../support/agents.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const minute = 60_000;
const call = (lab: Lab<never>, token: string) => agentClient(lab.url, token).agents;
const opens = (lab: Lab<never>, token: string) =>
  call(lab, token)
    .capabilities({})
    .then(
      () => true,
      () => false,
    );

describe('rotation', () => {
  verifies('rest.agents.rotate', 'the new bearer works, and its first use ends the old one', async () => {
    await using lab = await startLab();
    const { token: old, agentId } = await enrolAgent(lab);
    const { token } = await call(lab, old).rotate({ body: {} });
    expect(token).toMatch(/^svca_[0-9a-f]{64}$/);
    expect(await opens(lab, token)).toBe(true);
    expect(await opens(lab, old)).toBe(false);
    await lab.restart();
    expect([await opens(lab, token), await opens(lab, old)]).toEqual([true, false]);
    expect((await lab.as.admin.agents.list({})).agents).toMatchObject([{ agentId, revokedAt: null }]);
  });

  test('a lost reply strands no Agent: the old bearer works for a minute, and rotates for as long as it takes', async () => {
    await using lab = await startLab();
    const { token: old } = await enrolAgent(lab);
    const { token: lost } = await call(lab, old).rotate({ body: {} });
    expect(await opens(lab, old)).toBe(true);
    await lab.skip(minute);
    expect(await opens(lab, old)).toBe(false);
    expect((await refusal(call(lab, old).capabilities({}))).message).toMatch(/rotate again/);
    await lab.skip(60 * 24 * minute);
    const { token } = await call(lab, old).rotate({ body: {} });
    expect([await opens(lab, lost), await opens(lab, token), await opens(lab, old)]).toEqual([false, true, false]);
    expect((await refusal(call(lab, old).rotate({ body: {} }))).status).toBe(401);
  });

  test('a trailing slash in its path changes nothing of what the replaced bearer may do', async () => {
    await using lab = await startLab();
    const { token: old } = await enrolAgent(lab);
    await call(lab, old).rotate({ body: {} });
    await lab.skip(minute);
    const headers = { authorization: `Bearer ${old}`, 'content-type': 'application/json' };
    const rotated = await fetch(new URL('/api/agent/token/rotate/', lab.url), { method: 'POST', headers, body: '{}' });
    expect([rotated.status, await rotated.json()]).toEqual([200, { token: expect.stringMatching(/^svca_/) }]);
  });
});

describe('revocation', () => {
  verifies('rest.agents.admin-revoke', 'an administrator ends it with the next request', async () => {
    await using lab = await startLab();
    const { admin } = lab.as;
    const [one, other] = [await enrolAgent(lab), await enrolAgent(lab)];
    const params = { agentId: one.agentId };
    expect(await admin.agents.revoke({ params, body: {} })).toEqual({ success: true });
    expect(
      (await refusal(one.client.agents.ingest({ body: batchOf(lab.clock.now(), [observation(lab.clock.now())]) })))
        .status,
    ).toBe(401);
    expect(await opens(lab, other.token)).toBe(true);
    expect((await refusal(admin.agents.revoke({ params, body: {} }))).status).toBe(404);
    await lab.restart();
    expect(await opens(lab, one.token)).toBe(false);
  });

  verifies('rest.agents.self-revoke', 'an Agent ends itself and nobody else', async () => {
    await using lab = await startLab();
    const [one, other] = [await enrolAgent(lab), await enrolAgent(lab)];
    expect(await one.client.agents.revokeSelf({ body: {} })).toEqual({ success: true });
    expect([await opens(lab, one.token), await opens(lab, other.token)]).toEqual([false, true]);
    const revoked = (await lab.as.admin.agents.list({})).agents.filter(({ revokedAt }) => revokedAt !== null);
    expect(revoked.map(({ agentId }) => agentId)).toEqual([one.agentId]);
  });
});

verifies('rest.agents.list-no-hashes', 'the inventory shows claims and the last call, and no hash', async () => {
  await using lab = await startLab();
  const { agentId, client } = await enrolAgent(lab);
  await lab.skip(minute);
  await client.agents.capabilities({});
  await lab.settled();
  await lab.skip(1);
  expect((await lab.as.admin.agents.list({})).agents).toEqual([
    {
      agentId,
      ...agentFacts,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      lastSeenAt: lab.clock.now() - 1,
      revokedAt: null,
    },
  ]);
});

describe('transport', () => {
  const away = { trustProxy: ['127.0.0.1'] };
  const proxied = (lab: Lab<never>, token: string, proto: string) =>
    lab.as.raw({
      method: 'GET',
      path: '/api/agent/capabilities',
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': proto },
    });

  verifies(
    'rest.agents.http-loopback-only rest.agents.transport-accept',
    'plain HTTP is for loopback alone, until an administrator accepts it; a wrong bearer is refused before',
    async () => {
      await using lab = await startLab({ hub: away });
      const { token } = await enrolAgent(lab);
      expect((await proxied(lab, token, 'https')).status).toBe(200);
      const plain = await proxied(lab, token, 'http');
      expect([plain.status, (plain.body as { code: string }).code]).toEqual([400, 'agent_transport']);
      expect(plain.headers['cache-control']).toBe('no-store');
      expect((await proxied(lab, `svca_${'0'.repeat(64)}`, 'http')).status).toBe(401);
      await lab.as.admin.agents.saveTransport({ body: { allowPlaintext: true } });
      expect((await proxied(lab, token, 'http')).status).toBe(200);
      await lab.restart();
      expect((await proxied(lab, token, 'http')).status).toBe(200);
      await lab.as.admin.agents.saveTransport({ body: { allowPlaintext: false } });
      expect((await proxied(lab, token, 'http')).status).toBe(400);
      const { events } = await lab.as.admin.auth.auditEvents({});
      const types = events.map(({ eventType }) => eventType);
      expect(types.filter((type) => type === 'agent_transport_consent')).toHaveLength(2);
      expect(types).toContain('agent_transport_rejected');
    },
  );

  test('what a proxy that nobody named passes on is not taken for local', async () => {
    await using lab = await startLab();
    const { token } = await enrolAgent(lab);
    expect((await proxied(lab, token, 'https')).status).toBe(400);
  });

  verifies('rest.agents.transport-read rest.agents.transport-exposure', 'the report says what is exposed', async () => {
    await using lab = await startLab({ hub: away });
    const report = async (proto: string) =>
      (
        await lab.as.raw({
          method: 'GET',
          path: '/api/agents/transport',
          headers: { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': proto },
        })
      ).body;
    expect(await report('https')).toEqual({
      ...{ transport: 'https', secure: true, consentRequired: false, accepted: true, risks: [] },
    });
    expect(await report('http')).toEqual({
      ...{ transport: 'http', secure: false, consentRequired: true, accepted: false },
      risks: ['observations', 'token', 'injection'].map((risk) => `agent.transport.risk.${risk}`),
    });
    expect(await lab.as.admin.agents.transport({})).toMatchObject({ secure: false, consentRequired: false });
  });
});

verifies('rest.agents.capabilities rest.agents.picks-version', 'the hub says which batches it accepts', async () => {
  await using lab = await startLab();
  const { client, token } = await enrolAgent(lab);
  expect(await client.agents.capabilities({})).toEqual({
    schemaVersions: [1],
    maxObservationsPerBatch: 200,
    maxBodyBytes: 524_288,
    requestsPerMinute: 30,
    compression: [],
  });
  const answer = await lab.as.raw({
    method: 'POST',
    path: '/api/agent/ingest',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"schemaVersion":2,"future":true}',
  });
  expect([answer.status, answer.body]).toMatchObject([
    400,
    { error: 'unsupported_schema_version', requested: 2, supported: [1], hint: expect.any(String) },
  ]);
});

verifies('rest.agents.not-cacheable', 'every answer of an Agent route is no-store, also refusals', async () => {
  await using lab = await startLab();
  const { token } = await enrolAgent(lab);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answers = [
    await lab.as.raw({ method: 'GET', path: '/api/agent/geo-cache', headers }),
    await lab.as.raw({ method: 'GET', path: '/api/agent/geo-cache', headers: { ...headers, 'if-none-match': '*' } }),
    await lab.as.raw({ method: 'GET', path: '/api/agent/capabilities' }),
    await lab.as.raw({ method: 'POST', path: '/api/agent/ingest', headers, body: '{' }),
    await lab.as.raw({ method: 'POST', path: '/api/agent/ingest', headers, body: `"${'x'.repeat(600_000)}"` }),
    await lab.as.raw({
      ...{ method: 'POST', path: '/api/agent/ingest', body: 'x' },
      headers: { ...headers, 'content-encoding': 'gzip' },
    }),
    await lab.as.raw({ method: 'PUT', path: '/api/agent/ingest', headers }),
    await lab.as.raw({ method: 'POST', path: '/api/agent/enrollment-requests/claim', headers, body: '{}' }),
  ];
  expect(answers.map(({ status, headers: given }) => [status, given['cache-control']])).toEqual(
    [200, 304, 401, 400, 413, 415, 405, 400].map((status) => [status, 'no-store']),
  );
});

// Delivery over HTTP: one batch is one transaction, a retry gets the first answer, bounds are kept, nothing bad is stored.
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { agentFacts, batchOf, enrolAgent, observation } from '../support/agents.ts';
import { refuseInserts } from '../support/held-writes.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const day = 86_400_000;

async function count(lab: Lab<never>, table: string): Promise<number> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const { rows } = db.prepare(`SELECT COUNT(*) AS rows FROM ${table}`).get() as { rows: number };
  await db.close();
  return rows;
}

const send = (lab: Lab<never>, token: string, body: string, headers: Record<string, string> = {}) =>
  lab.as.raw({
    method: 'POST',
    path: '/api/agent/ingest',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body,
  });

const many = (at: number, length: number, more = {}) => Array.from({ length }, () => observation(at, more));

describe('what is accepted', () => {
  test('the same batch id with other observations keeps the first answer and leaves a row in the audit trail', async () => {
    await using lab = await startLab();
    const { client } = await enrolAgent(lab);
    const body = batchOf(lab.clock.now(), many(lab.clock.now(), 2));
    const ack = await client.agents.ingest({ body });
    const other = await client.agents.ingest({ body: { ...body, observations: many(lab.clock.now(), 5) } });
    expect(other).toEqual({ ...ack, replayed: true, requestId: expect.any(String) });
    expect(await count(lab, 'agent_observation')).toBe(2);
    const { events } = await lab.as.admin.auth.auditEvents({});
    expect(events).toContainEqual(
      expect.objectContaining({
        eventType: 'agent_ingest',
        requestId: other.requestId,
        metadata: expect.objectContaining({ reason: 'batch_body_mismatch' }),
      }),
    );
  });

  verifies('rest.ingest.idempotent rest.ingest.bearer', 'the retry of a batch gets the same answer', async () => {
    await using lab = await startLab();
    const { client } = await enrolAgent(lab);
    const body = batchOf(lab.clock.now(), many(lab.clock.now(), 3));
    const ack = await client.agents.ingest({ body });
    expect(ack).toEqual({
      ...{ batchId: body.batchId, accepted: 3, duplicate: 0, rejected: 0, replayed: false },
      ...{ receivedAt: lab.clock.now(), requestId: expect.any(String) },
    });
    await lab.skip(5000);
    const again = await client.agents.ingest({ body: { ...body, sentAt: isoTime(lab.clock.now()) } });
    expect(again).toEqual({ ...ack, replayed: true, requestId: expect.any(String) });
    expect([await count(lab, 'agent_batch'), await count(lab, 'agent_observation')]).toEqual([1, 3]);
    expect((await refusal(lab.as.nobody.agents.ingest({ body }))).status).toBe(401);
    expect((await refusal(lab.as.admin.agents.ingest({ body }))).status).toBe(401);
  });
});

describe('bounds', () => {
  verifies('rest.ingest.200-observations', '200 observations are taken, 201 are not', async () => {
    await using lab = await startLab();
    const { client } = await enrolAgent(lab);
    const at = lab.clock.now();
    expect(await client.agents.ingest({ body: batchOf(at, many(at, 200)) })).toMatchObject({ accepted: 200 });
    expect((await refusal(client.agents.ingest({ body: batchOf(at, many(at, 201)) }))).status).toBe(400);
    expect((await refusal(client.agents.ingest({ body: batchOf(at, []) }))).status).toBe(400);
    expect(await count(lab, 'agent_observation')).toBe(200);
  });

  verifies('rest.ingest.512-kib', '524,288 bytes are taken, one more is 413, compressed is 415', async () => {
    await using lab = await startLab();
    const { token } = await enrolAgent(lab);
    const text = JSON.stringify(batchOf(lab.clock.now(), many(lab.clock.now(), 1)));
    const padded = (bytes: number) => text + ' '.repeat(bytes - text.length);
    expect((await send(lab, token, padded(524_288))).status).toBe(200);
    expect((await send(lab, token, padded(524_289))).status).toBe(413);
    expect((await send(lab, token, text, { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await send(lab, token, '{')).status).toBe(400);
  });

  verifies('rest.ingest.30-per-minute', 'the 31st request of an Agent in a minute waits; others do not', async () => {
    await using lab = await startLab();
    const [one, other] = [await enrolAgent(lab), await enrolAgent(lab)];
    const at = lab.clock.now();
    for (let sent = 0; sent < 30; sent += 1) {
      expect(await one.client.agents.ingest({ body: batchOf(at, many(at, 1)) })).toMatchObject({ accepted: 1 });
    }
    const refused = await refusal(one.client.agents.ingest({ body: batchOf(at, many(at, 1)) }));
    expect([refused.status, refused.code, refused.headers['retry-after']]).toEqual([429, 'agent_rate_limited', '60']);
    expect(await other.client.agents.ingest({ body: batchOf(at, many(at, 1)) })).toMatchObject({ accepted: 1 });
    await lab.skip(60_000);
    expect(await one.client.agents.ingest({ body: batchOf(at, many(at, 1)) })).toMatchObject({ accepted: 1 });
  });

  test('the bounds are those that the hub was started with', async () => {
    await using lab = await startLab({ hub: { agents: { requestsPerMinute: 7, concurrent: 2 } } });
    const { client } = await enrolAgent(lab);
    expect((await client.agents.capabilities({})).requestsPerMinute).toBe(7);
    const { limits } = await lab.as.admin.agents.ingestMetrics({});
    expect(limits).toEqual({ requestsPerMinutePerAgent: 7, maxConcurrent: 2 });
  });

  test('deliveries of one address have an allowance of their own, whoever sends them', async () => {
    await using lab = await startLab({
      hub: { agents: { perAddress: 30 }, rate: { reads: 1000, writes: 20, windowMs: 60_000 } },
    });
    const { token } = await enrolAgent(lab);
    const wrong = `svca_${'0'.repeat(64)}`;
    const answers = [];
    for (let sent = 0; sent < 31; sent += 1) {
      answers.push(await send(lab, sent % 2 === 0 ? wrong : token, '{"schemaVersion":1}'));
    }
    const last = answers.pop();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 400]));
    expect([last?.status, last?.headers['ratelimit-limit']]).toEqual([429, '30']);
    expect(last?.body).toMatchObject({ code: 'rate_limited' });
    // The other writes of this address are counted apart.
    expect((await refusal(lab.as.nobody.agents.enroll({ body: { code: 'AAAAAA', agent: agentFacts } }))).status).toBe(
      401,
    );
  });

  /** A delivery whose body does not come. */
  async function silent(lab: Lab<never>, token: string) {
    const socket = net.connect(Number(lab.url.port), lab.url.hostname);
    await once(socket, 'connect');
    const lines = [`POST /api/agent/ingest HTTP/1.1`, `Host: ${lab.url.host}`, `Authorization: Bearer ${token}`];
    socket.write([...lines, 'Content-Type: application/json', 'Content-Length: 100', '', ''].join('\r\n'));
    return socket;
  }

  verifies('rest.ingest.4-concurrent', 'the fifth delivery at once waits before its body is read', async () => {
    await using lab = await startLab();
    const agents = await Promise.all([1, 2, 3, 4, 5].map(() => enrolAgent(lab)));
    const sockets = await Promise.all(agents.slice(0, 4).map(({ token }) => silent(lab, token)));
    await expect.poll(async () => (await lab.as.admin.agents.ingestMetrics({})).inFlight, { timeout: 10_000 }).toBe(4);
    const fifth = agents[4]?.client.agents;
    const at = lab.clock.now();
    const body = batchOf(at, many(at, 1));
    const refused = await refusal(fifth?.ingest({ body }) ?? Promise.resolve());
    expect([refused.status, refused.code, refused.headers['retry-after']]).toEqual([429, 'agent_ingest_busy', '1']);
    sockets[0]?.destroy();
    await expect.poll(async () => (await lab.as.admin.agents.ingestMetrics({})).inFlight, { timeout: 10_000 }).toBe(3);
    expect(await fifth?.ingest({ body })).toMatchObject({ accepted: 1 });
    for (const socket of sockets) {
      socket.destroy();
    }
  });

  test('a body that does not come for 15 s is answered with 408, and its place is free', async () => {
    await using lab = await startLab();
    const { token } = await enrolAgent(lab);
    const socket = await silent(lab, token);
    const inFlight = async () => (await lab.as.admin.agents.ingestMetrics({})).inFlight;
    await expect.poll(inFlight, { timeout: 10_000 }).toBe(1);
    const answer = once(socket, 'data') as Promise<[Buffer]>;
    await lab.skip(15_000);
    expect((await answer)[0].toString()).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    await expect.poll(inFlight, { timeout: 10_000 }).toBe(0);
  });

  test('without a valid bearer no byte of the body is waited for', async () => {
    await using lab = await startLab();
    const socket = await silent(lab, `svca_${'0'.repeat(64)}`);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });
});

verifies('rest.ingest.transactional', 'one bad observation, and nothing of the batch is stored', async () => {
  await using lab = await startLab();
  const { client, token } = await enrolAgent(lab);
  const at = lab.clock.now();
  const bad: Record<string, unknown>[] = [
    { remotePort: 0 },
    { localPort: 65_536 },
    { processID: -1 },
    { processName: '' },
    { processName: 'a\nb' },
    { bundleID: undefined },
    { bytesIn: '01' },
    { bytesIn: '18446744073709551616' },
    { bytesOut: 12 },
    { localAddress: 'desk.lan' },
    { remoteAddress: '999.1.1.1' },
    { firstObservedAt: isoTime(at + 1) },
    { lastObservedAt: '2026-02-30T00:00:00Z' },
    { lastObservedAt: '2026-03-01T03:00:00+00:00' },
    { collector: 'guess' },
    { confidence: 'sure' },
    { observationId: '12' },
    { extra: 1 },
  ];
  for (const fault of bad) {
    const body = batchOf(at, [...many(at, 2), observation(at, fault)]);
    const answer = await send(lab, token, JSON.stringify(body));
    expect([fault, answer.status, (answer.body as { error: string }).error]).toEqual([
      fault,
      400,
      expect.stringMatching(/^observations\.2/),
    ]);
    await lab.skip(2001);
  }
  const window = await refusal(
    client.agents.ingest({
      body: batchOf(at, [
        observation(lab.clock.now()),
        observation(lab.clock.now() - 7 * day - 1),
        observation(lab.clock.now() + day + 1),
      ]),
    }),
  );
  expect([window.status, window.code, window.body.rejected]).toEqual([
    400,
    'observation_window',
    [
      { index: 1, reason: 'outside_retention' },
      { index: 2, reason: 'future_timestamp' },
    ],
  ]);
  expect([await count(lab, 'agent_batch'), await count(lab, 'agent_observation')]).toEqual([0, 0]);
});

verifies('rest.agents.metrics-aggregate', 'the metrics count, and name nobody', async () => {
  await using lab = await startLab();
  const { client } = await enrolAgent(lab);
  const at = lab.clock.now();
  const body = batchOf(at, many(at, 4));
  await client.agents.ingest({ body });
  await client.agents.ingest({ body });
  const old = batchOf(at, [observation(at - 8 * day)]);
  await refusal(client.agents.ingest({ body: old }));
  const mend = await refuseInserts(lab, 'agent_batch');
  const failed = await refusal(client.agents.ingest({ body: batchOf(at, many(at, 1)) }));
  await mend();
  expect(failed.status).toBe(500);
  // What the hub could not do is no fault of the Agent.
  const { events } = await lab.as.admin.auth.auditEvents({});
  expect(events.filter(({ eventType }) => eventType === 'agent_ingest')).toMatchObject([
    { outcome: 'failure', metadata: { reason: 'observation_window', batch: old.batchId } },
  ]);
  expect(await lab.as.admin.agents.ingestMetrics({})).toEqual({
    ...{ requests: 4, accepted: 4, duplicate: 4, rejected: 1, failures: 1, rateLimited: 0, maxInFlight: 1 },
    ...{ inFlight: 0, lastDurationMs: expect.any(Number) },
    eventLoopDelayMs: { p50: expect.any(Number), p95: expect.any(Number), max: expect.any(Number) },
    limits: { requestsPerMinutePerAgent: 30, maxConcurrent: 4 },
  });
});

// Each fault of the simulated Agent, as it shows on the wire of a hub that somebody else wrote down.
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type AgentFault, agentFaults } from '#simulators/agent/faults.ts';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import { type AgentLab, startAgentLab } from '../support/agent-lab.ts';
import { expectAllShown } from '../support/shown-faults.ts';
import { verifies } from '../support/verifies.ts';

const hourMs = 3_600_000;
const shown = new Set<AgentFault>();

interface Shape {
  /** When it is armed; once for a batch when absent. */
  options?: FaultOptions;
  count?: number;
}

/** A test of one fault; afterwards the first Agent delivers as an honest one. The last test asks that each has one. */
function fault(name: AgentFault, what: string, body: (lab: AgentLab) => Promise<void>, shape: Shape = {}): void {
  shown.add(name);
  verifies('sim.agent.faults', `${name}: ${what}`, async () => {
    await using lab = await startAgentLab({ count: shape.count ?? 1 });
    lab.agents.fail(name, shape.options ?? { times: 1 });
    await body(lab);
    lab.agents.clearFaults();
    if (lab.agents.agents[0]?.credential === 'active') {
      const before = lab.hub.received.length;
      expect(await lab.agents.deliver({ agent: 1 })).toMatchObject([{ status: 200, ack: { replayed: false } }]);
      expect(lab.hub.received).toHaveLength(before + 1);
    }
  });
}

/** What the hub got as the only batch. */
async function deliverOne({ agents, hub }: AgentLab) {
  const sent = await agents.deliver();
  const [batch] = hub.batches();
  if (!batch) {
    throw new Error('the hub got no batch');
  }
  return { sent, batch, body: hub.at('ingest')[0]?.body ?? Buffer.alloc(0) };
}

const farFrom = (now: number, time: unknown) => Math.round((Date.parse(String(time)) - now) / hourMs);

fault('ignores-ack', 'the same bytes again behind the ACK', async (lab) => {
  expect(await lab.agents.deliver()).toMatchObject([
    { status: 200, ack: { replayed: false } },
    { status: 200, ack: { replayed: true } },
  ]);
  const [first, second] = lab.hub.at('ingest');
  expect(second?.body).toEqual(first?.body);
});

fault('new-id-on-retry', 'another id, the same observations', async (lab) => {
  lab.agents.fail('loses-ack', { times: 1 });
  expect(await lab.agents.deliver()).toMatchObject([
    { status: null },
    { status: 200, ack: { accepted: 0, duplicate: 20 } },
  ]);
  const [first, second] = lab.hub.batches();
  expect(second?.batchId).not.toBe(first?.batchId);
  expect(second?.observations).toEqual(first?.observations);
});

fault('replay-other-content', 'the same id, as many other observations', async (lab) => {
  const sent = await lab.agents.deliver({ observations: 5 });
  expect(sent).toMatchObject([{ ack: { replayed: false } }, { observations: 5, ack: { replayed: true } }]);
  const [first, second] = lab.hub.batches();
  expect(second?.batchId).toBe(first?.batchId);
  expect(second?.observations).not.toEqual(first?.observations);
});

for (const [name, observed, sent] of [
  ['clock-ahead', 1, 1],
  ['clock-behind', -1, -1],
] as const) {
  fault(name, 'all times are off by an hour, and the hub takes it', async (lab) => {
    const { batch, sent: answers } = await deliverOne(lab);
    expect(answers).toMatchObject([{ status: 200 }]);
    expect(farFrom(lab.clock.now(), batch.sentAt)).toBe(sent);
    expect(batch.observations.map(({ lastObservedAt }) => farFrom(lab.clock.now(), lastObservedAt))).toEqual(
      batch.observations.map(() => observed),
    );
  });
}

for (const [name, hours] of [
  ['far-future', 48],
  ['outside-retention', -192],
] as const) {
  fault(name, 'the hub refuses the batch, and it is parked', async (lab) => {
    const { batch, sent } = await deliverOne(lab);
    expect(sent).toMatchObject([{ status: 400 }]);
    expect(farFrom(lab.clock.now(), batch.sentAt)).toBe(0);
    expect(farFrom(lab.clock.now(), batch.observations[0]?.lastObservedAt)).toBe(hours);
    expect(lab.agents.agents).toMatchObject([{ parked: 1, waiting: 0, refused: { 400: 1 } }]);
  });
}

fault('oversize-count', '201 observations', async (lab) => {
  const { batch, sent } = await deliverOne(lab);
  expect(batch.observations).toHaveLength(201);
  expect(sent).toMatchObject([{ status: 400, observations: 201 }]);
});

fault('oversize-bytes', 'a batch that is proper but for its length', async (lab) => {
  const { batch, sent, body } = await deliverOne(lab);
  expect(body.length).toBeGreaterThan(512 * 1024);
  expect(batch.observations).toHaveLength(20);
  expect(sent).toMatchObject([{ status: 413 }]);
});

fault('compressed', 'gzip', async (lab) => {
  expect(await lab.agents.deliver()).toMatchObject([{ status: 415 }]);
  const [request] = lab.hub.at('ingest');
  expect(request?.headers['content-encoding']).toBe('gzip');
  expect(JSON.parse(gunzipSync(request?.body ?? '').toString())).toMatchObject({ schemaVersion: 1 });
  lab.hub.clear();
});

fault('bad-json', 'half of it', async (lab) => {
  expect(await lab.agents.deliver()).toMatchObject([{ status: 400 }]);
  const text = String(lab.hub.at('ingest')[0]?.body);
  expect(text).toMatch(/^\{"schemaVersion":1,/);
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  lab.hub.clear();
});

fault(
  'wrong-schema-version',
  'the one of `value`',
  async (lab) => {
    const { batch, sent } = await deliverOne(lab);
    expect([batch.schemaVersion, sent[0]?.status]).toEqual([9, 400]);
  },
  { options: { times: 1, value: 9 } },
);

fault('unknown-field', 'in the batch and in an observation', async (lab) => {
  const { batch, sent } = await deliverOne(lab);
  expect(sent).toMatchObject([{ status: 400 }]);
  expect(batch).toMatchObject({
    note: 'unknown',
    observations: expect.arrayContaining([expect.objectContaining({ note: 'unknown' })]),
  });
});

fault('local-time', 'the same instants with an offset', async (lab) => {
  const { batch, sent } = await deliverOne(lab);
  expect(sent).toMatchObject([{ status: 400 }]);
  expect(batch.sentAt).toMatch(/\+09:00$/);
  expect(Date.parse(batch.sentAt)).toBe(lab.clock.now());
  expect(batch.observations.every((one) => /\+09:00$/.test(String(one.lastObservedAt)))).toBe(true);
});

fault('leading-zeros', 'in the byte counters', async (lab) => {
  const { batch, sent } = await deliverOne(lab);
  expect(sent).toMatchObject([{ status: 400 }]);
  expect(batch.observations[0]).toMatchObject({ bytesIn: '007', bytesOut: '00' });
});

fault(
  'flood',
  'goes on at 429, so many times, and then waits',
  async (lab) => {
    lab.hub.allow(0, 60);
    const sent = await lab.agents.deliver();
    expect(sent.map(({ status }) => status)).toEqual(Array(13).fill(429));
    expect(new Set(sent.map(({ batchId }) => batchId)).size).toBe(1);
    await expect.poll(() => lab.clock.sleepers().map(({ ms }) => ms)).toEqual([60_000]);
    lab.hub.allow(100);
    await lab.clock.advance(60_000);
    await expect.poll(() => lab.agents.agents[0]?.acknowledged).toBe(1);
  },
  { options: { times: 1, value: 12 } },
);

fault('parallel', 'eight at once', async (lab) => {
  lab.hub.hold(8);
  const sent = await lab.agents.deliver();
  expect(lab.hub.mostAtOnce).toBe(8);
  expect(new Set(sent.map(({ batchId }) => batchId)).size).toBe(8);
  expect(lab.agents.agents).toMatchObject([{ acknowledged: 8, waiting: 0 }]);
});

fault(
  'slow-body',
  'one byte after the other',
  async (lab) => {
    expect(await lab.agents.deliver({ observations: 1 })).toMatchObject([{ status: 200 }]);
    const [request] = lab.hub.at('ingest');
    expect(request?.pieces).toBeGreaterThan(0.8 * (request?.body.length ?? 0));
  },
  { options: { times: 1, value: 1 } },
);

fault('never-ends-body', 'headers, and nothing until it gives up', async (lab) => {
  const waiting = lab.agents.deliver();
  await expect.poll(() => lab.hub.at('ingest')).toMatchObject([{ isComplete: false, pieces: 0 }]);
  expect(Number(lab.hub.at('ingest')[0]?.headers['content-length'])).toBeGreaterThan(1000);
  await lab.clock.advance(90_000);
  expect(await waiting).toMatchObject([{ status: null, error: 'the hub did not answer within 90 s' }]);
  // It is delivered after all.
  await expect.poll(() => lab.clock.advance(5000).then(() => lab.agents.agents[0]?.acknowledged)).toBe(1);
  lab.hub.clear();
});

fault(
  'revoked-token-kept',
  'after its revocation and after a 401',
  async (lab) => {
    const { agents, hub } = lab;
    await agents.revoke();
    expect(await agents.deliver()).toMatchObject([{ status: 401 }]);
    expect(await agents.deliver({ batches: 2 })).toMatchObject([{ status: 401 }, { status: 401 }]);
    expect(new Set(hub.at('ingest').map(({ headers }) => headers.authorization)).size).toBe(1);
    agents.clearFaults();
    await expect(agents.deliver()).rejects.toThrow('no Agent has a bearer');
  },
  { options: {} },
);

fault('old-token-kept', 'once, and the new one is still good', async (lab) => {
  const { agents, hub } = lab;
  await agents.deliver({ observations: 1 });
  await agents.rotate();
  expect(await agents.deliver({ observations: 1 })).toMatchObject([{ status: 401 }]);
  const [first, second] = hub.at('ingest');
  expect(second?.headers.authorization).toBe(first?.headers.authorization);
  await expect
    .poll(() => lab.clock.advance(5000).then(() => agents.agents[0]))
    .toMatchObject({ waiting: 0, credential: 'active' });
});

fault('loses-rotation-reply', 'the hub has rotated, the Agent does not know', async (lab) => {
  const { agents, hub } = lab;
  expect(await agents.rotate()).toEqual([{ agent: 'laptop-01', status: null }]);
  expect(hub.at('token/rotate')).toMatchObject([{ isComplete: true, status: 200 }]);
  expect(await agents.deliver()).toMatchObject([{ status: 401 }]);
  expect(agents.agents).toMatchObject([{ credential: 'refused' }]);
});

fault('loses-ack', 'the retry is the same, and is told so', async (lab) => {
  expect(await lab.agents.deliver()).toMatchObject([
    { status: null, error: 'the connection was cut before the answer' },
    { status: 200, ack: { accepted: 20, replayed: true } },
  ]);
  const [first, second] = lab.hub.at('ingest');
  expect(first).toMatchObject({ isComplete: true, status: 200 });
  expect(second?.body).toEqual(first?.body);
});

fault('guesses-codes', 'six wrong ones and then the right one', async (lab) => {
  const { agents, hub } = lab;
  await agents.revoke();
  hub.clear();
  expect(await agents.enroll(hub.code())).toMatchObject({ status: 202 });
  const applied = hub.at('enrollment-requests');
  expect(applied.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401, 202]);
  const codes = applied.map(({ body }) => (JSON.parse(body.toString()) as { code: string }).code);
  expect(new Set(codes).size).toBe(7);
  expect(codes.every((code) => /^[0-9A-Z]{6}$/.test(code))).toBe(true);
});

fault('claims-twice', 'the second time for nothing', async (lab) => {
  const { agents, hub } = lab;
  await agents.revoke();
  const { requestId } = await agents.enroll(hub.code());
  hub.approve(requestId ?? '');
  const last = () =>
    hub
      .at('enrollment-requests/claim')
      .slice(-2)
      .map(({ status }) => status);
  await expect.poll(last).toEqual([201, 200]);
  await expect.poll(() => agents.journal().at(-1)).toMatchObject({ kind: 'claimed', answer: 'collected' });
  expect(agents.agents).toMatchObject([{ credential: 'active' }]);
});

fault(
  'foreign-batch-id',
  'the id of another Agent, when that has sent one',
  async (lab) => {
    const { agents } = lab;
    const [own] = await agents.deliver({ agent: 2 });
    const [foreign] = await agents.deliver({ agent: 1 });
    expect(foreign).toMatchObject({
      agent: 'laptop-01',
      batchId: own?.batchId,
      ack: { accepted: 20, replayed: false },
    });
  },
  { count: 2 },
);

fault('bearer-elsewhere', 'to /api/connections in both headers', async (lab) => {
  const { agents, hub } = lab;
  expect(await agents.deliver()).toMatchObject([{ status: 200 }]);
  const bearer = hub.at('ingest')[0]?.headers.authorization;
  const elsewhere = hub.received.filter(({ path }) => path === '/api/connections');
  expect(elsewhere.map(({ headers }) => [headers.authorization, headers['x-admin-token']])).toEqual([
    [bearer, undefined],
    [undefined, bearer?.replace('Bearer ', '')],
  ]);
  expect(agents.journal().filter(({ kind }) => kind === 'elsewhere')).toMatchObject([
    { header: 'authorization', status: 401 },
    { header: 'x-admin-token', status: 401 },
  ]);
});

test('each fault has a sentence, and a test that shows it', () => {
  expectAllShown(shown, agentFaults);
});

test('a fault of one Agent spares the others; impossible options are refused', async () => {
  await using lab = await startAgentLab({ count: 2 });
  lab.agents.fail('bad-json', { command: 'laptop-02' });
  expect((await lab.agents.deliver()).map(({ status }) => status)).toEqual([200, 400]);
  await using alone = await startAgentLab();
  expect(() => alone.agents.fail('foreign-batch-id')).toThrow('needs a second Agent');
  expect(() => alone.agents.fail('bad-json', { afterBytes: 1 })).toThrow('takes no afterBytes');
});

// What becomes of a batch: each answer of the hub, waits on a clock that the test moves, the bound of the spool.
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentFolder, startAgentLab } from '../support/agent-program-lab.ts';
import { type AgentHub, type Fault, startAgentHub } from '../support/fake-agent-hub.ts';
import { collectLog } from '../support/log-lines.ts';
import { seenConnection } from '../support/made-up-watch.ts';
import { ManualClock } from '../support/manual-clock.ts';

const ingest = '/api/agent/ingest';
const deliveries = (hub: AgentHub) => hub.calls.filter(({ what }) => what === `POST ${ingest}`);
const hasDeliveries = (hub: AgentHub, count: number) =>
  expect.poll(() => deliveries(hub).length).toBeGreaterThanOrEqual(count);

/** An Agent, and its warnings: the wait after a failed delivery has begun once the failure is among them. */
async function startWarnedLab(hub: AgentHub) {
  const { log, lines } = collectLog('warn');
  return Object.assign(await startAgentLab(hub, { log }), {
    warnings: lines,
    warned: (sentence: string) => expect.poll(() => lines.map(({ msg }) => msg)).toContain(sentence),
  });
}
const triedAgain = 'the hub does not answer as it should: this is tried again';

describe('a batch', () => {
  test('is delivered whole, in the form of the contract', async () => {
    await using hub = await startAgentHub();
    await using lab = await startAgentLab(hub);
    await lab.take(
      seenConnection(1, { bytesIn: 2n ** 70n, bytesOut: 5n, processName: 'ba\u0007ck' }),
      seenConnection(1, { processName: 'ba\u0007ck', bytesIn: null, bytesOut: 6n, confidence: 'sampled' }),
      seenConnection(2, { processName: '' }),
      seenConnection(3, { remotePort: 0 }),
    );
    await hasDeliveries(hub, 1);
    const [batch] = hub.stored;
    expect(batch?.agent).toMatchObject({ hostName: 'desk', platform: 'linux' });
    expect(batch?.observations).toMatchObject([
      { processName: 'ba\ufffdck', bytesIn: '18446744073709551615', bytesOut: '11', confidence: 'exact' },
      { processName: 'unknown' },
    ]);
    expect(lab.folder.spooled()).toEqual([]);
  });

  test('has at most as many observations, and bytes, as the hub says', async () => {
    await using hub = await startAgentHub();
    hub.capabilities.maxObservationsPerBatch = 3;
    hub.capabilities.maxBodyBytes = 6000;
    await using lab = await startAgentLab(hub);
    await expect.poll(() => hub.calls.length).toBeGreaterThan(0);
    await lab.take(...Array.from({ length: 20 }, (_, number) => seenConnection(number)));
    await expect.poll(() => hub.stored.reduce((sum, { observations }) => sum + observations.length, 0)).toBe(20);
    expect(Math.max(...hub.stored.map(({ observations }) => observations.length))).toBe(3);
    const ports = hub.stored.flatMap(({ observations }) => observations.map(({ localPort }) => localPort));
    expect(ports).toEqual(ports.toSorted((one, other) => one - other));
  });

  test('is on disk before it is sent, and gone after its ACK', async () => {
    await using hub = await startAgentHub();
    hub.fault({ path: ingest, delayMs: 300, times: 1 });
    await using lab = await startAgentLab(hub);
    await lab.take(seenConnection(1));
    await hasDeliveries(hub, 1);
    expect(lab.folder.spooled()).toHaveLength(1);
    await expect.poll(() => lab.folder.spooled()).toEqual([]);
  });
});

const retried: [string, Fault][] = [
  ['500', { path: ingest, status: 500, times: 1 }],
  ['503', { path: ingest, status: 503, times: 1 }],
  ['a lost answer', { path: ingest, loses: true, times: 1 }],
];
test.each(retried)('%s: the same batch again after a back-off, stored once', async (_, fault) => {
  await using hub = await startAgentHub();
  hub.fault(fault);
  await using lab = await startWarnedLab(hub);
  await lab.take(seenConnection(1));
  await lab.warned(triedAgain);
  await lab.advance(4999);
  expect(deliveries(hub)).toHaveLength(1);
  await lab.advance(5001);
  await hasDeliveries(hub, 2);
  expect(hub.stored).toHaveLength(1);
  await expect.poll(() => lab.folder.spooled()).toEqual([]);
});

test('the back-off grows with each failure, and begins anew after a success', async () => {
  await using hub = await startAgentHub();
  hub.fault({ path: ingest, status: 500 });
  await using lab = await startWarnedLab(hub);
  await lab.take(seenConnection(1));
  for (let times = 1; times <= 8; times += 1) {
    await hasDeliveries(hub, times);
    await lab.advance(900_000);
  }
  await lab.advance(5000);
  const { delivery } = lab.folder.json('status') as { delivery: { failure: { failures: number } } };
  expect(delivery).toMatchObject({ failure: { kind: 'retry', reason: expect.stringContaining('500') } });
  // Capabilities that were answered in between do not begin it anew.
  expect(delivery.failure.failures).toBeGreaterThanOrEqual(8);
  hub.clearFaults();
  await lab.advance(900_000);
  await expect.poll(() => hub.stored.length).toBeGreaterThan(0);
  hub.fault({ path: ingest, status: 500, times: 1 });
  lab.warnings.length = 0;
  const before = deliveries(hub).length;
  await lab.take(seenConnection(2));
  await lab.warned(triedAgain);
  await lab.advance(10_000);
  await hasDeliveries(hub, before + 2);
});

test('429 waits as long as the hub says', async () => {
  await using hub = await startAgentHub();
  hub.fault({ path: ingest, status: 429, headers: { 'retry-after': '40' }, times: 1 });
  await using lab = await startWarnedLab(hub);
  await lab.take(seenConnection(1));
  await lab.warned('the hub asks to wait');
  await lab.advance(39_999);
  expect(deliveries(hub)).toHaveLength(1);
  await lab.advance(1);
  await hasDeliveries(hub, 2);
});

const parked: [string, Fault][] = [
  ['an ACK of another batch', { path: ingest, edit: (ack) => ({ ...ack, batchId: 'other' }), times: 1 }],
  ['an ACK with a rejection', { path: ingest, edit: (ack) => ({ ...ack, rejected: 1 }), times: 1 }],
  ['an ACK of fewer observations', { path: ingest, edit: (ack) => ({ ...ack, accepted: 0 }), times: 1 }],
  ['an answer 200 that is no JSON', { path: ingest, edit: () => '<html>', times: 1 }],
  [
    'unsupported_schema_version',
    { path: ingest, status: 400, body: { error: 'no', code: 'unsupported_schema_version', supported: [2] }, times: 1 },
  ],
  ['observation_window', { path: ingest, status: 400, body: { error: 'no', code: 'observation_window' }, times: 1 }],
  ['413', { path: ingest, status: 413, times: 1 }],
];
test.each(parked)('%s: the batch is parked, and the next one is sent', async (_, fault) => {
  await using hub = await startAgentHub();
  hub.fault(fault);
  await using lab = await startAgentLab(hub);
  await lab.take(seenConnection(1));
  await expect.poll(() => lab.folder.parked()).toHaveLength(1);
  expect(lab.folder.spooled()).toEqual([]);
  await lab.take(seenConnection(2));
  await hasDeliveries(hub, 2);
  expect(new Set(deliveries(hub).map(({ status }) => status)).has(200)).toBe(true);
});

test.each([
  [401, { error: 'no', code: 'unauthorized' }],
  [403, { error: 'no', code: 'forbidden' }],
  [400, { error: 'use https', code: 'agent_transport' }],
])(
  '%s %s: nothing is lost, parked or enrolled; it goes on when the hub accepts the same bearer',
  async (status, body) => {
    await using hub = await startAgentHub();
    hub.fault({ path: ingest, status, body });
    await using lab = await startAgentLab(hub);
    for (const number of [1, 2, 3]) {
      await lab.take(seenConnection(number));
    }
    await hasDeliveries(hub, 1);
    await lab.advance(5_000);
    expect(lab.folder.spooled()).toHaveLength(3);
    expect(lab.folder.json('status')).toMatchObject({ delivery: { failure: { kind: 'refused' } } });
    expect(hub.requests).toEqual([]);
    expect(new Set(deliveries(hub).map(({ bearer }) => bearer)).size).toBe(1);
    hub.clearFaults();
    await lab.advance(900_000);
    await expect.poll(() => hub.stored.length).toBe(3);
    expect(lab.folder.parked()).toEqual([]);
  },
);

test('a hub without capabilities is too old: nothing is sent, and the status says so', async () => {
  await using hub = await startAgentHub();
  hub.fault({ path: '/api/agent/capabilities', status: 404 });
  await using lab = await startAgentLab(hub);
  await lab.take(seenConnection(1));
  await lab.advance(20_000);
  expect(deliveries(hub)).toEqual([]);
  expect(lab.folder.json('status')).toMatchObject({
    delivery: { failure: { reason: expect.stringContaining('too old') } },
  });
  hub.clearFaults();
  await lab.advance(900_000);
  await hasDeliveries(hub, 1);
});

test('a full spool drops the oldest batches and counts them; the one under way stays', async () => {
  await using hub = await startAgentHub();
  hub.fault({ path: ingest, status: 500 });
  await using lab = await startAgentLab(hub, { spoolBytes: 4000 });
  for (let number = 1; number <= 20; number += 1) {
    await lab.take(seenConnection(number, { remotePort: number }));
  }
  await lab.advance(5000);
  const { spool } = lab.folder.json('status') as { spool: Record<string, number> };
  expect(spool.bytes).toBeLessThanOrEqual(4000);
  expect(spool.droppedBatches).toBe(20 - lab.folder.spooled().length);
  expect(spool.droppedObservations).toBe(spool.droppedBatches);
  hub.clearFaults();
  await lab.advance(900_000);
  await expect.poll(() => lab.folder.spooled()).toEqual([]);
  const ports = hub.stored.flatMap(({ observations }) => observations.map(({ remotePort }) => remotePort));
  expect(ports.at(-1)).toBe(20);
  expect(ports).toEqual(ports.toSorted((one, other) => one - other));
});

test('a batch that cannot be read stays, is said once with what to do, and is sent a minute after it can be read', async () => {
  await using hub = await startAgentHub();
  hub.fault({ path: ingest, status: 429, headers: { 'retry-after': '40' }, times: 1 });
  const { log, lines } = collectLog('warn');
  await using lab = await startAgentLab(hub, { log });
  await lab.take(seenConnection(1));
  await hasDeliveries(hub, 1);
  const [name = ''] = lab.folder.spooled();
  const file = path.join(lab.folder.files.spool, name);
  // A folder in the place of a file cannot be read by root either.
  renameSync(file, `${file}.aside`);
  mkdirSync(file);
  await lab.take(seenConnection(2));
  await lab.advance(40_000);
  for (let minute = 0; minute < 3; minute += 1) {
    await lab.advance(60_000);
  }
  const said = lines.filter(({ err }) => err?.message.includes('EISDIR'));
  expect(said).toHaveLength(1);
  expect(said[0]?.err?.message).toContain(file);
  expect(said[0]?.msg).toMatch(/nothing is deleted.*every minute/);
  expect(lab.folder.json('status')).toMatchObject({
    spool: { batches: 2, droppedBatches: 0 },
    delivery: { failure: { kind: 'disk', reason: expect.stringContaining('EISDIR') }, nextTryAt: expect.any(Number) },
  });
  rmdirSync(file);
  renameSync(`${file}.aside`, file);
  await lab.advance(60_000);
  await expect.poll(() => hub.stored.length).toBe(2);
  await lab.advance(10_000);
  expect(lab.folder.json('status')).toMatchObject({ delivery: { failure: null } });
  expect(lab.folder.spooled()).toEqual([]);
});

test('stays under the requests a minute that the hub allows, also when it catches up', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  folder.enrolled(hub);
  hub.fault({ path: ingest, status: 500 });
  hub.capabilities.maxObservationsPerBatch = 1;
  hub.capabilities.requestsPerMinute = 30;
  await using lab = await startAgentLab(hub, { folder });
  await expect.poll(() => hub.calls.length).toBeGreaterThan(0);
  await lab.take(...Array.from({ length: 60 }, (_, number) => seenConnection(number)));
  await hasDeliveries(hub, 1);
  hub.clearFaults();
  await lab.advance(10_001);
  await hasDeliveries(hub, 2);
  let most = 0;
  for (let minute = 0; minute < 3; minute += 1) {
    const before = deliveries(hub).length;
    for (let step = 0; step < 60; step += 1) {
      await lab.advance(1000);
    }
    most = Math.max(most, deliveries(hub).length - before);
  }
  expect(most).toBeLessThan(30);
  expect(most).toBeGreaterThan(20);
});

test('the same batch ids after a restart', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  folder.enrolled(hub);
  hub.fault({ path: ingest, loses: true });
  {
    await using first = await startAgentLab(hub, { folder });
    await first.take(seenConnection(1));
    await hasDeliveries(hub, 1);
  }
  hub.clearFaults();
  await using _second = await startAgentLab(hub, { folder });
  await hasDeliveries(hub, 2);
  expect(new Set(hub.received).size).toBe(1);
  expect(hub.stored).toHaveLength(1);
});

test('a stop sends no faster than the hub allows, and ends in five seconds', async () => {
  await using hub = await startAgentHub();
  using folder = agentFolder();
  folder.enrolled(hub, new ManualClock().now());
  hub.capabilities.maxObservationsPerBatch = 1;
  hub.capabilities.requestsPerMinute = 30;
  await using lab = await startAgentLab(hub, { folder });
  await expect.poll(() => hub.calls.length).toBeGreaterThan(0);
  lab.takes.push(Array.from({ length: 20 }, (_, number) => seenConnection(number)));
  const finished = lab.agent.finish();
  await hasDeliveries(hub, 1);
  for (let second = 0; second < 6; second += 1) {
    await lab.clock.advance(1000);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await finished;
  expect(deliveries(hub).length).toBeLessThanOrEqual(3);
  expect(folder.spooled().length).toBe(20 - hub.stored.length);
});

// What the list and the detail say of the first and the last packet.
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { batchOf, enrolAgent, observation } from '../support/agents.ts';
import { type Lab, pollIntervalMs, startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';

const flow = { src: '192.168.100.23', dst: '203.0.113.80', dport: 443, proto: 'tcp', sport: 50_211 } as const;
const id = `${flow.src},${flow.dst},443,TCP`;

const uncertaintyOf = async (lab: Lab<never>) =>
  (await lab.as.admin.connections.detail({ params: { id } })).uncertainty;

test('two routers list one connection, and end it one after the other', async () => {
  const routers = { a: 'vendor_a', b: 'vendor_b' } as const;
  await using lab = await startLab({ routers });
  const ends = [lab.routers.a, lab.routers.b].map((router) => router.flow(flow));
  const startedAt = lab.clock.now();
  await lab.poll();
  const both = [lab.routers.a.id, lab.routers.b.id].sort();
  expect(await uncertaintyOf(lab)).toMatchObject({ firstSeen: { from: 'entry_age' }, lastSeen: { listedBy: both } });
  ends[0]?.end('fin');
  await lab.poll();
  await lab.poll();
  expect((await uncertaintyOf(lab))?.lastSeen).toMatchObject({ from: 'entry_timer', listedBy: [lab.routers.b.id] });
  ends[1]?.end('fin');
  const endedAt = lab.clock.now();
  await lab.poll();
  await lab.poll();
  const { firstSeen, lastSeen } = (await uncertaintyOf(lab)) ?? {};
  expect(lastSeen?.listedBy).toEqual([]);
  for (const [at, span] of [
    [startedAt, firstSeen],
    [endedAt, lastSeen],
  ] as const) {
    expect(span?.notBefore).toBeLessThanOrEqual(at);
    expect(span?.notAfter).toBeGreaterThanOrEqual(at);
    expect((span?.notAfter ?? 0) - (span?.notBefore ?? 0)).toBeLessThanOrEqual(3 * pollIntervalMs);
  }
});

test('the list has it when asked, in pages and at once', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  lab.routers.a.flow(flow);
  await lab.poll();
  const uncertainty = await uncertaintyOf(lab);
  const { list } = lab.as.admin.connections;
  for (const paging of [{}, { limit: '1' }, { limit: '1', sort: 'dst' }]) {
    const query = { fDst: flow.dst, fSrc: flow.src, ...paging };
    const [plain] = (await list({ query })).connections;
    expect((await list({ query: { ...query, include: 'uncertainty' } })).connections).toEqual([
      { ...plain, uncertainty },
    ]);
    expect(plain).not.toHaveProperty('uncertainty');
  }
  const wrong = list({ query: { include: 'everything' as 'uncertainty' } });
  expect(await refusal(wrong)).toMatchObject({ status: 400, code: 'invalid_query', message: /must be uncertainty/ });
});

test.each([
  ['exact', 'agent_event'],
  ['sampled', 'agent_poll'],
])('what an Agent reports as %s is from %s: only events say when it ended', async (confidence, from) => {
  await using lab = await startLab();
  const { client } = await enrolAgent(lab);
  const at = lab.clock.now();
  const body = batchOf(at, [observation(at, { remoteAddress: flow.dst, confidence })]);
  await client.agents.ingest({ body });
  await lab.settled();
  const [row] = (await lab.as.admin.connections.list({ query: { fDst: flow.dst, include: 'uncertainty' } }))
    .connections;
  const { firstSeen, lastSeen } = row ?? { firstSeen: 0, lastSeen: 0 };
  const isEvent = from === 'agent_event';
  expect(row?.uncertainty).toEqual({
    firstSeen: { notBefore: isEvent ? firstSeen : null, notAfter: firstSeen, from },
    lastSeen: { notBefore: isEvent ? firstSeen : null, notAfter: isEvent ? lastSeen : null, from, listedBy: [] },
  });
});

test('nothing is said of what was recorded before, until a router shows it again', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  lab.routers.a.flow(flow);
  await lab.poll();
  const { firstSeen } = (await lab.as.admin.connections.detail({ params: { id } })).connection;
  const db = new Database(path.join(lab.dataDir, 'monitor.db'));
  db.exec(
    'UPDATE flow SET first_early = NULL, first_late = NULL, last_early = NULL, last_late = NULL, seen_by = NULL, listed_by = NULL',
  );
  db.close();
  expect(await uncertaintyOf(lab)).toBeNull();
  await lab.poll();
  expect(await uncertaintyOf(lab)).toMatchObject({
    firstSeen: { notBefore: null, notAfter: firstSeen },
    lastSeen: { notBefore: expect.any(Number), listedBy: [lab.routers.a.id] },
  });
});

test('a flow that stands still is not written again', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
  for (const router of Object.values(lab.routers)) {
    router.flow({ ...flow, lastsMs: 1 });
  }
  await lab.poll();
  await lab.poll();
  const before = await uncertaintyOf(lab);
  expect(before?.lastSeen.listedBy).toHaveLength(2);
  for (let poll = 0; poll < 5; poll += 1) {
    await lab.poll();
    expect(await uncertaintyOf(lab)).toEqual(before);
  }
});

test('without timers nothing is written for a session that is listed and no more in use', async () => {
  const plain = { kind: 'vendor_b', profile: 'ios12-legacy' } as const;
  await using lab = await startLab({ routers: { a: plain }, records: { a: { legacyAlgorithms: true } } });
  lab.routers.a.flow({ ...flow, lastsMs: 1 });
  const columns = () => {
    const db = new Database(path.join(lab.dataDir, 'monitor.db'), { readonly: true });
    const row = db.prepare('SELECT f.* FROM flow f JOIN destination d ON d.id = f.destination_id WHERE address = ?');
    const found = row.get(flow.dst);
    db.close();
    return found;
  };
  for (let poll = 0; poll < 63; poll += 1) {
    await lab.poll();
  }
  const before = columns();
  await lab.poll();
  await lab.poll();
  expect(before).toBeDefined();
  expect(columns()).toEqual(before);
  expect((await uncertaintyOf(lab))?.lastSeen).toMatchObject({ notAfter: null, listedBy: [lab.routers.a.id] });
});

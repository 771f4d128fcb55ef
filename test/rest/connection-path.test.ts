// The path of a connection over several routers: in the detail, in the export, and for as long as it is true.
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ConnectionPath } from '#contract/path.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { dayMs } from '#kernel/time/time.ts';
import { nat } from '../hub/collect/routers/polls.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { connectThrough } from '../support/router-series.ts';

const wan = '192.168.20.7';
const common = { hosts: 0, sessions: 0 } as const;
const inner = { ...common, kind: 'vendor_b', settings: { lanAddress: '192.168.10.1', wanAddress: wan } } as const;
const outer = {
  ...common,
  kind: 'vendor_a',
  settings: { lanAddress: '192.168.20.1', wanAddress: '203.0.113.9' },
} as const;

const start = () => startLab({ routers: { inner, outer } });
type Two = Lab<'inner' | 'outer'>;

const request = { dst: '198.18.0.80', dport: 443, lastsMs: 3_600_000, everyMs: 5_000 };
const sources = ['192.168.10.21', '192.168.10.22', '192.168.10.23'];
const idOf = (src: string, dst = request.dst) => `${src},${dst},443,TCP`;

function connectAll({ routers }: Two, dst = request.dst): void {
  for (const [index, src] of sources.entries()) {
    connectThrough([routers.inner, routers.outer], { ...request, dst, src, sport: 50_000 + index });
  }
}

async function pathOf(lab: Two, id: string): Promise<ConnectionPath> {
  return (await lab.as.admin.connections.detail({ params: { id } })).path;
}

test('behind a translation there are several connections, and double NAT is named', async () => {
  await using lab = await start();
  connectAll(lab);
  await lab.poll();
  await lab.poll();
  const { inner: first, outer: last } = lab.routers;
  const way = await pathOf(lab, idOf(wan));
  expect(way).toMatchObject({ state: 'ordered', doubleNat: 'seen', seenAt: expect.any(Number) });
  expect(way.hops).toEqual([
    {
      ...{ routerId: first.id, name: 'inner', position: 'inside' },
      ...{ connections: expect.arrayContaining(sources.map((src) => idOf(src))), connectionsTotal: 3 },
      ...{ inside: null, outside: { address: wan, port: null } },
    },
    {
      ...{ routerId: last.id, name: 'outer', position: 'outside' },
      ...{ connections: [idOf(wan)], connectionsTotal: 1 },
      ...{ inside: { address: wan, port: null }, outside: { address: '203.0.113.9', port: null } },
    },
  ]);
  expect(way.message).toBe(
    `inner translates 3 connections to ${wan}, then outer translates ${wan} to 203.0.113.9: double NAT`,
  );
  expect((await pathOf(lab, idOf(sources[0] ?? ''))).message).toBe(
    `inner translates ${sources[0]} to ${wan}, then outer translates ${wan} to 203.0.113.9: double NAT`,
  );
});

test('the export says it of each row', async () => {
  await using lab = await start();
  connectAll(lab);
  connectThrough([lab.routers.outer], { ...request, src: '192.168.20.30' });
  await lab.poll();
  await lab.poll();
  const { inner: first, outer: last } = lab.routers;
  const file = (format: string) =>
    fetch(new URL(`/api/connections/export?format=${format}&from=0`, lab.url), {
      headers: { 'x-admin-token': lab.adminToken },
    });
  const { connections } = (await (await file('json')).json()) as { connections: Record<string, unknown>[] };
  const shown = Object.fromEntries(
    connections.map(({ src, path, pathState, doubleNat }) => [src, { path, pathState, doubleNat }]),
  );
  const both = { path: [first.id, last.id], pathState: 'ordered', doubleNat: 'seen' };
  expect(shown).toEqual({
    ...Object.fromEntries(sources.map((src) => [src, both])),
    [wan]: both,
    '192.168.20.30': { path: [last.id], pathState: 'single', doubleNat: 'no' },
  });
  const [head, ...rows] = (await (await file('csv')).text()).split('\r\n');
  expect(head).toMatch(/,path,pathState,doubleNat$/);
  expect(rows.find((row) => row.includes(`"${sources[0]}"`))).toMatch(
    new RegExp(`,"${first.id}\\|${last.id}","ordered","seen"$`),
  );
});

test('what was found stays after a restart and the end of the sessions, and goes with the flows', async () => {
  await using lab = await start();
  connectAll(lab);
  await lab.poll();
  await lab.poll();
  const id = idOf(sources[0] ?? '');
  const before = await pathOf(lab, id);
  await lab.restart();
  for (const router of [lab.routers.inner, lab.routers.outer]) {
    router.clearTable();
  }
  await lab.poll();
  expect(await pathOf(lab, id)).toEqual(before);
  await lab.as.admin.config.saveGeneral({ body: { retentionDays: 7 } });
  await lab.skip(9 * dayMs);
  connectThrough([lab.routers.inner], { ...request, src: sources[0] ?? '' });
  await lab.poll();
  await lab.poll();
  expect(await pathOf(lab, id)).toMatchObject({ state: 'single', hops: [{ routerId: lab.routers.inner.id }] });
  const db = new ReadConnection(path.join(lab.dataDir, 'monitor.db'), 64);
  const known = db.prepare('SELECT address FROM router_address').pluck().all();
  db.close();
  expect(known).toEqual([wan]);
});

/** Both tables were read, and the outer one knows the address of the inner router. */
async function startKnown(): Promise<Two> {
  const lab = await start();
  connectThrough([lab.routers.outer], { ...request, src: wan, dst: '198.18.0.99' });
  await lab.poll();
  return lab;
}

async function expectSingle(lab: Two): Promise<void> {
  const { connections } = await lab.as.admin.connections.list({ query: {} });
  expect(new Set(connections.flatMap(({ observedBy }) => observedBy)).size).toBe(2);
  for (const { src, dst } of connections) {
    expect(await pathOf(lab, idOf(src, dst))).toMatchObject({ state: 'single' });
  }
}

test.each(['truncated', 'garbage'] as const)('a table that is not whole proves nothing: %s', async (fault) => {
  await using lab = await startKnown();
  lab.routers.outer.fail(fault, { command: nat('vendor_a'), afterBytes: 900 });
  connectAll(lab);
  connectAll(lab, '198.18.0.81');
  await lab.poll();
  await lab.poll();
  await expectSingle(lab);
});

test('tables that are further apart than two intervals are not compared', async () => {
  await using lab = await startKnown();
  const { inner: first, outer: last } = lab.routers;
  const ports = sources.map((src) => connectThrough([first], { ...request, src })[0]?.outside.port);
  await lab.poll();
  first.fail('sessions-full');
  first.kick();
  for (let round = 0; round < 4; round += 1) {
    await lab.poll();
  }
  for (const port of ports) {
    connectThrough([last], { ...request, src: wan, ...(port === undefined ? {} : { sport: port }) });
  }
  await lab.poll();
  await expectSingle(lab);
});

test('a router that is another one now is not compared with what the one before showed', async () => {
  await using lab = await startKnown();
  const { inner: first, outer: last } = lab.routers;
  const ports = sources.map((src) => connectThrough([first], { ...request, src })[0]?.outside.port);
  await lab.poll();
  await lab.as.admin.routers.update({ params: { id: first.id }, body: { enabled: false } });
  for (const port of ports) {
    connectThrough([last], { ...request, src: wan, ...(port === undefined ? {} : { sport: port }) });
  }
  await lab.poll();
  await expectSingle(lab);
});

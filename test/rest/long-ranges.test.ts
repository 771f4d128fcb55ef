// Windows that begin before what the hub keeps, while ClickHouse does not answer: the log answers, and says why.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createHistory } from '#hub/record/connections/history/history.ts';
import { openClient } from '#hub/record/sink/client.ts';
import { isoTime, systemClock } from '#kernel/time/clock.ts';
import { startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import type { ClickHouseFault } from '#simulators/clickhouse/faults.ts';
import { startLab } from '../support/lab.ts';
import { sinkSettingsFor } from '../support/sink-lab.ts';

const day = 86_400_000;
const minute = 60_000;

async function startScene() {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startClickHouse());
  const lab = opened.use(await startLab({ hub: { sink: sinkSettingsFor(server) } }));
  const selects = () => server.journal().filter((entry) => JSON.stringify(entry).includes('SELECT'));
  const held = opened.move();
  return { server, lab, selects, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const faults: Partial<Record<ClickHouseFault, RegExp>> = {
  unavailable: /ClickHouse did not answer \(.+\), and the hub keeps connections for 730 days/,
  'cut-connection': /ClickHouse did not answer \(.+\)/,
  'table-missing': /ClickHouse did not answer \(.+does not exist.*\)/,
};

for (const [fault, sentence] of Object.entries(faults) as [ClickHouseFault, RegExp][]) {
  test(`${fault}: the log answers with what it has, and says so`, async () => {
    await using scene = await startScene();
    const { lab, server } = scene;
    server.fail(fault, { command: 'SELECT' });
    const query = { from: String(lab.clock.now() - 800 * day), to: String(lab.clock.now()) };
    const summary = await lab.as.admin.connections.summary({ query });
    expect(summary).toMatchObject({ total: 0, longRange: { answeredBy: 'log', until: null } });
    expect(summary.longRange?.message).toMatch(sentence);
    const counts = await lab.as.admin.connections.threatCounts({ query });
    expect(counts).toMatchObject({ safe: 0, longRange: { answeredBy: 'log' } });
  });
}

test('no answer: the hub serves others meanwhile, and the log answers after 30 seconds', async () => {
  await using scene = await startScene();
  const { lab, server, selects } = scene;
  server.fail('no-answer', { command: 'SELECT', times: 1 });
  const query = { from: String(lab.clock.now() - 800 * day), to: String(lab.clock.now()) };
  const waiting = lab.as.admin.connections.summary({ query });
  await expect.poll(() => selects().length).toBe(1);
  expect((await fetch(new URL('healthz', lab.url))).status).toBe(200);
  await lab.advance(30_000);
  expect((await waiting).longRange?.message).toMatch(/no answer within 30 s/);
});

test('ClickHouse that holds less than the log does not answer', async () => {
  await using server = await startClickHouse();
  await using lab = await startLab({
    routers: { home: { kind: 'vendor_a', sessions: 8, traffic: true, seed: 7 } },
    hub: { sink: sinkSettingsFor(server) },
  });
  const query = () => ({ from: String(lab.clock.now() - 800 * day), to: String(lab.clock.now()) });
  for (let half = 0; half < 4; half += 1) {
    await lab.skip(30 * minute);
  }
  await lab.advance(minute);
  expect(server.rows.held().length).toBeGreaterThan(0);
  server.rows.clear();
  const none = await lab.as.admin.connections.threatCounts({ query: query() });
  expect(none.safe).toBeGreaterThan(0);
  const kept = 'the hub keeps connections for 730 days: older ones are not in these totals';
  const message = `ClickHouse holds no hour of this hub, less than the log of the hub, which answers: ${kept}.`;
  expect(none.longRange).toEqual({ answeredBy: 'log', until: null, message });
  const newest = `${isoTime(lab.clock.now()).slice(0, 13).replace('T', ' ')}:00:00`;
  server.rows.insert(['hub', 'hour', 'flow', 'version'], `attic\t${newest}\t1\t1\n`, null);
  const some = await lab.as.admin.connections.threatCounts({ query: query() });
  expect(some.safe).toBeGreaterThan(0);
  expect(some.longRange).toMatchObject({ answeredBy: 'log', until: null });
  expect(some.longRange?.message).toMatch(/^ClickHouse holds hours of this hub from \S+Z on, less than the log/);
});

test('a window that the hub keeps is not asked elsewhere', async () => {
  await using scene = await startScene();
  const { lab, selects } = scene;
  const query = { from: String(lab.clock.now() - 700 * day), to: String(lab.clock.now()) };
  expect(await lab.as.admin.connections.summary({ query })).not.toHaveProperty('longRange');
  expect(selects()).toEqual([]);
});

test('without ClickHouse the answer says what the hub does not keep', async () => {
  await using lab = await startLab({});
  const query = { from: String(lab.clock.now() - 800 * day), to: String(lab.clock.now()) };
  const { longRange } = await lab.as.admin.connections.summary({ query });
  const message = 'the hub keeps connections for 730 days: older ones are not in these totals.';
  expect(longRange).toEqual({ answeredBy: 'log', until: null, message });
});

test('a caller that leaves ends the query, whose values are parameters', async () => {
  const asked: IncomingMessage[] = [];
  const server = createServer((request) => void asked.push(request)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using _server = { [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
  const { port } = server.address() as AddressInfo;
  const settings = {
    ...{ url: new URL(`http://127.0.0.1:${port}`), database: 'gatehouse', ca: null, hub: "attic' OR 1" },
    ...{ writer: { name: 'writer', password: '' }, ttlDays: null },
  };
  const reader = { name: 'reader', password: '' };
  await using history = createHistory({
    ...{ clock: systemClock, log: { warn: () => {} }, logBegins: () => null, retentionDays: () => 30 },
    keptSince: () => systemClock.now() - 30 * 86_400_000,
    source: { hub: settings.hub, open: () => openClient({ ...settings, reader }, reader) },
  });
  const leaving = new AbortController();
  const answer = history.summary(
    { filter: { from: 0 }, src: [], target: undefined, country: undefined, buckets: 4 },
    leaving.signal,
  );
  await expect.poll(() => asked.length).toBe(1);
  const url = new URL(asked[0]?.url ?? '', settings.url);
  expect(url.searchParams.get('param_hub')).toBe("attic\\' OR 1");
  expect(url.searchParams.get('cancel_http_readonly_queries_on_client_close')).toBe('1');
  expect(url.searchParams.get('query_id')).toMatch(/^[0-9a-f-]{36}$/);
  const closed = new Promise((resolve) => asked[0]?.socket.once('close', resolve));
  leaving.abort(new Error('the caller left'));
  await expect(answer).rejects.toThrow('the caller left');
  await closed;
});

// The facts of a period and of the one before: their bounds, what they are limited by, and that nothing leaves the hub.
import diagnostics from 'node:diagnostics_channel';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { hourMs, minuteMs } from '#kernel/time/time.ts';
import { device, startDetectionLab } from '../support/detection-lab.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const dayMs = 24 * hourMs;
const [warned, listed] = ['203.0.113.81', '203.0.113.80'];

/** What the list says between `from` and the last instant before `to`. */
async function countListed(
  lab: Lab<never>,
  { from, to }: { from: number; to: number },
  filter: Record<string, string>,
) {
  const query = { from: String(from), to: String(to - 1), limit: '0', ...filter };
  return (await lab.as.admin.connections.list({ query })).total;
}

verifies(
  'rest.ai-facts.range rest.ai-facts.14-days',
  'from is required, to is now when left out; empty and too long periods are refused in words',
  async () => {
    await using lab = await startLab();
    const now = lab.clock.now();
    const ask = (search: string) => lab.as.raw({ method: 'GET', path: `/api/ai/facts?${search}` });
    const open = await ask(`from=${now - hourMs}`);
    expect(open).toMatchObject({
      status: 200,
      body: {
        serverTime: now,
        range: { from: now - hourMs, to: now, durationMs: hourMs },
        previousRange: { from: now - 2 * hourMs, to: now - hourMs, durationMs: hourMs },
        sourceScope: null,
      },
    });
    expect((await ask(`from=${now - limits.factsMs}&to=${now}`)).status).toBe(200);
    const refused = {
      '': /^from is required/,
      [`from=${now}`]: /^to must be later than from/,
      'from=5&to=4': /^to must be later than from/,
      [`from=${'9'.repeat(20)}`]: /^to must be later than from/,
      [`from=${'9'.repeat(20)}&to=${'9'.repeat(20)}`]: /^to must be later than from/,
      [`from=${now - limits.factsMs - 1}&to=${now}`]: /14 days/,
      'from=x': /^from must be epoch milliseconds/,
      [`from=${now - 1}&sourceKind=router`]: /^sourceId is missing/,
      [`from=${now - 1}&sourceKind=router&sourceId=nobody`]: /^sourceId is no router/,
      [`from=${now - 1}&more=1`]: /more/,
    };
    for (const [search, message] of Object.entries(refused)) {
      const { status, body } = await ask(search);
      expect([search, status]).toEqual([search, 400]);
      expect((body as { error: string }).error).toMatch(message);
    }
  },
);

verifies(
  'rest.ai-facts.periods',
  'one sighting lies in one of two periods that meet, also on the instant at which they do',
  async () => {
    await using lab = await startDetectionLab();
    lab.contact(listed);
    await lab.poll();
    const { connections } = await lab.as.admin.connections.list({ query: { fDst: [listed] } });
    const { firstSeen, lastSeen } = connections[0] ?? { firstSeen: 0, lastSeen: 0 };
    expect(firstSeen).toBeGreaterThan(0);
    const around = async (from: number, to: number) => {
      const { current, previous } = await lab.as.admin.ai.facts({ query: { from: String(from), to: String(to) } });
      return [previous.connections, current.connections];
    };
    // Nothing else is in the log.
    expect(connections).toHaveLength(1);
    expect(await around(firstSeen, firstSeen + dayMs)).toEqual([0, 1]);
    expect(await around(lastSeen + 1, lastSeen + 1 + dayMs)).toEqual([1, 0]);
    expect(await around(firstSeen - dayMs, firstSeen)).toEqual([0, 0]);
  },
);

verifies(
  'rest.ai-facts.counts rest.ai.facts-always',
  'each count is the total of the list for the same period and filter, without any provider',
  async () => {
    await using lab = await startDetectionLab();
    lab.contact(warned, 8443);
    lab.contact('198.51.100.7');
    await lab.poll();
    await lab.skip(2 * hourMs);
    for (const dst of [listed, warned, '198.51.100.9']) {
      lab.contact(dst);
    }
    await lab.poll();
    await lab.list(listed);
    await lab.list(warned, { level: 'warn' });
    await lab.poll();
    const query = { from: String(lab.clock.now() - hourMs) };
    const facts = await lab.as.admin.ai.facts({ query: { ...query, to: String(lab.clock.now() + 1) } });
    expect(facts.current).toEqual({ connections: 3, devices: 1, destinations: 3, safe: 1, warn: 1, danger: 1 });
    const wide = await lab.as.admin.ai.facts({ query: { from: String(lab.clock.now() - 2 * hourMs) } });
    expect(wide.previous).toEqual({ connections: 2, devices: 1, destinations: 2, safe: 1, warn: 1, danger: 0 });
    for (const [range, counts] of [
      [wide.range, wide.current],
      [wide.previousRange, wide.previous],
    ] as const) {
      expect(await countListed(lab, range, {})).toBe(counts.connections);
      for (const level of ['safe', 'warn', 'danger'] as const) {
        expect([level, await countListed(lab, range, { fThreat: level })]).toEqual([level, counts[level]]);
      }
    }
    expect(facts.topServices).toEqual([{ port: 443, protocol: 'TCP', connections: 3 }]);
    expect(facts.topDestinations.map(({ ip, connections }) => [ip, connections])).toEqual([
      ['198.51.100.9', 1],
      [listed, 1],
      [warned, 1],
    ]);
    expect(facts).toMatchObject({ judged: 'none', judgedWhy: { reason: 'offline_mode' } });
    expect(await lab.as.admin.connections.list({ query: { fSrc: [device], limit: '0' } })).toMatchObject({ total: 5 });
  },
);

test('coverage is that of each period, and of the scope that was asked', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
  const set = lab.clock.now();
  for (let read = 0; read < 10; read += 1) {
    await lab.poll();
  }
  const facts = await lab.as.admin.ai.facts({ query: { from: String(set + 5 * minuteMs) } });
  const { from, to } = facts.previousRange;
  const of = (query: { from: string; to?: string }) => lab.as.admin.coverage.coverage({ query });
  expect(facts.coverage.share).toBe((await of({ from: String(facts.range.from) })).share);
  expect(facts.previousCoverage.share).toBe((await of({ from: String(from), to: String(to) })).share);
  const before = await lab.as.admin.ai.facts({ query: { from: String(set - dayMs), to: String(set - hourMs) } });
  expect(before).toMatchObject({ coverage: { share: null }, previousCoverage: { share: null } });
  const { id } = lab.routers.b;
  const scope = { sourceKind: 'router', sourceId: id } as const;
  const scoped = await lab.as.admin.ai.facts({ query: { from: String(set + 5 * minuteMs), ...scope } });
  expect(scoped).toMatchObject({ sourceScope: scope, coverage: { share: 1, message: null } });
});

verifies(
  'rest.ai-facts.routers',
  'how routers are read is said in one word and router by router, without anything that opens one',
  async () => {
    await using lab = await startLab({ routers: { a: { kind: 'vendor_a', sessions: 3 }, b: 'vendor_b' } });
    const { a, b } = lab.routers;
    const collection = async () =>
      (await lab.as.admin.ai.facts({ query: { from: String(lab.clock.now() - 1) } })).collection;
    await lab.poll();
    const well = await collection();
    const { routers } = await lab.as.admin.routers.list({});
    expect(well).toMatchObject({ health: 'ok', enabledCount: 2, readyCount: 2, reportedSessions: 3 });
    expect(well.routers).toEqual(
      routers.map(({ id, kind, displayName, enabled, ready, sessionCount, lastSuccessAt }) => ({
        ...{ id, kind, displayName, enabled, ready, sessionCount, lastSuccessAt },
      })),
    );
    expect(well.lastUpdatedAt).toBe(Math.max(...routers.map(({ lastSuccessAt }) => lastSuccessAt ?? 0)));
    a.fail('half-open');
    a.fail('hang');
    await lab.pollThroughSilence();
    await lab.pollThroughSilence();
    expect(await collection()).toMatchObject({ health: 'partial', enabledCount: 2, readyCount: 1 });
    await lab.as.admin.routers.update({ params: { id: b.id }, body: { enabled: false } });
    expect(await collection()).toMatchObject({ health: 'error', enabledCount: 1, readyCount: 0 });
    await lab.as.admin.routers.update({ params: { id: a.id }, body: { enabled: false } });
    expect(await collection()).toMatchObject({ health: 'off', enabledCount: 0, lastUpdatedAt: null });
  },
);

verifies('rest.ai-facts.local', 'while the facts are computed the hub opens no connection to anything', async () => {
  await using lab = await startDetectionLab();
  lab.contact(listed);
  await lab.poll();
  const [opened, connected]: [Socket[], unknown[]] = [[], []];
  const note = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    opened.push(socket);
    socket.once('connect', () => connected.push(socket.remotePort));
  };
  diagnostics.subscribe('net.client.socket', note);
  const [from, to] = [lab.clock.now() - hourMs, lab.clock.now() + 1].map(String);
  const facts = await lab.as.admin.ai.facts({ query: { from: String(from), to: String(to) } });
  // One that is seen, so that none at all says something.
  await new Promise((done) =>
    get(new URL('/healthz', lab.url), { agent: false }, (seen) => seen.resume().on('end', done)),
  );
  diagnostics.unsubscribe('net.client.socket', note);
  expect(facts.current.connections).toBe(1);
  // Those of this test alone.
  expect(connected.length).toBeGreaterThan(0);
  expect(connected).toEqual(opened.map(() => Number(lab.url.port)));
  expect(lab.chat.messages).toEqual([]);
});

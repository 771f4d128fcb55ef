// Router and Agent on one machine's connections: what both saw, and what one of them did not see and why that is likely.
import { expect, test } from 'vitest';
import { isoTime } from '#kernel/time/clock.ts';
import { batchOf, enrolAgent, observation } from '../support/agents.ts';
import { startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';

const minute = 60_000;
const src = '192.168.100.23';

test('sessions are compared one by one, each difference with its reason', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  const { client, agentId } = await enrolAgent(lab);
  const router = lab.routers.a;
  const deliver = (observations: ReturnType<typeof observation>[]) =>
    client.agents.ingest({ body: batchOf(lab.clock.now(), observations) });
  // The first delivery says which addresses the machine has.
  await deliver([observation(lab.clock.now(), { remoteAddress: '192.168.100.1', collector: 'socket-table' })]);
  await lab.settled();
  router.flow({ src, sport: 50_001, dst: '203.0.113.1', dport: 443, lastsMs: 5 * minute });
  router.flow({ src, sport: 50_002, dst: '203.0.113.2', dport: 443, lastsMs: 5 * minute });
  router.flow({
    src,
    sport: 50_003,
    dst: '203.0.113.3',
    dport: 443,
    proto: 'udp',
    everyMs: 5000,
    lastsMs: 5 * minute,
  });
  router.flow({ src: '192.168.100.77', sport: 50_004, dst: '203.0.113.4', dport: 443, lastsMs: 5 * minute });
  await lab.poll();
  const at = lab.clock.now();
  const seen = (remoteAddress: string, localPort: number, more = {}) =>
    observation(at, {
      remoteAddress,
      localPort,
      firstObservedAt: isoTime(at - minute),
      collector: 'socket-table',
      ...more,
    });
  await deliver([
    seen('203.0.113.1', 50_001),
    seen('203.0.113.9', 50_009),
    seen('2001:db8::9', 50_010, { localAddress: '2001:db8::2' }),
  ]);
  for (let polls = 0; polls < 6; polls += 1) {
    await lab.poll();
  }
  await deliver([
    observation(lab.clock.now(), { remoteAddress: '192.168.100.1', collector: 'socket-table' }),
    observation(lab.clock.now() - 2 * minute + 1, { remoteAddress: '203.0.113.10', collector: 'socket-table' }),
    observation(lab.clock.now() - 2 * minute, { remoteAddress: '203.0.113.11', collector: 'socket-table' }),
  ]);
  await lab.settled();
  const found = await lab.as.admin.agents.reconciliation({ params: { agentId }, query: {} });
  expect(found).toMatchObject({ agentId, to: lab.clock.now(), clockSkewMs: 0, truncated: false });
  expect(found.both).toEqual({ exact5tuple: 1, unique4tupleTime: 0, ambiguous: 0 });
  expect(found.routerOnly.sessions.map(({ dst, reason, routerId }) => [dst, reason, routerId]).sort()).toEqual([
    ['203.0.113.2', 'shorter_than_interval', lab.routers.a.id],
    ['203.0.113.3', 'unconnected_udp', lab.routers.a.id],
  ]);
  expect(found.routerOnly.byReason).toEqual({ shorter_than_interval: 1, unconnected_udp: 1 });
  expect(found.agentOnly.sessions.map(({ dst, reason, process }) => [dst, reason, process]).sort()).toEqual([
    ['192.168.100.1', 'local_destination', 'backupd'],
    ['192.168.100.1', 'local_destination', 'backupd'],
    ['2001:db8::9', 'ipv6_not_translated', 'backupd'],
    ['203.0.113.10', 'not_yet_polled', 'backupd'],
    ['203.0.113.11', 'shorter_than_poll', 'backupd'],
    ['203.0.113.9', 'shorter_than_poll', 'backupd'],
  ]);
  for (const { explanation } of [...found.routerOnly.sessions, ...found.agentOnly.sessions]) {
    expect(explanation).toMatch(/^[A-Z].{20,}\.$/);
  }
  // The Agent saw this session a minute, routers for longer: at the edges of a range the other side may lie outside.
  const after = { from: String(at + minute / 2), to: String(at + 2 * minute) };
  expect((await lab.as.admin.agents.reconciliation({ params: { agentId }, query: after })).both.exact5tuple).toBe(1);
  const some = await lab.as.admin.agents.reconciliation({ params: { agentId }, query: { limit: '1' } });
  expect([some.routerOnly.total, some.routerOnly.sessions.length]).toEqual([2, 1]);
});

test('bad ranges and unknown Agents are refused', async () => {
  await using lab = await startLab();
  const { agentId } = await enrolAgent(lab);
  const ask = (query: Record<string, string>, id = agentId) =>
    refusal(lab.as.admin.agents.reconciliation({ params: { agentId: id }, query }));
  expect((await ask({ from: '5', to: '4' })).code).toBe('invalid_query');
  expect((await ask({ from: '0' })).code).toBe('range_too_long');
  const now = lab.clock.now();
  const week = 7 * 24 * 60 * minute;
  expect((await ask({ from: String(now - week - 1), to: String(now) })).code).toBe('range_too_long');
  const within = (query: Record<string, string>) =>
    lab.as.admin.agents.reconciliation({ params: { agentId: agentId.toUpperCase() }, query });
  expect(await within({ from: String(now - week), to: String(now) })).toMatchObject({ from: now - week, to: now });
  expect(await within({ from: '7', to: '7' })).toMatchObject({ from: 7, to: 7 });
  expect(await within({ to: String(now - week) })).toMatchObject({ from: now - week - week / 7, to: now - week });
  expect((await ask({ limit: '1001' })).code).toBe('invalid_query');
  expect((await ask({}, '00000000-0000-4000-8000-000000000000')).status).toBe(404);
});

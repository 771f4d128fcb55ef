// What Agents deliver as connections: one row with what a router saw, the process, the bytes, the beacon starts, the device.
import { expect, test } from 'vitest';
import { isoTime } from '#kernel/time/clock.ts';
import { batchOf, enrolAgent, observation } from '../support/agents.ts';
import { startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const minute = 60_000;
const flow = { src: '192.168.100.23', dst: '203.0.113.80', dport: 443, sport: 50_211 };

verifies('rest.connections.collected-from-agents', 'router alone, Agent alone and both: one row each', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  const { client } = await enrolAgent(lab);
  const router = lab.routers.a;
  router.flow({ ...flow, lastsMs: 10 * minute });
  router.flow({ ...flow, dst: '203.0.113.81', lastsMs: 10 * minute });
  await lab.poll();
  const at = lab.clock.now();
  const observations = [observation(at), observation(at, { remoteAddress: '203.0.113.82' })];
  await client.agents.ingest({ body: batchOf(at, observations) });
  await lab.settled();
  const { connections } = await lab.as.admin.connections.list({ query: { fSrc: flow.src, fSrcMode: 'exact' } });
  const seen = connections
    .filter(({ dst }) => dst.startsWith('203.0.113.8'))
    .sort((a, b) => a.dst.localeCompare(b.dst))
    .map(({ dst, observedBy, source, agentHost, process, pid, bytesIn, bytesOut, proto }) => ({
      ...{ dst, observedBy, source, agentHost, process, pid, bytesIn, bytesOut, proto },
    }));
  const told = { agentHost: 'desk', process: 'backupd', pid: 812, bytesIn: '1200', bytesOut: '90000', proto: 'TCP' };
  const silent = { agentHost: null, process: null, pid: null, bytesIn: null, bytesOut: null, proto: 'TCP' };
  expect(seen).toEqual([
    { dst: '203.0.113.80', observedBy: [lab.routers.a.id], source: 'vendor_a', ...told },
    { dst: '203.0.113.81', observedBy: [lab.routers.a.id], source: 'vendor_a', ...silent },
    { dst: '203.0.113.82', observedBy: [], source: 'agent', ...told },
  ]);
  // A later poll takes nothing away.
  await lab.poll();
  const { connections: later } = await lab.as.admin.connections.list({ query: { fDst: '203.0.113.80' } });
  expect(later).toMatchObject([told]);
});

test('bytes add up beyond 64 bits over batches, whatever their order, and a retry adds nothing', async () => {
  await using lab = await startLab();
  const { client } = await enrolAgent(lab);
  const at = lab.clock.now();
  const largest = '18446744073709551615';
  const late = batchOf(at, [observation(at - minute, { bytesIn: '1', bytesOut: null, processName: 'older' })]);
  const first = batchOf(at, [
    observation(at, { bytesIn: largest, bytesOut: null }),
    observation(at, { bytesIn: largest, bytesOut: null, localPort: 0 }),
  ]);
  for (const body of [first, late, first, late]) {
    await client.agents.ingest({ body });
    await lab.settled();
  }
  const { connections } = await lab.as.admin.connections.list({ query: {} });
  expect(connections).toMatchObject([
    { bytesIn: (2n * BigInt(largest) + 1n).toString(), bytesOut: null, process: 'backupd', sport: 50_211 },
  ]);
  expect(connections[0]?.firstSeen).toBe(at - minute - 4000);
});

test('an Agent is a source that lists can be restricted to, and its machine is one device', async () => {
  await using lab = await startLab();
  const { client, agentId } = await enrolAgent(lab);
  const at = lab.clock.now();
  const observations = [
    observation(at),
    observation(at, { localAddress: '2001:db8::17', remoteAddress: '2001:db8:1::1' }),
    observation(at, { localAddress: '127.0.0.1', remoteAddress: '127.0.0.1' }),
  ];
  await client.agents.ingest({ body: batchOf(at, observations) });
  await lab.settled();
  const query = { sourceKind: 'agent', sourceId: agentId } as const;
  expect((await lab.as.admin.connections.list({ query })).total).toBe(3);
  const { devices } = await lab.as.admin.devices.list({ query });
  expect(devices).toMatchObject([{ ip: '192.168.100.23', ipv6Addr: '2001:db8::17', sourceList: ['agent'] }]);
});

test('exact starts of an Agent are looked at for beacons; parts of one connection are no new starts', async () => {
  await using lab = await startLab();
  const { client } = await enrolAgent(lab);
  const begun = lab.clock.now();
  for (let round = 0; round < 48; round += 1) {
    const at = lab.clock.now();
    const start = { firstObservedAt: isoTime(at), localPort: 40_000 + round };
    await client.agents.ingest({ body: batchOf(at, [observation(at, start)]) });
    await lab.skip(150_000);
    // The same connection goes on.
    const part = { ...start, bytesIn: '5' };
    await client.agents.ingest({ body: batchOf(lab.clock.now(), [observation(lab.clock.now(), part)]) });
    await lab.skip(150_000);
  }
  await lab.as.admin.beacons.saveConfig({ body: { scanIntervalMs: 300_000, minIntervalMs: 20_000 } });
  await lab.skip(300_000);
  const { beacons } = await lab.as.admin.beacons.list({ query: {} });
  expect(beacons).toMatchObject([{ dst: '203.0.113.80', intervalMs: 300_000 }]);
  expect(beacons[0]?.firstSeen).toBeGreaterThanOrEqual(begun);
});

test('what was acknowledged and not recorded before a stop is recorded after the start', async () => {
  await using lab = await startLab();
  const { client } = await enrolAgent(lab);
  const at = lab.clock.now();
  // Not awaited: the stop comes while they may be on their way to the log.
  await Promise.all(
    [1, 2, 3, 4].map((host) =>
      client.agents.ingest({
        body: batchOf(
          at,
          Array.from({ length: 200 }, (_, port) =>
            observation(at, { remoteAddress: `203.0.113.${host}`, remotePort: port + 1, bytesIn: '7' }),
          ),
        ),
      }),
    ),
  );
  await lab.restart();
  await lab.settled();
  const { connections, total } = await lab.as.admin.connections.list({ query: {} });
  expect(total).toBe(800);
  expect(new Set(connections.map(({ bytesIn }) => bytesIn))).toEqual(new Set(['7']));
});

test('a clock that is an hour ahead or behind is accepted, and no time lies in the future', async () => {
  await using lab = await startLab();
  const { client } = await enrolAgent(lab);
  const now = lab.clock.now();
  const [ahead, behind] = [now + 60 * minute, now - 60 * minute];
  await client.agents.ingest({ body: batchOf(ahead, [observation(ahead)]) });
  await client.agents.ingest({ body: batchOf(behind, [observation(behind, { remoteAddress: '203.0.113.81' })]) });
  await lab.settled();
  const { connections } = await lab.as.admin.connections.list({ query: {} });
  expect(connections.map(({ dst, lastSeen }) => [dst, lastSeen])).toEqual([
    ['203.0.113.80', now],
    ['203.0.113.81', behind],
  ]);
});

// One connection with all that is known of it, and where each fact comes from.
import { expect, test } from 'vitest';
import { readDetail } from '#hub/record/connections/detail/query.ts';
import { hourMs } from '#kernel/time/time.ts';
import { batchOf, enrolAgent, observation } from '../support/agents.ts';
import { pollIntervalMs, startLab } from '../support/lab.ts';
import { openLan } from '../support/lan.ts';
import { refusal } from '../support/refusal.ts';
import { device, startThreatLab } from '../support/threat-lab.ts';

const flow = { src: device, dst: '203.0.113.80', dport: 443, proto: 'tcp', sport: 50_211 } as const;
const id = `${flow.src},${flow.dst},443,TCP`;
const enrichment = {
  version: '2026-01-02',
  countries: { '203.0.113.0-203.0.113.255': 'NL' },
  orgs: { '203.0.113.0-203.0.113.255': 'Example Net' },
};

test('hours, observers, device, origins and coverage of a connection that a router and an Agent saw', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' }, enrichment });
  const { client, agentId } = await enrolAgent(lab);
  lab.routers.a.flow({ ...flow, lastsMs: 3 * hourMs });
  const started = lab.clock.now();
  for (let round = 0; round < 130; round += 1) {
    await lab.poll();
  }
  const at = lab.clock.now();
  await client.agents.ingest({ body: batchOf(at, [observation(at, { remoteAddress: flow.dst })]) });
  await lab.settled();
  const detail = await lab.as.admin.connections.detail({ params: { id } });
  const { connections } = await lab.as.admin.connections.list({ query: { fDst: flow.dst, fSrc: flow.src } });
  expect([detail.connection]).toEqual(connections);
  expect(detail).toMatchObject({ id, threatEvidence: null, hoursSince: null, judged: 'none' });
  expect(detail.hours.map(({ hour }) => hour % hourMs)).toEqual(detail.hours.map(() => 0));
  expect(detail.hours.length).toBeGreaterThanOrEqual(3);
  expect(detail.hours[0]?.firstSeen).toBe(detail.connection.firstSeen);
  expect(detail.hours.at(-1)?.lastSeen).toBe(detail.connection.lastSeen);
  expect(detail.hours.every(({ observations }) => observations > 0)).toBe(true);
  expect(detail.observers).toEqual([
    { id: lab.routers.a.id, kind: 'vendor_a', name: expect.anything() },
    { id: agentId, kind: 'agent', name: 'desk' },
  ]);
  expect(detail.device).toMatchObject({ deviceId: detail.connection.srcDeviceId, mac: detail.connection.srcMac });
  expect(detail.device?.since).toBeGreaterThanOrEqual(started - pollIntervalMs);
  expect(detail.reconciliation).toMatchObject({ verdict: 'both', agentId });
  const origin = (field: string) => detail.origins.find((one) => one.field === field);
  expect(detail.connection).toMatchObject({ country: 'NL', org: 'Example Net' });
  const embedded = { from: 'embedded', version: expect.stringContaining('2026-01-02') };
  expect([origin('country'), origin('org')]).toMatchObject([embedded, embedded]);
  expect(origin('srcMac')).toMatchObject({ from: 'router', at: expect.any(Number) });
  expect(origin('dstHost')).toBeUndefined();
  expect(detail.coverage).toMatchObject({ share: expect.any(Number) });
});

test('who had the address at that time is shown, not who has it now', async () => {
  await using lan = openLan();
  const [first, second] = ['00:00:5e:00:53:01', '00:00:5e:00:53:02'];
  await lan.poll({ arp: [['192.168.1.5', first]], traffic: ['192.168.1.5'] });
  const { deviceId } = lan.device(first);
  await lan.clock.advance(hourMs);
  await lan.poll({ arp: [['192.168.1.5', second]] });
  const [connection] = lan.connections();
  const reader = {
    file: lan.db.file,
    prepare: (sql: string) => lan.db.prepare(sql),
    remembered: never,
    attached: never,
  };
  const { src = '', dst = '', dport = 0, proto = '' } = connection ?? {};
  const then = readDetail(reader, { src, dst, dport, proto });
  expect(then?.holder).toMatchObject({ deviceId, mac: first, until: expect.any(Number) });
  await lan.poll({ arp: [['192.168.1.5', second]], traffic: ['192.168.1.5'] });
  expect(readDetail(reader, { src, dst, dport, proto })?.holder).toMatchObject({ mac: second, until: null });
});

function never(): never {
  throw new Error('not asked for');
}

test('a threat comes with what matched, the state of its list, and why the level is what it is', async () => {
  await using lab = await startThreatLab({ router: true });
  const contact = async (dst: string, dport: number) => {
    lab.routers.home.flow({ ...flow, dst, dport, lastsMs: hourMs });
    await lab.poll();
    return lab.as.admin.connections.detail({ params: { id: `${device},${dst},${dport},TCP` } });
  };
  const { threatEvidence, connection, judged, serverTime } = await contact('203.0.113.44', 80);
  expect(connection.threat).not.toBeNull();
  expect(threatEvidence).toMatchObject({
    ...connection.threat,
    feedName: expect.any(String),
    reason: 'other_port',
    why: expect.stringMatching(/is listed with port 443; this connection went to port 80$/),
    list: { state: 'ok', checkedAt: expect.any(Number), ageMs: expect.any(Number) },
  });
  expect(threatEvidence?.list.ageMs).toBe(serverTime - (threatEvidence?.list.checkedAt ?? 0));
  expect(judged).toBe('full');
  const danger = await contact('203.0.113.77', 8443);
  expect(danger.threatEvidence?.why).toBe(
    'the address 203.0.113.77 is listed with port 8443, which this connection matches',
  );
  const range = await contact('192.0.2.200', 443);
  expect(range.threatEvidence?.why).toMatch(/^the range 192\.0\.2\.0\/24 is listed/);
});

test('an unknown connection is 404, a key that is none says what one is', async () => {
  await using lab = await startLab();
  const { detail } = lab.as.admin.connections;
  expect(await refusal(detail({ params: { id } }))).toMatchObject({ status: 404, code: 'not_found' });
  for (const wrong of ['x', '1.2.3.4,5.6.7.8,70000,TCP', '1.2.3.4,5.6.7.8,1', '1.2.3.4,5.6.7.8,1,TCP,x']) {
    const { status, body } = await lab.as.raw({ method: 'GET', path: `/api/connections/${wrong}` });
    expect([wrong, status, body]).toMatchObject([
      wrong,
      400,
      { code: 'invalid_params', error: expect.stringContaining('192.168.1.2,203.0.113.80,443,TCP') },
    ]);
  }
});

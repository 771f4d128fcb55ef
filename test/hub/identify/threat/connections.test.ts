// Connections judged by the feeds: when they are seen, when the feeds change, and when the operator decides otherwise.
import { expect, test } from 'vitest';
import type { FeedsSimulator } from '#simulators/feeds/feeds.ts';
import { readEvents } from '../../../support/event-reader.ts';
import { device, hour, startThreatLab, type ThreatLab } from '../../../support/threat-lab.ts';
import { verifies } from '../../../support/verifies.ts';

const listed = { src: device, dst: '203.0.113.77', dport: 8443 };

async function contact(lab: ThreatLab, flow: { dst: string; dport?: number }): Promise<void> {
  lab.routers.home.flow({ src: device, dport: 443, proto: 'tcp', ...flow });
  await lab.poll();
}

async function connectionTo(lab: ThreatLab, dst: string) {
  const { connections } = await lab.as.admin.connections.list({ query: { limit: '50', fDst: dst } });
  return connections[0];
}

verifies(
  'rest.connections.classified rest.connections.field-threat rest.connections.field-threat-confidence',
  'a router that sees a listed address leads to danger within one poll',
  async () => {
    await using lab = await startThreatLab({ router: true });
    await contact(lab, listed);
    expect(await connectionTo(lab, listed.dst)).toMatchObject({
      ...listed,
      threatLevel: 'danger',
      threat: {
        level: 'danger',
        confidence: 'high',
        source: 'feed_ioc',
        tag: 'ExampleRAT',
        matchType: 'ip',
        matchValue: '203.0.113.77',
        port: 8443,
        url: null,
      },
    });
    await contact(lab, { dst: '203.0.113.44', dport: 80 });
    expect(await connectionTo(lab, '203.0.113.44')).toMatchObject({
      threatLevel: 'warn',
      threat: { confidence: 'low', source: 'feed_c2', port: 443 },
    });
    await contact(lab, { dst: '192.0.2.200' });
    expect((await connectionTo(lab, '192.0.2.200'))?.threat).toMatchObject({
      matchType: 'cidr',
      matchValue: '192.0.2.0/24',
    });
    await contact(lab, { dst: '203.0.113.120', dport: 58_801 });
    expect((await connectionTo(lab, '203.0.113.120'))?.threat).toMatchObject({
      source: 'feed_url',
      url: 'http://203.0.113.120:58801/i',
    });
    await contact(lab, { dst: '203.0.113.9' });
    expect(await connectionTo(lab, '203.0.113.9')).toMatchObject({ threatLevel: 'safe', threat: null });
    const { logs } = await lab.as.admin.detection.log({});
    expect(logs.map(({ type, dst }) => [type, dst])).toContainEqual(['threat', listed.dst]);
  },
);

/** Before: one range elsewhere. After: the range of `dst`. */
const elsewhere = [{ cidr: '198.51.100.0/24' }, { cidr: '2001:db8:bad::/48' }];
const here = [{ cidr: '203.0.113.0/24' }, { cidr: '2001:db8:bad::/48' }];

verifies(
  'rest.connections.public-feeds',
  'what was contacted before it was listed is found when it is, told once, and safe again when it is no more',
  async () => {
    await using lab = await startThreatLab({ router: true, key: false, rows: { c2: [], drop: elsewhere } });
    const events = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
    using _events = events;
    await contact(lab, { dst: '203.0.113.9' });
    expect(await connectionTo(lab, '203.0.113.9')).toMatchObject({ threatLevel: 'safe' });
    await relist(lab, here);
    expect(await connectionTo(lab, '203.0.113.9')).toMatchObject({
      threatLevel: 'danger',
      threat: { source: 'feed_drop', matchValue: '203.0.113.0/24' },
    });
    const { data } = await events.next('threat-feeds');
    expect(data).toMatchObject({ available: true, judged: 1, changed: 1, threats: 1 });
    const { logs } = await lab.as.admin.detection.log({});
    expect(logs.filter(({ type }) => type === 'threat').map(({ dst }) => dst)).toEqual(['203.0.113.9']);
    await relist(lab, elsewhere);
    expect(await connectionTo(lab, '203.0.113.9')).toMatchObject({ threatLevel: 'safe', threat: null });
  },
);

async function relist(lab: ThreatLab, rows: Parameters<FeedsSimulator['list']>[1]): Promise<void> {
  lab.feeds.list('drop', rows as { cidr: string }[]);
  await lab.later(14 * hour);
}

test('only flows to what changed are judged again', async () => {
  await using lab = await startThreatLab({ router: true, key: false, rows: { c2: [], drop: elsewhere } });
  const events = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
  using _events = events;
  for (let host = 1; host <= 20; host += 1) {
    lab.routers.home.flow({ src: device, dst: `192.0.2.${host}`, dport: 443, proto: 'tcp' });
  }
  await contact(lab, { dst: '203.0.113.9' });
  await relist(lab, here);
  expect((await events.next('threat-feeds')).data).toMatchObject({ judged: 1 });
});

test('the operator allows an address, and lets DROP mean less: the log follows at once, and after a start', async () => {
  await using lab = await startThreatLab({ router: true, key: false });
  await contact(lab, { dst: '192.0.2.200' });
  const level = async () => (await connectionTo(lab, '192.0.2.200'))?.threatLevel;
  const save = async (body: object) => {
    await lab.as.admin.threat.saveFeedsConfig({ body });
    await lab.settled();
  };
  expect(await level()).toBe('danger');
  await save({ dropLevel: 'warn' });
  expect(await level()).toBe('warn');
  await save({ allowList: ['192.0.2.128/25'] });
  expect(await level()).toBe('safe');
  await lab.restart();
  expect(await level()).toBe('safe');
  await save({ allowList: [], dropLevel: 'danger' });
  expect(await level()).toBe('danger');
});

test('verdicts that a crash left behind are made good at the next start', async () => {
  await using lab = await startThreatLab({ router: true, key: false });
  await contact(lab, { dst: '192.0.2.200' });
  await lab.forgetVerdicts();
  expect(await connectionTo(lab, '192.0.2.200')).toMatchObject({ threatLevel: 'safe' });
  await lab.restart();
  await lab.later(3000);
  expect(await connectionTo(lab, '192.0.2.200')).toMatchObject({ threatLevel: 'danger' });
});

test('a name that only its address publishes is a warning; one that a client asked for is danger', async () => {
  await using lab = await startThreatLab({ router: true, rows: { ioc: [{ value: '198.51.100.200:1' }] } });
  const level = async () => (await connectionTo(lab, '203.0.113.9'))?.threat;
  await contact(lab, { dst: '203.0.113.9' });
  await lab.name('203.0.113.9', 'cdn.bad.example', 'ptr');
  expect(await level()).toBeNull();
  lab.feeds.list('ioc', [{ value: 'bad.example', type: 'domain' }]);
  await lab.later(2 * hour);
  expect(await level()).toMatchObject({
    level: 'warn',
    confidence: 'low',
    matchType: 'domain',
    matchValue: 'bad.example',
  });
  await lab.name('203.0.113.9', 'cdn.bad.example', 'dns');
  lab.feeds.list('ioc', [{ value: 'bad.example', type: 'domain', malware: 'Other' }]);
  await lab.later(2 * hour);
  expect(await level()).toMatchObject({ level: 'danger', confidence: 'high', tag: 'Other' });
});

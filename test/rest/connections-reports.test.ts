// What is computed from the log: limits, defaults, refusals and edges of each report. Their contents are the model test's.
import { describe, expect, test } from 'vitest';
import { type ConnectionLog, hour, noon, openConnectionLog, type UrlQuery } from '../support/connection-log.ts';
import { startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const range = (from: number, to: number) => ({ from: String(noon + from), to: String(noon + to) });

/** `192.0.2.N` and up, each with `port` 443. */
const destinations = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ dst: `198.18.${index >> 8}.${index & 255}` }));

async function listed(log: ConnectionLog, dst: string, confidence: 'low' | 'high') {
  await log.judge(dst, { level: confidence === 'low' ? 'warn' : 'danger', confidence, tag: 'botnet' });
}

async function refusedWith(name: string, asked: Promise<unknown>) {
  const error = await asked.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'invalid_query', status: 400 });
  expect((error as Error).message).toMatch(new RegExp(`^${name}\\b`));
}

describe('summary', () => {
  verifies(
    'rest.connections.summary-buckets',
    'buckets are clamped to 1…240, 60 when left out, digits only',
    async () => {
      await using log = openConnectionLog();
      await log.record([{}]);
      const buckets = async (query: UrlQuery) => (await log.ask('summary', query)).buckets;
      expect(await buckets({})).toBe(60);
      expect(await buckets({ buckets: '0' })).toBe(1);
      expect(await buckets({ buckets: '1' })).toBe(1);
      expect(await buckets({ buckets: '240' })).toBe(240);
      expect(await buckets({ buckets: '241' })).toBe(240);
      for (const wrong of ['', 'x', '-1', '1.5', '1'.repeat(17)]) {
        await refusedWith('buckets', log.ask('summary', { buckets: wrong }));
      }
    },
  );

  verifies(
    'rest.connections.summary-range rest.connections.summary-src',
    'from, to and src bound what is counted; src is an address or up to 20, in any spelling',
    async () => {
      await using log = openConnectionLog();
      await log.record([{ src: 'fd00::1' }, { src: 'fd00::11', at: noon + hour }, { src: '192.168.1.2' }]);
      const total = async (query: UrlQuery) => (await log.ask('summary', query)).total;
      expect(await total({})).toBe(3);
      expect(await total({ from: String(noon + 1) })).toBe(1);
      expect(await total({ to: String(noon) })).toBe(2);
      expect(await total({ src: 'FD00:0::1' })).toBe(1);
      expect(await total({ src: 'fd00::' })).toBe(0);
      expect(await total({ src: '' })).toBe(3);
      expect(await total({ src: ['FD00:0::1', '192.168.1.2', '192.168.1.2', '192.0.2.9'] })).toBe(2);
      expect(await total({ src: ['', '192.0.2.9'] })).toBe(0);
      expect(await total({ src: ['', ''] })).toBe(3);
      expect(await total({ src: ['192.168.1.2', ...Array(19).fill('192.0.2.9')] })).toBe(1);
      await refusedWith('src must have at most 20 values', log.ask('summary', { src: Array(21).fill('192.168.1.2') }));
      await refusedWith('src', log.ask('summary', { src: ['192.168.1.2', 'x'.repeat(65)] }));
      await refusedWith('src', log.ask('summary', { src: 'x'.repeat(65) }));
      await refusedWith('sourceId', log.ask('summary', { sourceKind: 'router', sourceId: 'nobody' }));
      expect(await log.ask('summary', range(2, 1))).toMatchObject({ total: 0, timeline: [], observations: 0 });
    },
  );

  test('the groups are capped, the counts of unique ones are not', async () => {
    await using log = openConnectionLog();
    await log.record(destinations(1100).flatMap((one, index) => [{ ...one, src: `10.0.${index % 250}.1` }]));
    const summary = await log.ask('summary', { buckets: '1' });
    expect(summary).toMatchObject({ uniqueDestinations: 1100, uniqueDevices: 250, total: 1100 });
    expect(summary.byDst).toHaveLength(500);
    expect(summary.byDevice).toHaveLength(200);
    expect(summary.byTarget).toHaveLength(1000);
    expect(summary.timeline).toHaveLength(50);
  });

  test('edges and places are capped, and the coverage of the map says so', async () => {
    await using log = openConnectionLog();
    const many = destinations(625);
    await log.record([1, 2, 3, 4, 5].flatMap((host) => many.map((one) => ({ ...one, src: `10.0.0.${host}` }))));
    await log.db.write((writer) => writer.prepare('UPDATE destination SET lat = id / 10.0, lon = 4.5').run());
    const { byEdge, byLocation, mapCoverage } = await log.ask('summary', { buckets: '1' });
    expect([byEdge.length, byLocation.length]).toEqual([3000, 500]);
    expect(mapCoverage).toEqual({
      ...{ limit: 500, totalGroups: 625, shownGroups: 500, totalSessions: 3125, shownSessions: 2500 },
      ...{ percent: 80, capped: true },
    });
  });

  test('applications are guessed from port and protocol, and from the host on a web port', async () => {
    await using log = openConnectionLog();
    const flow = (dport: number, proto: string, dst = '203.0.113.80') => ({ dport, proto, dst });
    await log.record([
      ...[flow(443, 'TCP'), flow(443, 'UDP'), flow(53, 'UDP'), flow(0, 'ICMP'), flow(9, 'TCP'), flow(53, 'GRE')],
      ...[flow(443, 'TCP', '203.0.113.25'), flow(993, 'TCP', '203.0.113.25'), flow(22, 'TCP', '203.0.113.25')],
    ]);
    await log.describe('destination', '203.0.113.25', { host: 'Mail3.example.net' });
    expect((await log.ask('summary')).appGroups).toEqual([
      { app: 'mail', count: 2 },
      { app: 'other', count: 2 },
      { app: 'web', count: 2 },
      { app: 'dns', count: 1 },
      { app: 'ping', count: 1 },
      { app: 'remote access', count: 1 },
    ]);
  });

  test('an answer is kept for ten seconds, at most twenty of them, and says so', async () => {
    await using log = openConnectionLog();
    await log.record([{}]);
    const ask = async (buckets: number) => {
      const { total, cached, serverTime } = await log.ask('summary', { buckets: String(buckets) });
      return { total, cached, serverTime };
    };
    expect(await ask(1)).toEqual({ total: 1, cached: false, serverTime: noon });
    await log.record([{ dport: 80 }]);
    log.setNow(noon + 9999);
    expect(await ask(1)).toEqual({ total: 1, cached: true, serverTime: noon });
    log.setNow(noon + 10_000);
    expect(await ask(1)).toEqual({ total: 2, cached: false, serverTime: noon + 10_000 });
    for (let buckets = 2; buckets <= 21; buckets += 1) {
      await ask(buckets);
    }
    expect((await ask(21)).cached).toBe(true);
    expect((await ask(1)).cached).toBe(false);
  });
});

describe('new nodes', () => {
  verifies(
    'rest.connections.new-nodes rest.service.new-devices rest.service.new-destinations',
    'a node is new where its very first flow began, newest first',
    async () => {
      await using log = openConnectionLog();
      await log.record([{ src: '10.0.0.1', dst: '203.0.113.1' }]);
      await log.record([{ src: '10.0.0.1', dst: '203.0.113.2', at: noon + 2 }]);
      await log.record([{ src: '10.0.0.2', dst: '203.0.113.1', at: noon + 3, startedAt: noon + 1 }]);
      const nodes = await log.ask('newNodes', range(1, 2));
      expect(nodes).toMatchObject({ deviceCount: 1, destinationCount: 1 });
      expect(nodes.newDevices.map(({ src, firstSeen }) => [src, firstSeen])).toEqual([['10.0.0.2', noon + 1]]);
      expect(nodes.newDestinations.map(({ dst }) => dst)).toEqual(['203.0.113.2']);
      expect(await log.ask('newNodes', range(1, 1))).toMatchObject({ deviceCount: 1, destinationCount: 0 });
      const open = await log.ask('newNodes');
      expect(open.newDestinations.map(({ dst }) => dst)).toEqual(['203.0.113.2', '203.0.113.1']);
      expect(await log.ask('newNodes', range(2, 1))).toMatchObject({ deviceCount: 0, destinationCount: 0 });
      await refusedWith('fSrc', log.ask('newNodes', { fSrc: 'x' }));
    },
  );

  test('the lists end at 1,000, the counts do not; a flow told later with an earlier start moves its nodes', async () => {
    await using log = openConnectionLog();
    await log.record(destinations(1001));
    const nodes = await log.ask('newNodes', {});
    expect([nodes.destinationCount, nodes.newDestinations.length]).toEqual([1001, 1000]);
    await log.record([{ dst: '198.18.0.0', dport: 80, at: noon + hour, startedAt: noon - hour }]);
    expect(await log.ask('newNodes', range(-hour, -1))).toMatchObject({ deviceCount: 1, destinationCount: 1 });
  });
});

describe('values of a column', () => {
  test('each comes with the number of rows that its filter shows, most rows first', async () => {
    await using log = openConnectionLog();
    await log.record(destinations(30), { routerId: 'vendor-a-1', name: 'Home' });
    await log.record([
      { dst: '198.18.0.1', dport: 53, proto: 'UDP' },
      { src: '192.168.1.9', dst: '198.18.0.2', at: noon + hour },
    ]);
    for (const [index, { dst }] of destinations(30).entries()) {
      await log.describe('destination', dst, {
        country: index < 20 ? 'DE' : 'JP',
        org: index < 5 ? 'Cloud 100%' : null,
      });
    }
    await log.db.write(
      (writer) => void writer.prepare("UPDATE flow SET process = 'resolver' WHERE proto = 'UDP'").run(),
    );
    await log.describe('source', '192.168.1.9', { dns_name: 'tv.lan' });
    const filters = {
      country: 'fCountry',
      org: 'fOrg',
      proto: 'fProto',
      dport: 'fDport',
      src: 'fSrc',
      process: 'fProcess',
    };
    const all = range(0, 1);
    for (const [column, filter] of Object.entries(filters)) {
      const { values, total } = await log.ask('values', { ...all, fDstMode: 'isNot', fDst: '198.18.0.3', column });
      expect(values.length).toBe(total);
      expect(values.map(({ count }) => count)).toEqual(values.map(({ count }) => count).sort((a, b) => b - a));
      expect(values.length).toBeGreaterThan(0);
      for (const { value, count } of values) {
        const query = { ...all, fDstMode: 'isNot', fDst: '198.18.0.3', [filter]: value, [`${filter}Mode`]: 'exact' };
        expect([value, (await log.list(query)).total]).toEqual([value, count]);
      }
    }
    const sources = await log.ask('values', { column: 'src' });
    expect(sources.values.map(({ label }) => label)).toEqual([null, 'tv.lan']);
    const routers = await log.ask('values', { column: 'router' });
    expect(routers.values[0]).toEqual({ value: 'vendor-a-1', label: 'Home', count: 32 });
    await refusedWith('column', log.ask('values', { column: 'ttl' }));
  });
});

describe('threats', () => {
  verifies(
    'rest.connections.threat-confidence rest.connections.threat-limit-200',
    'confidence is low, high or all, anything else all; limit is 50 when left out and at most 200',
    async () => {
      await using log = openConnectionLog();
      await log.record(destinations(210));
      for (const [index, { dst }] of destinations(210).entries()) {
        await listed(log, dst, index < 3 ? 'low' : 'high');
      }
      const shown = async (query: UrlQuery) => {
        const { count, total, threats } = await log.ask('threatConnections', query);
        expect(threats).toHaveLength(count);
        return [count, total];
      };
      expect(await shown({ confidence: 'low' })).toEqual([3, 3]);
      expect(await shown({ confidence: 'high' })).toEqual([50, 207]);
      expect(await shown({ confidence: 'all', limit: '999' })).toEqual([200, 210]);
      expect(await shown({ confidence: 'grave', limit: '0' })).toEqual([0, 210]);
      await refusedWith('limit', log.ask('threatConnections', { limit: 'x' }));
      const [first] = (await log.ask('threatConnections', { confidence: 'low' })).threats;
      expect(first).toMatchObject({ level: 'warn', feed: 'feed_ioc', category: 'botnet', matchValue: '198.18.0.0' });
    },
  );

  verifies(
    'rest.connections.threat-counts rest.connections.threat-counts-filters',
    'sessions are counted per level, and every filter of the list applies',
    async () => {
      await using log = openConnectionLog();
      await log.record([...destinations(4), { dst: '198.18.0.0', dport: 80 }]);
      await listed(log, '198.18.0.0', 'high');
      await listed(log, '198.18.0.1', 'low');
      const counts = (query: UrlQuery = {}) => log.ask('threatCounts', query);
      expect(await counts()).toEqual({
        safe: 2,
        warn: 1,
        danger: 2,
        judged: 'full',
        judgedWhy: null,
        coverage: { share: 1, message: null },
        serverTime: noon,
      });
      await log.record([{ src: '10.0.0.9', dst: '192.0.2.9', dport: 99, proto: 'GRE', at: noon + 1 }], {
        routerId: 'vendor-b-2',
        kind: 'vendor_b',
      });
      await log.describe('source', '10.0.0.9', { mac: '02:00:5e:10:00:09' });
      await log.describe('destination', '192.0.2.9', { country: 'NL', org: 'Example' });
      const one = { safe: 1, warn: 0, danger: 0 };
      const filters: UrlQuery[] = [
        { fSrc: '10.0.0.9', fSrcMode: 'exact' },
        { fDst: '192.0.2', fDstMode: 'startsWith' },
        { fDport: '99', fDportMode: 'endsWith' },
        { fProto: 'gre' },
        { fCountry: 'NL' },
        { fOrg: 'exam' },
        { fSrcMac: '02:00:5E:10:00:09' },
        { sourceKind: 'router', sourceId: 'vendor-b-2' },
        range(1, 2),
      ];
      for (const filter of filters) {
        expect([filter, await counts(filter)]).toMatchObject([filter, one]);
      }
      expect(await counts({ fDport: '80', fDportMode: 'exact' })).toMatchObject({ safe: 0, warn: 0, danger: 1 });
      expect(await counts({ fThreat: 'warn' })).toMatchObject({ safe: 0, warn: 1, danger: 0 });
      expect(await counts(range(3, 4))).toMatchObject({ safe: 0, warn: 0, danger: 0 });
      await refusedWith('limit', counts({ limit: '1' }));
    },
  );
});

verifies('rest.connections.memory', 'memory reports the flows that the summary keeps', async () => {
  await using log = openConnectionLog();
  await log.record(destinations(7));
  expect(await log.ask('memory', {})).toMatchObject({ hotEntries: 0, persistedEntries: 7 });
  await log.ask('summary', {});
  expect(await log.ask('memory', {})).toMatchObject({ hotEntries: 7, persistedEntries: 7 });
});

test('memory tells the process and the log, and takes no parameter', async () => {
  await using lab = await startLab();
  const memory = await lab.as.admin.connections.memory({});
  expect(memory).toMatchObject({ hotEntries: 0, hotMaxEntries: 100_000, persistedEntries: 0 });
  expect(memory.rssBytes).toBeGreaterThan(memory.heapUsedBytes);
  expect((await lab.as.raw({ method: 'GET', path: '/api/connections/memory?x=1' })).status).toBe(400);
});

// The list: envelope, paging, order, windows, scope and refusals. The filters have a file of their own.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sortColumns } from '#contract/connections.ts';
import { connection } from '#contract/model.ts';
import type { Observation } from '#hub/record/connections/store/observation.ts';
import { type ConnectionLog, hour, noon, openConnectionLog } from '../support/connection-log.ts';
import { verifies } from '../support/verifies.ts';

const minute = 60_000;

/** `192.168.1.N`, numbered flows that all were last seen at noon unless told. */
const rows = (count: number, changes: Partial<Observation> = {}) =>
  Array.from({ length: count }, (_, index) => ({ src: `192.168.${index >> 8}.${index & 255}`, ...changes }));

const ports = async (log: ConnectionLog, query: Record<string, string>) =>
  (await log.list(query)).connections.map((row) => row.dport);

describe('envelope', () => {
  verifies('rest.connections.list-envelope', 'a page tells total, effective limit, offset and the time', async () => {
    await using log = openConnectionLog();
    await log.record(rows(5));
    const page = await log.list({ limit: '2', offset: '4' });
    expect(page).toMatchObject({ total: 5, limit: 2, offset: 4, serverTime: noon });
    expect(page.connections).toHaveLength(1);
    expect(page).not.toHaveProperty('truncated');
  });

  verifies(
    'rest.connections.field-country rest.connections.field-org rest.connections.field-source-device',
    'a row carries all that is known of both ends, and says null where nothing is',
    async () => {
      await using log = openConnectionLog();
      await log.record([{ sport: 51_514, ttl: 880 }]);
      const bare = (await log.list()).connections[0];
      expect(connection.strict().parse(bare)).toEqual(bare);
      expect(bare).toMatchObject({ country: null, org: null, srcMac: null, dstHost: null, threat: null });
      expect(bare).toMatchObject({ threatLevel: 'safe', bytesIn: null, process: null });
      const ends = {
        source: { mac: '02:00:5e:10:00:01', vendor: 'Acme', dns_name: 'desk.lan', mdns_name: 'desk', device_id: 'd1' },
        destination: {
          host: 'files.example.net',
          country: 'NL',
          org: 'Example',
          lat: 52.3,
          lon: 4.9,
          city: 'Amsterdam',
        },
      };
      const listed = {
        level: 'warn',
        confidence: 'low',
        source: 'feed_url',
        tag: 'shared host',
        matchType: 'domain',
        matchValue: 'example.net',
        url: 'http://files.example.net/x',
      } as const;
      await log.describe('source', '192.168.1.2', ends.source);
      await log.describe('destination', '203.0.113.80', ends.destination);
      await log.judge('203.0.113.80', listed);
      expect((await log.list()).connections).toEqual([
        {
          src: '192.168.1.2',
          dst: '203.0.113.80',
          dport: 443,
          proto: 'TCP',
          sport: 51_514,
          ttl: 880,
          firstSeen: noon,
          lastSeen: noon,
          observedBy: ['vendor-a-1'],
          source: 'vendor_a',
          srcMac: '02:00:5e:10:00:01',
          srcVendor: 'Acme',
          srcDnsName: 'desk.lan',
          srcMdnsName: 'desk',
          srcDeviceId: 'd1',
          dstHost: 'files.example.net',
          country: 'NL',
          org: 'Example',
          lat: 52.3,
          lon: 4.9,
          city: 'Amsterdam',
          agentHost: null,
          process: null,
          pid: null,
          bytesIn: null,
          bytesOut: null,
          threatLevel: 'warn',
          threat: {
            level: 'warn',
            confidence: 'low',
            source: 'feed_url',
            tag: 'shared host',
            matchType: 'domain',
            matchValue: 'example.net',
            port: null,
            url: 'http://files.example.net/x',
          },
        },
      ]);
    },
  );
});

test('each row has its uncertainty when that is asked for, and its path in an export', async () => {
  await using log = openConnectionLog();
  const span = { from: null, to: noon, by: 'entry_timer' as const };
  await log.record([{ times: { first: span, last: span } }]);
  const row = async (query: Record<string, string>) => (await log.list({ limit: '1', ...query })).connections[0];
  const plain = await row({});
  const said = { notBefore: null, notAfter: noon, from: 'entry_timer' };
  expect(await row({ include: 'uncertainty' })).toEqual({
    ...plain,
    uncertainty: { firstSeen: said, lastSeen: { ...said, listedBy: ['vendor-a-1'] } },
  });
  const { text } = await log.export({ format: 'json', from: '0', to: String(noon) });
  expect(JSON.parse(text).connections).toMatchObject([{ path: ['vendor-a-1'], pathState: 'single' }]);
});

describe('paging', () => {
  verifies('rest.connections.limit-clamped', 'limit is clamped to 1000, and 0 only counts', async () => {
    await using log = openConnectionLog();
    await log.record(rows(1001));
    const most = await log.list({ limit: '9999999999999999' });
    expect([most.connections.length, most.limit, most.total]).toEqual([1000, 1000, 1001]);
    expect(await log.list({ limit: '0' })).toEqual({
      connections: [],
      total: 1001,
      limit: 0,
      offset: 0,
      next: null,
      serverTime: noon,
    });
    expect((await log.list({ limit: '10', offset: '9999999999999999' })).connections).toEqual([]);
  });

  verifies(
    'rest.connections.param-limit rest.connections.param-offset',
    'pages joined are the unpaged list, also when all rows were seen at the same instant',
    async () => {
      await using log = openConnectionLog();
      await log.record(rows(50, { dst: '203.0.113.1' }));
      await log.record(rows(50, { dst: '203.0.113.2', proto: 'UDP', at: noon + 1 }));
      await log.describe('destination', '203.0.113.1', { host: 'a.example', country: 'NL', org: 'Example' });
      for (const sort of sortColumns) {
        for (const sortDir of ['asc', 'desc']) {
          const whole = (await log.list({ sort, sortDir })).connections;
          const pages = await Promise.all(
            Array.from({ length: 15 }, (_, page) => log.list({ sort, sortDir, limit: '7', offset: String(page * 7) })),
          );
          expect(pages.flatMap((page) => page.connections)).toEqual(whole);
          const read: unknown[] = [];
          for (let after: string | null | undefined; after !== null; ) {
            const page = await log.list({ sort, sortDir, limit: '7', ...(after && { after }) });
            read.push(...page.connections);
            after = page.next ?? null;
          }
          expect(read).toEqual(whole);
          expect(new Set(whole.map((row) => `${row.src} ${row.proto}`)).size).toBe(100);
        }
      }
    },
  );
});

describe('windows', () => {
  verifies(
    'rest.connections.param-from rest.connections.param-to rest.common.from-to-epoch-ms',
    'from and to are inclusive, each may be left out, empty is left out, and turned round they hold nothing',
    async () => {
      await using log = openConnectionLog();
      await log.record([1, 2, 3].map((dport) => ({ dport, at: noon + dport })));
      const shown = async (query: Record<string, string>) => (await ports(log, query)).sort();
      const at = (ms: number) => String(noon + ms);
      expect(await shown({ from: at(2) })).toEqual([2, 3]);
      expect(await shown({ to: at(2) })).toEqual([1, 2]);
      expect(await shown({ from: at(2), to: at(2) })).toEqual([2]);
      expect(await shown({ from: '', to: '' })).toEqual([1, 2, 3]);
      expect(await shown({ from: '0', to: '99999999999999999999' })).toEqual([1, 2, 3]);
      expect(await shown({ from: at(3), to: at(1) })).toEqual([]);
      expect(await log.list({ from: at(3), to: at(1), limit: '5' })).toMatchObject({ total: 0 });
    },
  );

  verifies('rest.common.from-to-open', 'what is left out bounds nothing, in the list and in its reports', async () => {
    await using log = openConnectionLog();
    await log.record([{ dport: 1, at: noon - 700 * 24 * hour }, { dport: 2 }]);
    log.setNow(noon + hour);
    for (const query of [{}, { from: '' }, { to: '' }]) {
      expect(await log.list(query)).toMatchObject({ total: 2 });
      expect(await log.ask('summary', query)).toMatchObject({ total: 2 });
      expect(await log.ask('newNodes', query)).toMatchObject({ destinationCount: 1 });
      expect(await log.ask('threatCounts', query)).toMatchObject({ safe: 2 });
    }
    expect(await log.ask('threatCounts', { from: String(noon) })).toMatchObject({ safe: 1 });
    expect(await log.ask('threatCounts', { to: String(noon - 1) })).toMatchObject({ safe: 1 });
  });

  const flowPort = fc.integer({ min: 1, max: 3 });
  const moment = fc.integer({ min: 0, max: 6 * 60 }).map((minutes) => noon + minutes * minute);
  const polls = fc.uniqueArray(fc.record({ at: moment, flows: fc.uniqueArray(flowPort, { minLength: 1 }) }), {
    selector: (poll) => poll.at,
    minLength: 1,
    maxLength: 12,
  });

  test('any window holds the flows one of whose hours, cut to its sightings, reaches into it', async () => {
    await using log = openConnectionLog();
    await fc.assert(
      fc.asyncProperty(
        polls,
        fc.array(fc.tuple(moment, moment), { minLength: 1, maxLength: 6 }),
        async (given, asked) => {
          await log.clear();
          const inOrder = given.toSorted((a, b) => a.at - b.at);
          for (const { at, flows } of inOrder) {
            await log.record(flows.map((dport) => ({ dport, at })));
          }
          const sightings = inOrder.flatMap(({ at, flows }) => flows.map((dport) => ({ dport, at })));
          const spans = [
            ...Map.groupBy(sightings, ({ dport, at }) => `${dport} ${Math.floor(at / hour)}`).values(),
          ].map((group) => ({ dport: group[0]?.dport ?? 0, first: group[0]?.at ?? 0, last: group.at(-1)?.at ?? 0 }));
          for (const [from, to] of asked) {
            const inside = spans.filter((span) => from <= to && span.first <= to && span.last >= from);
            const shown = await ports(log, { from: String(from), to: String(to) });
            expect(shown.sort()).toEqual([...new Set(inside.map((span) => span.dport))].sort());
          }
        },
      ),
      { numRuns: 80 },
    );
  });
});

describe('scope', () => {
  test('a router scope shows what this router saw, alone or with others', async () => {
    await using log = openConnectionLog();
    await log.record([{ dport: 1 }, { dport: 2 }], { routerId: 'vendor-a-1' });
    await log.record([{ dport: 2 }, { dport: 3 }], { routerId: 'vendor-b-2', kind: 'vendor_b' });
    await log.record([{ dport: 4 }], { routerId: 'agent-7', kind: 'agent' });
    const scoped = async (sourceId: string) => (await ports(log, { sourceKind: 'router', sourceId })).sort();
    expect(await scoped('vendor-a-1')).toEqual([1, 2]);
    expect(await scoped('vendor-b-2')).toEqual([2, 3]);
    expect(await scoped('vendor-a-idle')).toEqual([]);
    expect(await ports(log, { sourceKind: 'agent', sourceId: 'agent-7' })).toEqual([4]);
  });

  test('ten observers are not mistaken for one another', async () => {
    await using log = openConnectionLog();
    for (let dport = 1; dport <= 12; dport += 1) {
      await log.record([{ dport }], { routerId: `vendor-a-${dport}` });
    }
    expect(await ports(log, { sourceKind: 'router', sourceId: 'vendor-a-1' })).toEqual([1]);
    expect(await ports(log, { sourceKind: 'router', sourceId: 'vendor-a-12' })).toEqual([12]);
  });

  test.for([
    [{ sourceKind: 'router' }, 'sourceId'],
    [{ sourceId: 'vendor-a-1' }, 'sourceKind'],
    [{ sourceKind: 'router', sourceId: 'nobody' }, 'sourceId is no router'],
    [{ sourceKind: 'router', sourceId: 'agent-7' }, 'sourceId is no router'],
    [{ sourceKind: 'router', sourceId: '' }, 'sourceId'],
    [{ sourceKind: 'router', sourceId: 'x'.repeat(129) }, 'sourceId'],
    [{ sourceKind: 'switch', sourceId: 'vendor-a-1' }, 'sourceKind'],
    [{ sourceKind: 'agent', sourceId: 'vendor-a-idle' }, 'sourceId is no Agent'],
    [{ sourceKind: 'agent', sourceId: 'nobody' }, 'sourceId is no Agent'],
  ] as const)('a scope that names nothing is refused: %j', async ([query, message]) => {
    await using log = openConnectionLog();
    await log.record([{}], { routerId: 'agent-7', kind: 'agent' });
    await refused(log, query, message);
  });
});

describe('refusals', () => {
  test('a scope that names nothing is refused by each report too, and an export that ends before it begins', async () => {
    await using log = openConnectionLog();
    await log.record([{}]);
    const scope = { sourceKind: 'router', sourceId: 'nobody' };
    const reports = (['summary', 'threatCounts', 'threatConnections'] as const).map((route) => log.ask(route, scope));
    for (const asked of [...reports, log.export({ ...scope, format: 'json', from: '1' })]) {
      await expect(asked).rejects.toThrow('sourceId is no router');
    }
    const late = { format: 'json', from: String(noon + 1), to: String(noon) };
    await expect(log.export(late)).rejects.toThrow('to is before from');
    expect(JSON.parse((await log.export({ ...late, from: String(noon) })).text).meta).toMatchObject({ total: 1 });
  });

  const bad: [Record<string, string | string[]>, string][] = [
    ...['from', 'to'].flatMap((name): [Record<string, string | string[]>, string][] => [
      [{ [name]: '1e3' }, name],
      [{ [name]: '-1' }, name],
      [{ [name]: '1.5' }, name],
      [{ [name]: ' 1' }, name],
      [{ [name]: '1'.repeat(21) }, name],
      [{ [name]: ['1', '2'] }, name],
    ]),
    [{ limit: '' }, 'limit'],
    [{ limit: '-1' }, 'limit'],
    [{ limit: '1'.repeat(17) }, 'limit'],
    [{ offset: 'x', limit: '1' }, 'offset'],
    [{ sort: ['src', 'dst'] }, 'sort'],
    [{ sortDir: ['asc'] }, 'sortDir'],
    [{ limit: ['1', '2'] }, 'limit'],
    [{ sourceKind: ['router', 'router'], sourceId: 'vendor-a-idle' }, 'sourceKind'],
    [{ sourceKind: 'router', sourceId: ['vendor-a-idle', 'vendor-a-idle'] }, 'sourceId'],
    ...['fSrc', 'fSrcMac', 'fDevice', 'fThreat'].map((name): [Record<string, string[]>, string] => [
      { [name]: Array(21).fill('warn') },
      `${name} must have at most 20 values`,
    ]),
    [{ fOrg: ['', 'x'.repeat(513)] }, 'fOrg must be at most 512 characters'],
    [{ fSrcMode: ['exact'] }, 'fSrcMode'],
    ...['fSrc', 'fDst', 'fOrg'].map((name): [Record<string, string>, string] => [{ [name]: 'x'.repeat(513) }, name]),
    ...['fDport', 'fProto', 'fCountry', 'fSrcMac', 'fDevice'].map((name): [Record<string, string>, string] => [
      { [name]: 'x'.repeat(65) },
      name,
    ]),
    [{ fSrcMacMode: 'exact' }, 'fSrcMacMode'],
    [{ fDeviceMode: 'isNot' }, 'fDeviceMode'],
    [{ page: '1' }, 'page'],
  ];

  test.for(bad)('400 names the parameter first: %j', async ([query, name]) => {
    await using log = openConnectionLog();
    await refused(log, query, name);
  });

  test('unknown words fall back: sort to lastSeen, sortDir to desc, mode to contains, fThreat to none', async () => {
    await using log = openConnectionLog();
    await log.record([{ dport: 1 }, { dport: 21, at: noon + 1 }]);
    const odd = { sort: 'colour', sortDir: 'up', fDport: '1', fDportMode: 'regex', fThreat: 'grave' };
    expect(await ports(log, odd)).toEqual([21, 1]);
  });
});

describe('cursor', () => {
  test('goes with limit alone and with the order it was made for', async () => {
    await using log = openConnectionLog();
    await log.record([0, 1, 2].map((index) => ({ dst: `198.18.0.${index}` })));
    const { next } = await log.list({ limit: '2' });
    const after = next ?? '';
    const [last] = (await log.list({ limit: '2', after })).connections;
    expect(last?.dst).toBe('198.18.0.2');
    await refused(log, { after }, 'limit');
    await refused(log, { after, limit: '2', offset: '1' }, 'offset');
    await refused(log, { after, limit: '2', sort: 'org' }, 'after');
    await refused(log, { after, limit: '2', sortDir: 'asc' }, 'after');
    const encoded = (text: string) => Buffer.from(text).toString('base64url');
    const values = (first: string) => encoded(`["lastSeen","desc",${first},1,"a","b",1,"TCP"]`);
    expect((await log.list({ limit: '2', after: values('1') })).connections).toEqual([]);
    const others = ['true', '{}', '1e999', '1,1'].map(values);
    for (const wrong of ['', 'x', 'bnVsbA', encoded('["lastSeen","desc"]'), encoded('{"length":8}'), ...others]) {
      await refused(log, { limit: '2', after: wrong }, 'after');
    }
  });
});

async function refused(log: ConnectionLog, query: Record<string, string | readonly string[]>, first: string) {
  const error = await log.list(query).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'invalid_query', status: 400 });
  expect(String(error)).toMatch(new RegExp(`^AppError: ${first}\\b`));
}

// Filters and order of the list against a plain model: every column, every mode, metacharacters, unknown values.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SortColumn, sortColumns } from '#contract/connections.ts';
import { matchModes } from '#contract/query-words.ts';
import { type ConnectionLog, noon, openConnectionLog } from '../support/connection-log.ts';
import { budget, runs } from '../support/property-runs.ts';
import { verifies } from '../support/verifies.ts';

interface Row {
  src: string;
  dst: string;
  dport: number;
  proto: string;
  at: number;
  srcDnsName: string | null;
  srcMdnsName: string | null;
  srcMac: string | null;
  srcDeviceId: string | null;
  dstHost: string | null;
  country: string | null;
  org: string | null;
  level: 0 | 1 | 2;
}

type Query = Record<string, string | readonly string[]>;

/* The model: written from the contract, on strings and arrays alone. */

const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function fits(value: string | number | null, text: string, mode: unknown): boolean {
  if (value === null) {
    return false;
  }
  const [held, wanted] = [folded(String(value)), folded(text)];
  switch (mode) {
    case 'startsWith':
      return held.startsWith(wanted);
    case 'endsWith':
      return held.endsWith(wanted);
    case 'exact':
      return held === wanted;
    default:
      return held.includes(wanted);
  }
}

function shows(row: Row, query: Query): boolean {
  const wanted = (name: string) => [query[name] ?? []].flat().filter((text) => text !== '');
  const any = (name: string, ...values: (string | number | null)[]) => {
    const [texts, how] = [wanted(name), query[`${name}Mode`]];
    const shown = (mode?: unknown) => texts.some((text) => values.some((value) => fits(value, text, mode)));
    switch (texts.length === 0 ? 'nothing' : how) {
      case 'nothing':
        return true;
      case 'isNot':
        return !shown('exact');
      case 'notContains':
        return !shown('contains');
      default:
        return shown(how);
    }
  };
  const oneOf = (texts: readonly string[], value: string | null | undefined) =>
    texts.length === 0 || texts.some((text) => text === value);
  const names = ['exact', 'isNot'].includes(String(query.fSrcMode)) ? [] : [row.srcDnsName, row.srcMdnsName];
  const levels = ['safe', 'warn', 'danger'];
  return (
    any('fSrc', row.src, ...names) &&
    any('fDst', row.dst, row.dstHost) &&
    any('fDport', row.dport) &&
    any('fProto', row.proto) &&
    any('fCountry', row.country) &&
    any('fOrg', row.org) &&
    oneOf(wanted('fSrcMac').map(folded), row.srcMac) &&
    oneOf(wanted('fDevice'), row.srcDeviceId) &&
    oneOf(
      wanted('fThreat').filter((word) => levels.includes(word)),
      levels[row.level],
    )
  );
}

type Comparable = string | number | null;

function compare(a: Comparable, b: Comparable): number {
  if (typeof a === 'number' && typeof b === 'number') {
    return a - b;
  }
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

const sortValues: Record<SortColumn, (row: Row) => Comparable[]> = {
  lastSeen: (row) => [row.at],
  src: (row) => [row.src],
  dst: (row) => [row.dstHost, row.dst],
  dport: (row) => [row.dport],
  proto: (row) => [row.proto],
  country: (row) => [row.country],
  org: (row) => [row.org],
};

function inOrder(rows: readonly Row[], sort: SortColumn, sortDir: string): Row[] {
  return rows.toSorted((a, b) => {
    const [left, right] = [sortValues[sort](a), sortValues[sort](b)];
    for (const [index, value] of left.entries()) {
      const other = right[index] ?? null;
      if ((value === null) !== (other === null)) {
        return value === null ? 1 : -1;
      }
      const difference = value === null ? 0 : compare(value, other);
      if (difference !== 0) {
        return sortDir === 'asc' ? difference : -difference;
      }
    }
    return (
      b.at - a.at ||
      compare(a.src, b.src) ||
      compare(a.dst, b.dst) ||
      compare(a.dport, b.dport) ||
      compare(a.proto, b.proto)
    );
  });
}

/* What is generated: few values, so that rows meet filters and each other. */

const word = fc.string({
  unit: fc.constantFrom('a', 'B', '%', '_', '\\', 'é', 'É', "'", '.'),
  minLength: 1,
  maxLength: 3,
});
const maybeWord = fc.option(word);
const mac = fc.constantFrom('02:00:5e:10:00:0a', '02:00:5e:10:00:0b');
const device = fc.constantFrom('5d1c6a10-0000-4000-8000-000000000001', '5d1c6a10-0000-4000-8000-000000000002');
const sources = ['10.0.0.2', '10.0.0.12', 'fd00::b'];
const destinations = ['203.0.113.80', '203.0.113.8', '2001:db8::a1', '198.51.100.80'];

const network = fc.record({
  sources: fc.tuple(
    ...sources.map(() =>
      fc.record({ dns: maybeWord, mdns: maybeWord, mac: fc.option(mac), device: fc.option(device) }),
    ),
  ),
  destinations: fc.tuple(
    ...destinations.map(() =>
      fc.record({ host: maybeWord, country: fc.option(fc.constantFrom('NL', 'JP')), org: maybeWord, level: fc.nat(2) }),
    ),
  ),
  flows: fc.uniqueArray(
    fc.record({
      src: fc.nat(sources.length - 1),
      dst: fc.nat(destinations.length - 1),
      dport: fc.constantFrom(0, 44, 443, 4430),
      proto: fc.constantFrom('TCP', 'UDP', '47'),
      at: fc.constantFrom(noon, noon + 1),
    }),
    { selector: ({ src, dst, dport, proto }) => `${src} ${dst} ${dport} ${proto}`, minLength: 1, maxLength: 16 },
  ),
});

type Network = typeof network extends fc.Arbitrary<infer N> ? N : never;

const text = fc.oneof(
  word,
  fc.constantFrom(
    '',
    '0',
    '.',
    '1',
    '80',
    '443',
    '44',
    '0443',
    '203.0.113.8',
    'FD00::B',
    'fd00',
    ':',
    'tc',
    'UDP',
    'nl',
    'n',
    '\0',
    'a\0',
  ),
);
const mode = fc.option(fc.constantFrom(...matchModes, 'Exact', ''), { nil: undefined });
const column = fc.constantFrom('fSrc', 'fDst', 'fDport', 'fProto', 'fCountry', 'fOrg');
/** One value, or a parameter that is repeated. */
const maybeMore = (value: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 2, arbitrary: value }, fc.array(value, { minLength: 1, maxLength: 3 }));
const columnFilter = fc
  .tuple(column, maybeMore(text), mode)
  .map(([name, value, how]): Query => ({ [name]: value, ...(how === undefined ? {} : { [`${name}Mode`]: how }) }));
const otherFilter = fc.oneof(
  maybeMore(
    fc.oneof(
      mac,
      mac.map((address) => address.toUpperCase()),
      fc.constant('02:00'),
    ),
  ).map((fSrcMac): Query => ({ fSrcMac })),
  maybeMore(fc.oneof(device, fc.constantFrom('', '5d1c6a10'))).map((fDevice): Query => ({ fDevice })),
  maybeMore(fc.constantFrom('safe', 'warn', 'danger', 'Safe', '')).map((fThreat): Query => ({ fThreat })),
);
const query = fc
  .tuple(fc.array(columnFilter, { maxLength: 2 }), fc.array(otherFilter, { maxLength: 1 }))
  .map((parts): Query => Object.assign({}, ...parts.flat()));
const order = fc.record({ sort: fc.constantFrom(...sortColumns), sortDir: fc.constantFrom('asc', 'desc') });

async function fill(log: ConnectionLog, given: Network): Promise<Row[]> {
  await log.clear();
  await log.record(
    given.flows.map((flow) => ({ ...flow, src: sources[flow.src] ?? '', dst: destinations[flow.dst] ?? '' })),
  );
  for (const [index, { dns, mdns, mac: address, device: holder }] of given.sources.entries()) {
    await log.describe('source', sources[index] ?? '', {
      ...{ dns_name: dns, mdns_name: mdns, mac: address, device_id: holder },
    });
  }
  for (const [index, { level, ...words }] of given.destinations.entries()) {
    await log.describe('destination', destinations[index] ?? '', words);
    await log.judge(destinations[index] ?? '', level === 0 ? null : { level: level === 2 ? 'danger' : 'warn' });
  }
  return given.flows.map((flow) => {
    const [from, to] = [given.sources[flow.src], given.destinations[flow.dst]];
    return {
      ...flow,
      src: sources[flow.src] ?? '',
      dst: destinations[flow.dst] ?? '',
      srcDnsName: from?.dns ?? null,
      srcMdnsName: from?.mdns ?? null,
      srcMac: from?.mac ?? null,
      srcDeviceId: from?.device ?? null,
      dstHost: to?.host ?? null,
      country: to?.country ?? null,
      org: to?.org ?? null,
      level: (to?.level ?? 0) as Row['level'],
    };
  });
}

const key = (row: Pick<Row, 'src' | 'dst' | 'dport' | 'proto'>) => [row.src, row.dst, row.dport, row.proto].join(' ');

describe('against the model', () => {
  test(`every mix of filters shows exactly the rows it means, in the order asked for: ${budget(10, 40, 'logs')}`, async () => {
    await using log = openConnectionLog();
    await fc.assert(
      fc.asyncProperty(
        network,
        fc.array(fc.tuple(query, order), { minLength: 30, maxLength: 30 }),
        async (given, asked) => {
          const rows = await fill(log, given);
          for (const [filter, how] of asked) {
            const expected = inOrder(rows, how.sort, how.sortDir).filter((row) => shows(row, filter));
            const shown = await log.list({ ...filter, ...how });
            expect(shown.connections.map(key)).toEqual(expected.map(key));
            expect(shown.total).toBe(expected.length);
            const page = await log.list({ ...filter, ...how, limit: '3', offset: '2' });
            expect(page.connections.map(key)).toEqual(expected.slice(2, 5).map(key));
          }
        },
      ),
      { numRuns: runs(10, 40) },
    );
  });
});

describe('columns and modes by example', () => {
  const columns = {
    fSrc: { value: '192.168.1.44', part: '192.168.1.4' },
    fDst: { value: '203.0.113.44', part: '203.0.113.4' },
    fDport: { value: '45678', part: '4567' },
    fProto: { value: 'UDPLITE', part: 'UDP' },
    fCountry: { value: 'NLX', part: 'NL' },
    fOrg: { value: 'Example Hosting BV', part: 'Example Hosting' },
  } as const;
  type Column = keyof typeof columns;

  /** Rows of a log with one flow that matches every column, and one that matches none. */
  async function openTwoFlows() {
    const log = openConnectionLog();
    await log.record([
      { src: '192.168.1.44', dst: '203.0.113.44', dport: 45_678, proto: 'UDPLITE' },
      { src: '10.9.8.7', dst: '198.51.100.6', dport: 5, proto: 'SCTP' },
    ]);
    await log.describe('destination', '203.0.113.44', { country: 'NLX', org: 'Example Hosting BV' });
    await log.describe('destination', '198.51.100.6', { country: 'JP', org: 'Other' });
    const found = async (name: Column, text: string, how?: string) => {
      const { connections } = await log.list({ [name]: text, ...(how === undefined ? {} : { [`${name}Mode`]: how }) });
      return connections.map(({ dport }) => dport);
    };
    return { found, [Symbol.asyncDispose]: () => log[Symbol.asyncDispose]() };
  }

  async function filtersBy(...names: Column[]): Promise<void> {
    await using log = await openTwoFlows();
    for (const name of names) {
      const { value, part } = columns[name];
      expect([name, await log.found(name, value.toLowerCase(), 'exact')]).toEqual([name, [45_678]]);
      expect([name, await log.found(name, part)]).toEqual([name, [45_678]]);
      expect([name, await log.found(name, 'zz')]).toEqual([name, []]);
      expect([name, await log.found(name, '%'), await log.found(name, '_')]).toEqual([name, [], []]);
    }
  }

  verifies('rest.connections.filter-src rest.connections.filter-dst rest.connections.filter-dport', 'by column', () =>
    filtersBy('fSrc', 'fDst', 'fDport'),
  );
  verifies(
    'rest.connections.filter-proto rest.connections.filter-country rest.connections.filter-org',
    'by column',
    () => filtersBy('fProto', 'fCountry', 'fOrg'),
  );

  async function matchesBy(how: string, matching: (column: { value: string; part: string }) => string[]) {
    await using log = await openTwoFlows();
    for (const [name, column] of Object.entries(columns) as [Column, { value: string; part: string }][]) {
      const { value, part } = column;
      const texts = [value, part, value.slice(1), value.slice(1, -1), `${value}9`];
      for (const text of texts) {
        const expected = matching(column).includes(text) ? [45_678] : [];
        expect([name, how, text, await log.found(name, text, how)]).toEqual([name, how, text, expected]);
      }
    }
  }

  verifies(
    'rest.connections.mode-contains rest.connections.mode-starts-with',
    'any part, or the beginning',
    async () => {
      await matchesBy('contains', ({ value, part }) => [value, part, value.slice(1), value.slice(1, -1)]);
      await matchesBy('startsWith', ({ value, part }) => [value, part]);
    },
  );
  verifies('rest.connections.mode-ends-with rest.connections.mode-exact', 'the end, or the whole', async () => {
    await matchesBy('endsWith', ({ value }) => [value, value.slice(1)]);
    await matchesBy('exact', ({ value }) => [value]);
  });

  verifies(
    'rest.connections.filter-src-mac rest.connections.filter-threat',
    'the MAC is matched whole, in any case; the level is one of three',
    async () => {
      await using log = openConnectionLog();
      await log.record([1, 2, 3].map((dport) => ({ dport, src: `10.0.0.${dport}`, dst: `203.0.113.${dport}` })));
      await log.describe('source', '10.0.0.2', { mac: '02:00:5e:10:00:0a' });
      await log.judge('203.0.113.2', { level: 'warn' });
      await log.judge('203.0.113.3', { level: 'danger' });
      const found = async (asked: Query) => (await log.list(asked)).connections.map(({ dport }) => dport);
      expect(await found({ fSrcMac: '02:00:5E:10:00:0A' })).toEqual([2]);
      expect(await found({ fSrcMac: '02:00:5e:10:00' })).toEqual([]);
      expect([await found({ fThreat: 'safe' }), await found({ fThreat: 'warn' })]).toEqual([[1], [2]]);
      expect(await found({ fThreat: 'danger' })).toEqual([3]);
    },
  );

  test('fSrc looks at names too unless exact; fDst exact also means the host', async () => {
    await using log = openConnectionLog();
    await log.record([{}]);
    await log.describe('source', '192.168.1.2', { dns_name: 'desk.lan', mdns_name: 'Attic' });
    await log.describe('destination', '203.0.113.80', { host: 'files.example.net' });
    const total = async (asked: Query) => (await log.list(asked)).total;
    expect(await total({ fSrc: 'DESK' })).toBe(1);
    expect(await total({ fSrc: 'attic', fSrcMode: 'endsWith' })).toBe(1);
    expect(await total({ fSrc: 'desk.lan', fSrcMode: 'exact' })).toBe(0);
    expect(await total({ fDst: 'FILES.example.net', fDstMode: 'exact' })).toBe(1);
    expect(await total({ fDst: 'example.net', fDstMode: 'exact' })).toBe(0);
  });

  describe('each column sorts both ways', () => {
    async function openThree() {
      const log = openConnectionLog();
      await log.record([
        { src: '10.0.0.1', dst: '203.0.113.3', dport: 3, proto: 'TCP', at: noon + 2 },
        { src: '10.0.0.2', dst: '203.0.113.2', dport: 1, proto: 'UDP', at: noon + 3 },
        { src: '10.0.0.3', dst: '203.0.113.1', dport: 2, proto: 'ESP', at: noon + 1 },
      ]);
      await log.describe('destination', '203.0.113.3', { host: 'b.example', country: 'NL', org: 'Alpha' });
      await log.describe('destination', '203.0.113.2', { host: 'a.example', country: 'JP', org: 'Beta' });
      const ports = async (asked: Query) => (await log.list(asked)).connections.map((row) => row.dport);
      return { ports, [Symbol.asyncDispose]: () => log[Symbol.asyncDispose]() };
    }

    async function sortsBothWays(expected: Partial<Record<SortColumn, { asc: number[]; desc: number[] }>>) {
      await using log = await openThree();
      for (const [sort, { asc, desc }] of Object.entries(expected)) {
        expect([sort, await log.ports({ sort, sortDir: 'asc' })]).toEqual([sort, asc]);
        expect([sort, await log.ports({ sort, sortDir: 'desc' })]).toEqual([sort, desc]);
      }
    }
    const both = (asc: number[]) => ({ asc, desc: asc.toReversed() });

    verifies(
      'rest.connections.sort-default rest.connections.sort-last-seen rest.connections.sort-dir',
      'lastSeen and desc are what is meant when nothing is said',
      async () => {
        await using log = await openThree();
        expect(await log.ports({})).toEqual([1, 3, 2]);
        expect(await log.ports({ sortDir: 'asc' })).toEqual([2, 3, 1]);
        expect(await log.ports({ sort: 'dport' })).toEqual([3, 2, 1]);
        await sortsBothWays({ lastSeen: both([2, 3, 1]) });
      },
    );
    verifies('rest.connections.sort-src rest.connections.sort-dport rest.connections.sort-proto', 'by its value', () =>
      sortsBothWays({ src: both([3, 1, 2]), dport: both([1, 2, 3]), proto: both([2, 3, 1]) }),
    );
    verifies(
      'rest.connections.sort-dst rest.connections.sort-country rest.connections.sort-org',
      'by its value, unknown ones last',
      () =>
        sortsBothWays({
          dst: { asc: [1, 3, 2], desc: [3, 1, 2] },
          country: { asc: [1, 3, 2], desc: [3, 1, 2] },
          org: { asc: [3, 1, 2], desc: [1, 3, 2] },
        }),
    );
  });
});

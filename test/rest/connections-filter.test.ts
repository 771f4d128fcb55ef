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
const columns = ['fSrc', 'fDst', 'fDport', 'fProto', 'fCountry', 'fOrg'];
/** One value, or a parameter that is repeated. */
const maybeMore = (value: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 2, arbitrary: value }, fc.array(value, { minLength: 1, maxLength: 3 }));
const filterBy = (names: readonly string[], modes: fc.Arbitrary<string | undefined> = mode) =>
  fc
    .tuple(fc.constantFrom(...names), maybeMore(text), modes)
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
  .tuple(fc.array(filterBy(columns), { maxLength: 2 }), fc.array(otherFilter, { maxLength: 1 }))
  .map((parts): Query => Object.assign({}, ...parts.flat()));
const orderBy = (...sorts: readonly SortColumn[]) =>
  fc.record({ sort: fc.constantFrom(...sorts), sortDir: fc.constantFrom('asc', 'desc') });

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

/** Lists of random logs have the rows and the order of the model, whole and as a page. */
async function equalsModel(logs: number, filters = query, orders = orderBy(...sortColumns)): Promise<void> {
  await using log = openConnectionLog();
  const queries = fc.array(fc.tuple(filters, orders), { minLength: 30, maxLength: 30 });
  const property = fc.asyncProperty(network, queries, async (given, asked) => {
    const rows = await fill(log, given);
    for (const [filter, how] of asked) {
      const expected = inOrder(rows, how.sort, how.sortDir).filter((row) => shows(row, filter));
      const shown = await log.list({ ...filter, ...how });
      expect(shown.connections.map(key)).toEqual(expected.map(key));
      expect(shown.total).toBe(expected.length);
      const page = await log.list({ ...filter, ...how, limit: '3', offset: '2' });
      expect(page.connections.map(key)).toEqual(expected.slice(2, 5).map(key));
    }
  });
  await fc.assert(property, { numRuns: logs });
}

describe('against the model', () => {
  test(`every mix of filters shows exactly the rows it means, in the order asked for: ${budget(10, 40, 'logs')}`, () =>
    equalsModel(runs(10, 40)));
  verifies('rest.connections.filter-src rest.connections.filter-dst rest.connections.filter-dport', 'by column', () =>
    equalsModel(4, filterBy(['fSrc', 'fDst', 'fDport'])),
  );
  verifies(
    'rest.connections.filter-proto rest.connections.filter-country rest.connections.filter-org',
    'by column',
    () => equalsModel(4, filterBy(['fProto', 'fCountry', 'fOrg'])),
  );
  verifies('rest.connections.mode-contains rest.connections.mode-starts-with', 'any part, or the beginning', () =>
    equalsModel(4, filterBy(columns, fc.constantFrom('contains', 'startsWith'))),
  );
  verifies('rest.connections.mode-ends-with rest.connections.mode-exact', 'the end, or the whole', () =>
    equalsModel(4, filterBy(columns, fc.constantFrom('endsWith', 'exact'))),
  );
  verifies(
    'rest.connections.filter-src-mac rest.connections.filter-threat',
    'the MAC is matched whole, in any case; the level is one of three',
    () => equalsModel(4, otherFilter),
  );
  verifies('rest.connections.sort-src rest.connections.sort-dport rest.connections.sort-proto', 'by its value', () =>
    equalsModel(2, fc.constant({}), orderBy('src', 'dport', 'proto')),
  );
  verifies(
    'rest.connections.sort-dst rest.connections.sort-country rest.connections.sort-org',
    'by its value, unknown ones last',
    () => equalsModel(2, fc.constant({}), orderBy('dst', 'country', 'org')),
  );
});

verifies(
  'rest.connections.sort-default rest.connections.sort-last-seen rest.connections.sort-dir',
  'lastSeen and desc are what is meant when nothing is said',
  async () => {
    await using log = openConnectionLog();
    await log.record([3, 1, 2].map((dport, at) => ({ dport, at: noon + ([2, 3, 1][at] ?? 0) })));
    const ports = async (asked: Query) => (await log.list(asked)).connections.map((row) => row.dport);
    expect(await ports({})).toEqual([1, 3, 2]);
    expect(await ports({ sortDir: 'asc' })).toEqual([2, 3, 1]);
    expect(await ports({ sort: 'dport' })).toEqual([3, 2, 1]);
    expect(await ports({ sort: 'lastSeen', sortDir: 'asc' })).toEqual([2, 3, 1]);
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

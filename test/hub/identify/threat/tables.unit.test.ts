// The tables against a naive reading of the same indicators, and what a verdict is made from.
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { buildAll } from '#hub/identify/threat/build-tables.ts';
import { readDocument } from '#hub/identify/threat/documents.ts';
import type { DocumentName } from '#hub/identify/threat/feed-documents.ts';
import type { Indicator } from '#hub/identify/threat/indicator.ts';
import { createJudge } from '#hub/identify/threat/judge.ts';
import { findTenancy } from '#hub/identify/threat/multi-tenant.ts';
import { buildTables } from '#hub/identify/threat/tables/build.ts';
import { ipv4Number, parseIpv6Number } from '#hub/identify/threat/tables/ip-number.ts';
import { type DocumentRows, packRows } from '#hub/identify/threat/tables/rows.ts';
import { findIpv4, findIpv6, findNames, listIndicators, type Tables } from '#hub/identify/threat/tables/tables.ts';
import { dropJson, falsePositivesCsv, iocCsv, urlCsv } from '#simulators/feeds/documents.ts';
import { parseRows } from '#simulators/feeds/listing.ts';

const plain = { feed: 'feed_ioc', kind: 'ip', port: 0, exact: 2, loose: 1, tag: '', url: '' } as const;

function table(...indicators: (Partial<Indicator> & Pick<Indicator, 'value'>)[]): Tables {
  const entries = indicators.map((one) => {
    const covers = one.kind === 'domain' && findTenancy(one.value).coversSubdomains;
    return { ...plain, ...one, covers };
  });
  return buildTables(packRows(entries));
}

/** Values of the ranges around an address, the narrowest first. */
function rangesAt(tables: Tables, address: string): string[] {
  const number = ipv4Number(address);
  const found: string[] = [];
  const all = [...listIndicators(tables)];
  let group = number < 0 ? findIpv6(tables, parseIpv6Number(address)) : findIpv4(tables, number);
  while (group >= 0) {
    found.push(all[tables.groups[group] ?? 0]?.value ?? '');
    group = tables.parents[group] ?? -1;
  }
  return found;
}

describe('ranges', () => {
  const octet = fc.constantFrom(0, 1, 2, 127, 128, 255);
  const v4 = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'));
  const v6 = fc.tuple(octet, octet, octet).map(([a, b, c]) => `2001:db8:${a}::${b}:${c}`);
  const within = (base: fc.Arbitrary<string>, bits: number) =>
    fc.tuple(base, fc.integer({ min: 8, max: bits })).map(([ip, length]) => {
      const first =
        bits === 32
          ? ipaddr.IPv4.networkAddressFromCIDR(`${ip}/${length}`).toString()
          : ipaddr.IPv6.networkAddressFromCIDR(`${ip}/${length}`).toRFC5952String();
      return `${first}/${length}`;
    });
  const naive = (cidrs: readonly string[], address: string) =>
    [...new Set(cidrs)]
      .filter((cidr) => (ipaddr.parse(address) as ipaddr.IPv4).match(ipaddr.parseCIDR(cidr) as [ipaddr.IPv4, number]))
      .sort((a, b) => Number(b.split('/')[1]) - Number(a.split('/')[1]));

  for (const [name, base, bits] of [['IPv4', v4, 32] as const, ['IPv6', v6, 128] as const]) {
    test(`${name}: every range that holds an address is found, the narrowest first`, () => {
      fc.assert(
        fc.property(
          fc.array(within(base, bits), { maxLength: 40 }),
          fc.array(base, { minLength: 5 }),
          (cidrs, probes) => {
            const tables = table(...cidrs.map((value) => ({ value, kind: 'cidr' as const })));
            for (const probe of probes) {
              expect(rangesAt(tables, probe)).toEqual(naive(cidrs, probe));
            }
          },
        ),
      );
    });
  }

  test('the highest addresses there are end no table', () => {
    const tables = table(
      { value: '255.255.255.0/24', kind: 'cidr' },
      { value: 'ff00::/8', kind: 'cidr' },
      { value: '0.0.0.0' },
    );
    expect(rangesAt(tables, '255.255.255.255')).toEqual(['255.255.255.0/24']);
    expect(rangesAt(tables, '255.255.254.255')).toEqual([]);
    expect(rangesAt(tables, '0.0.0.0')).toEqual(['0.0.0.0']);
    expect(rangesAt(tables, '0.0.0.1')).toEqual([]);
    expect(rangesAt(tables, 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')).toEqual(['ff00::/8']);
    expect(rangesAt(table(), '1.1.1.1')).toEqual([]);
  });
});

test('names are found whole, and below a registered name; never below a suffix or a host of many tenants', () => {
  const kind = 'domain';
  const tables = table(
    { value: 'bad.example', kind },
    { value: 'deep.worse.example', kind },
    { value: 'github.io', kind },
    { value: 'tenant.github.io', kind },
    ...Array.from({ length: 200 }, (_, index) => ({ value: `n${index}.example`, kind }) as const),
  );
  const found = (name: string) =>
    [...findNames(tables, name)].map((group) => [...listIndicators(tables)][tables.groups[group] ?? 0]?.value);
  expect(found('bad.example')).toEqual(['bad.example']);
  expect(found('a.b.bad.example')).toEqual(['bad.example']);
  expect(found('notbad.example')).toEqual([]);
  expect(found('a.deep.worse.example')).toEqual([]);
  expect(found('other.github.io')).toEqual([]);
  expect(found('tenant.github.io')).toEqual(['tenant.github.io']);
  expect(found('x.n199.example')).toEqual(['n199.example']);
  const isMultiTenant = (name: string) => findTenancy(name).isMultiTenant;
  expect(['raw.githubusercontent.com', 'x.github.io', 'drive.google.com', 'www.dropbox.com'].every(isMultiTenant)).toBe(
    true,
  );
  expect(['google.com', 'bad.example', 'a.co.uk'].some(isMultiTenant)).toBe(false);
});

test('names lie spread over their index: no search passes more than a few others', () => {
  const { names } = table(
    ...Array.from({ length: 4000 }, (_, n) => ({ value: `n${n}.example`, kind: 'domain' }) as const),
  );
  const taken = [...names.slots].filter((_, at) => at % 2 === 0).map((text) => (text === 0 ? ' ' : 'x'));
  expect(taken).toHaveLength(8192);
  expect(taken.filter((one) => one === 'x')).toHaveLength(4000);
  const longest = Math.max(
    ...taken
      .join('')
      .split(' ')
      .map((run) => run.length),
  );
  expect(longest).toBeLessThan(64);
});

test('tables give back what they were built from', () => {
  const indicator: Indicator = {
    feed: 'feed_url',
    kind: 'domain',
    value: 'bad.example',
    port: 8080,
    exact: 2,
    loose: 1,
    tag: 'exe, größer',
    url: 'http://bad.example:8080/ü',
  };
  expect([...listIndicators(table(indicator))]).toEqual([indicator]);
  expect(table(indicator).version).toBe(table(indicator).version);
  expect(table(indicator).version).not.toBe(table({ ...indicator, exact: 1 }).version);
});

describe('a verdict', () => {
  const nothing = table();
  const judge = (tables: Tables | null, isObserved = false, allowed = nothing) =>
    createJudge({ listed: () => tables, allowed: () => allowed, isObserved: () => isObserved });
  const flow = { dst: '203.0.113.77', dport: 8443, proto: 'TCP', host: null };
  const listed = table(
    { value: '203.0.113.77', port: 8443, tag: 'Rat' },
    { value: '203.0.113.0/24', kind: 'cidr', feed: 'feed_drop', loose: 2 },
  );

  test('is none while nothing is listed', () => {
    expect(judge(null)(flow)).toBeNull();
    expect(judge(nothing)(flow)).toBeNull();
  });

  test('prefers the port, then the address, and takes the gravest', () => {
    expect(judge(listed)(flow)).toEqual({
      level: 'danger',
      confidence: 'high',
      source: 'feed_ioc',
      tag: 'Rat',
      matchType: 'ip',
      matchValue: '203.0.113.77',
      port: 8443,
      url: null,
    });
    expect(judge(listed)({ ...flow, dport: 443 })).toMatchObject({
      source: 'feed_drop',
      level: 'danger',
      matchType: 'cidr',
      port: null,
    });
    const alone = table({ value: '203.0.113.77', port: 8443 });
    expect(judge(alone)({ ...flow, dport: 443 })).toMatchObject({ level: 'warn', confidence: 'low', port: 8443 });
  });

  test('of a name is danger when a client asked for it, a warning when only its address says so', () => {
    const named = table({ value: 'bad.example', kind: 'domain' });
    const host = 'WWW.bad.example';
    expect(judge(named, true)({ ...flow, host })).toMatchObject({
      level: 'danger',
      matchType: 'domain',
      matchValue: 'bad.example',
    });
    expect(judge(named, false)({ ...flow, host })).toMatchObject({ level: 'warn', confidence: 'low' });
  });

  test('is none for what the operator allows: by address, by range, by name', () => {
    for (const [kind, value] of [
      ['ip', '203.0.113.77'],
      ['cidr', '203.0.113.64/26'],
      ['domain', 'mine.example'],
    ] as const) {
      expect(judge(listed, false, table({ value, kind }))({ ...flow, host: 'a.mine.example' })).toBeNull();
    }
    expect(judge(listed, false, table({ value: '203.0.113.78' }))(flow)).not.toBeNull();
  });

  test('of IPv6 works alike', () => {
    const tables = table(
      { value: '2001:db8::1', port: 443 },
      { value: '2001:db8:bad::/48', kind: 'cidr', feed: 'feed_drop' },
    );
    expect(judge(tables)({ ...flow, dst: '2001:db8::1', dport: 443 })).toMatchObject({ level: 'danger', port: 443 });
    expect(judge(tables)({ ...flow, dst: '2001:db8:bad:ffff::5' })).toMatchObject({ matchValue: '2001:db8:bad::/48' });
    expect(judge(tables)({ ...flow, dst: '2001:db8:bae::' })).toBeNull();
  });
});

function readRows(part: DocumentName, text: string): DocumentRows {
  const read = readDocument({ part, packed: Buffer.from(text) });
  if ('problem' in read) {
    throw new Error(read.problem);
  }
  return read.rows;
}

describe('all documents together', () => {
  const now = Date.UTC(2026, 10, 19);
  const ioc = iocCsv(
    parseRows('ioc', [
      { value: '203.0.113.77:8443' },
      { value: '203.0.113.77:8443', confidence: 60 },
      { value: 'mistake.example', type: 'domain' },
      { value: 'tenant.github.io', type: 'domain' },
    ]),
    now,
  );
  const url = urlCsv(
    parseRows('url', [{ url: 'http://203.0.113.77:8443/x' }, { url: 'http://a.example/taken-back' }]),
    now,
  );
  const drop = dropJson(parseRows('drop', [{ cidr: '192.0.2.0/24' }]), now);
  const back = falsePositivesCsv(
    parseRows('falsePositives', [
      { type: 'domain', value: 'mistake.example' },
      { type: 'url', value: 'http://a.example/taken-back' },
      { type: 'ip', value: '192.0.2.1' },
    ]),
    now,
  );
  const documents = (['ioc_full', 'url', 'drop_v4', 'false_positives'] as const).map((part, index) => ({
    part,
    rows: readRows(part, [ioc, url, drop, back][index] ?? ''),
  }));
  const task = { documents, allowList: [], dropGrade: 2 as const, now, before: null };

  test('are one list: doubles once, the gravest of them; what was taken back is out; many tenants accuse nobody', () => {
    const { listed, counts, changed } = buildAll(task);
    expect(counts).toEqual({ feed_c2: 0, feed_ioc: 2, feed_url: 1, feed_drop: 1 });
    expect(changed).toBeNull();
    expect([...listIndicators(listed)].map(({ value, exact, feed }) => [value, exact, feed])).toEqual([
      ['192.0.2.0/24', 2, 'feed_drop'],
      ['203.0.113.77', 2, 'feed_ioc'],
      ['203.0.113.77', 2, 'feed_url'],
      ['tenant.github.io', 1, 'feed_ioc'],
    ]);
    expect([...listIndicators(listed)].at(-1)?.tag).toContain('needs the URL path');
  });

  test('tell what changed: what came, what went and what weighs otherwise', () => {
    const before = buildAll(task).listed;
    expect([...listIndicators(buildAll({ ...task, before }).changed ?? before)]).toEqual([]);
    const fewer = documents.filter(({ part }) => part !== 'url');
    const after = buildAll({ ...task, documents: fewer, dropGrade: 1, before });
    const changed = [...listIndicators(after.changed ?? before)].map(({ value, feed }) => `${feed} ${value}`);
    expect(changed).toEqual(['feed_drop 192.0.2.0/24', 'feed_url 203.0.113.77']);
  });
});

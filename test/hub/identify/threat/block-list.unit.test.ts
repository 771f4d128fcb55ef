// The block list as texts: the order of its entries against a model, each format whole, and what a format leaves out.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Blocked, compareBlocked } from '#hub/identify/threat/block-list/entry.ts';
import { formatBlockList } from '#hub/identify/threat/block-list/formats.ts';

const octet = fc.nat(255);
const ipv4 = fc
  .tuple(octet, octet)
  .map(([a, b]) => ({ kind: 'ip' as const, value: `198.${a}.${b}.9`, rank: [0, a, b, 9, 0] }));
const range = fc.tuple(octet, octet).map(([a, b]) => ({
  ...{ kind: 'cidr' as const, value: `198.${a}.${b}.0/24`, rank: [0, a, b, 0, 0] },
}));
const ipv6 = octet.map((a) => ({
  kind: 'ip' as const,
  value: `2001:db8::${(a + 1).toString(16)}`,
  rank: [1, 0, 0, 0, a],
}));
const name = fc.constantFrom('a.example', 'b.example', 'c.example', 'aa.example').map((value) => ({
  ...{ kind: 'domain' as const, value, rank: [2, 0, 0, 0, 0] },
}));

test('IPv4 comes before IPv6 and names last; addresses by number, names by letters', () => {
  const entries = fc.array(fc.oneof(ipv4, range, ipv6, name), { maxLength: 30 });
  fc.assert(
    fc.property(entries, (given) => {
      const byModel = given.toSorted((a, b) => {
        const place = a.rank.findIndex((part, at) => part !== b.rank[at]);
        const byRank = place < 0 ? 0 : (a.rank[place] as number) - (b.rank[place] as number);
        return byRank || (a.value < b.value ? -1 : Number(a.value > b.value));
      });
      const values = (list: readonly Blocked[]) => list.map(({ value }) => value);
      expect(values(given.toSorted(compareBlocked))).toEqual(values(byModel));
    }),
    { numRuns: 300 },
  );
  const wide: Blocked[] = ['198.51.100.0/25', '198.51.100.0/24', '198.51.100.0'].map((value) => ({
    ...{ kind: value.includes('/') ? ('cidr' as const) : ('ip' as const), value },
  }));
  expect(wide.toSorted(compareBlocked).map(({ value }) => value)).toEqual([
    '198.51.100.0/24',
    '198.51.100.0/25',
    '198.51.100.0',
  ]);
});

test('every format says how many entries it has, and what it leaves out only when it does', () => {
  const address: Blocked = { kind: 'ip', value: '198.51.100.7' };
  const host: Blocked = { kind: 'domain', value: 'bad.example' };
  const changedAt = 1_790_000_000_000;
  const comments = (format: Parameters<typeof formatBlockList>[0], entries: readonly Blocked[]) =>
    formatBlockList(format, { entries, changedAt })
      .split('\n')
      .filter((line) => /^[#;!] /.test(line))
      .map((line) => line.slice(2));
  const last = 'The hub changes nothing by itself: it blocks where somebody loads this list.';
  const left = 'Left out, because this format cannot express them: 1.';
  for (const format of ['plain', 'rpz'] as const) {
    expect([format, comments(format, [address, host])]).toEqual([format, [expect.stringMatching(/2026/), last]]);
  }
  for (const format of ['hosts', 'yamaha', 'cisco'] as const) {
    expect([format, comments(format, [address, host])]).toEqual([format, [expect.any(String), left, last]]);
    const kept = format === 'hosts' ? host : address;
    expect([format, comments(format, [kept])]).toEqual([format, [expect.any(String), last]]);
  }
  expect(formatBlockList('plain', { entries: [], changedAt: 0 })).toMatch(
    /^# Block list of Gatehouse: [^\n]*\n# The hub[^\n]*\n$/,
  );
});

// Rows that a log line cuts in two: what is read of them is right, or the table does not count as complete.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RouterKind } from '#hub/collect/routers/driver.ts';
import { budget, runs } from '../../../support/property-runs.ts';
import { captureOf } from './captures.ts';
import { readTable as read } from './tables.ts';

const seed = Number(process.hrtime.bigint() % 1_000_000n);
console.info(`torn rows seed ${seed}`);

const logs: Record<RouterKind, readonly string[]> = {
  vendor_a: [
    '2026/03/01 12:00:01: [INSPECT] LAN2[out][101100] TCP 192.168.100.3:54874 > 198.51.100.25:443 (2026/03/01 11:58:42)',
    '2026/03/01 12:00:01: LAN2: link up',
    '[DHCPD] LAN1(port4) Allocates 192.168.100.4: 00:00:5e:00:53:02',
  ],
  vendor_b: [
    '*Mar  1 12:00:03.221: %LINEPROTO-5-UPDOWN: Line protocol on Interface GigabitEthernet0/1, changed state to up',
    '00:01:22: %SYS-5-CONFIG_I: Configured from console by vty0 (192.168.100.2)',
    '%LINK-3-UPDOWN: Interface GigabitEthernet0/1, changed state to up',
    '000123: .Mar  1 2026 12:00:03.221 JST: %SEC-6-IPACCESSLOGP: list 101 permitted tcp 192.168.100.2(443) -> 198.51.100.25(80), 1 packet',
  ],
};

const headA = [
  'NAT/IP masquerade compatibility type : 2',
  'Reference Descriptor : 1000, Assigned Interface : LAN2(1)',
  'Masquerade Table',
  '    Outer address: 203.0.113.24',
  '    Port range: 60000-64095, 49152-59999, 44096-49151   8 session.',
];
const rowsA = [
  '       TCP      192.168.100.2.443              *.*.*.*.*          443   static',
  '       TCP     192.168.100.2.54434       203.0.113.86.443        60178      615',
  '       UDP     192.168.100.2.56143        192.0.2.179.123        60000      281',
  '      ICMP     192.168.100.7.51069       203.0.113.86.51069      60001      146',
  '       GRE         192.168.100.9.*       198.51.100.7.*              *      900',
  '       ESP         192.168.100.9.*       198.51.100.8.*          60002      711',
  '       ESP           192.168.100.9         198.51.100.9      711',
  '        50         192.168.100.9.*       198.51.100.9.*              *      711',
];
/** As a console of 80 columns breaks rows that are wider. */
const broken = (lines: readonly string[]) =>
  lines.flatMap((line) => (line.length > 80 ? [line.slice(0, 80), line.slice(80)] : [line]));
const wide = (by: number) => rowsA.map((row) => row.trim().replace(/ +/g, '  ').padStart(by));

const rowsB = [
  'tcp 203.0.113.24:443   192.168.100.2:443  ---                ---',
  'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:443 203.0.113.86:443',
  'udp 203.0.113.24:60000 192.168.100.2:56143 192.0.2.179:123    192.0.2.179:123',
  'icmp 203.0.113.24:56892 192.168.100.7:14845 198.18.137.100:14845 198.18.137.100:56892',
  'esp 203.0.113.24:0     192.168.100.2:0    198.19.41.101:0    198.19.41.101:0',
  'gre 203.0.113.24       192.168.100.2      198.19.41.101      198.19.41.101',
  'ipv6 203.0.113.24      192.168.100.2      198.19.41.102      198.19.41.102',
  '47 203.0.113.24        192.168.100.2      198.19.41.103      198.19.41.103',
];
const classic = [
  '    create 00:00:12, use 00:00:02 timeout:86400000, left 23:59:57, Map-Id(In): 2,',
  '    flags:',
  'extended, use_count: 0, entry-id: 5857, lc_entries: 0',
];
const dated = [
  '  create: 03/01/26 11:38:01, use: 03/01/26 11:39:02, timeout: 00:04:00',
  '  Map-Id(In): 1',
  '  Mac-Address: 0000.0000.0000    Input-IDB: TenGigabitEthernet1/1/0',
  '  entry-id: 0x0, use_count:1',
  '',
];
const headB = ['Pro Inside global      Inside local       Outside local      Outside global'];

const tables: [string, RouterKind, readonly string[]][] = [
  ['vendor_a', 'vendor_a', [...headA, ...rowsA]],
  ['vendor_a, rows of 86 columns broken at 80', 'vendor_a', broken([...headA, ...wide(86)])],
  ['vendor_a, rows of 85 columns broken at 80, before a blank', 'vendor_a', broken([...headA, ...wide(85)])],
  ['vendor_a, rows of 82 columns broken at 80', 'vendor_a', broken([...headA, ...wide(82)])],
  ['vendor_a, rows of 80 columns', 'vendor_a', broken([...headA, ...wide(80)])],
  ['vendor_b, plain', 'vendor_b', [...headB, ...rowsB]],
  ['vendor_b, classic', 'vendor_b', [...headB, ...rowsB.flatMap((row) => [row, ...classic])]],
  [
    'vendor_b, with dates and a total',
    'vendor_b',
    [...headB, ...rowsB.flatMap((row) => [row, ...dated]), `Total number of translations: ${rowsB.length}`],
  ],
];

const asText = (sessions: readonly unknown[]) => sessions.map((session) => JSON.stringify(session));

/** A torn line above the rows says no outer address. */
const withAddress = (text: string) => text.replace('"outerAddress":null', '"outerAddress":"203.0.113.24"');

/** What is wrong with reading `lines`; null when nothing is. */
function wrongWith(kind: RouterKind, whole: ReadonlySet<string>, lines: readonly string[]): string | null {
  const table = read(kind, lines);
  const strange = asText(table.sessions).find((text) => !whole.has(text) && !whole.has(withAddress(text)));
  if (strange !== undefined) {
    return `a session that was not in the table: ${strange}`;
  }
  return table.complete && table.sessions.length !== whole.size ? 'complete, with a row less' : null;
}

function cutAt(lines: readonly string[], index: number, at: number, log: string, isGlued: boolean): string[] {
  const line = lines[index] ?? '';
  const [start, rest] = [line.slice(0, at), line.slice(at)];
  return [...lines.slice(0, index), ...(isGlued ? [start + log] : [start, log]), rest, ...lines.slice(index + 1)];
}

describe.each(tables)('%s', (_name, kind, lines) => {
  const table = read(kind, lines);
  const whole = new Set(asText(table.sessions));

  test('is complete as it is', () => {
    expect(table).toMatchObject({ complete: true, staticRows: 1 });
    expect(whole.size).toBe(7);
  });

  test.each([false, true])('cut anywhere by a log line, on a line of its own or not (%s)', (isGlued) => {
    const wrong: string[] = [];
    for (const [index, line] of lines.entries()) {
      for (let at = 0; at <= line.length; at += 1) {
        for (const log of logs[kind]) {
          const cut = cutAt(lines, index, at, log, isGlued);
          const what = wrongWith(kind, whole, cut);
          if (what !== null) {
            wrong.push(`${what}; cut: ${JSON.stringify(cut.slice(index, index + 3))}`);
          }
        }
      }
    }
    expect([wrong.length, ...wrong.slice(0, 10)]).toEqual([0]);
  });
});

test(`two cuts in a long table: ${budget(100, 300, 'times')}`, () => {
  const captures: [RouterKind, string][] = [
    ['vendor_a', 'yamaha/synthetic/nat_detail.en.ascii.txt'],
    ['vendor_b', 'cisco/synthetic/nat.ios.plain.txt'],
    ['vendor_b', 'cisco/synthetic/nat.ios.verbose.txt'],
    ['vendor_b', 'cisco/synthetic/nat.xe17.verbose.txt'],
  ];
  for (const [kind, file] of captures) {
    const { lines } = captureOf(file);
    const whole = new Set(asText(read(kind, lines).sessions));
    const cut = fc.record({ part: fc.double({ min: 0, max: 1, noNaN: true }), log: fc.constantFrom(...logs[kind]) });
    const cuts = fc.array(fc.tuple(fc.nat(lines.length - 1), cut, fc.boolean()), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(cuts, (all) => {
        const torn = all
          .sort(([one], [other]) => other - one)
          .reduce<readonly string[]>((text, [index, { part, log }, isGlued]) => {
            return cutAt(text, index, Math.round(part * (text[index] ?? '').length), log, isGlued);
          }, lines);
        expect(wrongWith(kind, whole, torn)).toBeNull();
      }),
      { seed, numRuns: runs(100, 300) },
    );
  }
});

describe('what is left of a row', () => {
  const [first = '', second = ''] = [rowsB[1], rowsB[2]];

  test('behind a log line it takes the row before it away', () => {
    const log = logs.vendor_b[0] ?? '';
    const outside = 'tcp 203.0.113.24:60178 192.168.100.2:54434 10.0.0.9:8443 203.0.113.86:44';
    const table = read('vendor_b', [...headB, outside, log, '3', second]);
    expect(table.sessions).toHaveLength(1);
    expect(table).toMatchObject({ complete: false, logLines: 1, unparsed: { count: 1, samples: ['3'] } });
    const lifetime = read('vendor_a', [...headA, rowsA[1]?.slice(0, -2) ?? '', logs.vendor_a[1] ?? '', '15']);
    expect(lifetime).toMatchObject({ sessions: [], complete: false, logLines: 1 });
  });

  test('a row that is static is no longer counted once its rest comes, and no other row is then', () => {
    const [fixed = '', unread = ''] = [rowsA[0], 'TCP 192.168.100.2.51000 203.0.113.86.https 60001 600'];
    const log = logs.vendor_a[1] ?? '';
    const torn = { sessions: [], complete: false, logLines: 1, unparsed: { count: 1, samples: ['15'] } };
    expect(read('vendor_a', [...headA, fixed, log, '15'])).toMatchObject({ ...torn, staticRows: 0 });
    const both = read('vendor_a', [...headA, fixed, unread, log, '15']);
    expect(both).toMatchObject({ ...torn, staticRows: 1, unsupported: { count: 1 } });
    const pieces = [`TC${log}`, `UD${log}`];
    expect(read('vendor_a', [...headA, fixed, fixed, ...pieces])).toMatchObject({ staticRows: 1, logLines: 2 });
    expect(read('vendor_a', [...headA, fixed, ...headA, ...pieces])).toMatchObject({ staticRows: 1, logLines: 2 });
  });

  test('outside local and outside global are compared where both are shown', () => {
    const short = 'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883 203.0.113.86:18';
    expect(read('vendor_b', [...headB, short])).toMatchObject({ sessions: [], complete: false });
    const address = 'esp 203.0.113.24:0 192.168.100.2:0 198.19.41.101:0 198.19.41.10';
    expect(read('vendor_b', [...headB, address])).toMatchObject({ sessions: [], complete: false });
    const translated = 'tcp 203.0.113.24:60178 192.168.100.2:54434 10.0.0.9:8080 203.0.113.86:80';
    expect(read('vendor_b', [...headB, translated])).toMatchObject({ sessions: [{ dport: 80 }], complete: true });
  });

  test('an outer port is never a lifetime', () => {
    for (const row of ['ESP 192.168.100.9.* 198.51.100.8.* 60002', 'GRE 192.168.100.9.* 198.51.100.8.* 60002']) {
      expect(read('vendor_a', [...headA, row])).toMatchObject({ sessions: [], complete: false });
    }
  });

  test('text of another kind between the rows takes nothing away', () => {
    const text = 'A notice of this firmware that nobody has seen before';
    const table = read('vendor_b', [...headB, first, text, second, text, text]);
    expect(table).toMatchObject({ complete: true, unparsed: { count: 3 } });
    expect(table.sessions).toHaveLength(2);
  });
});

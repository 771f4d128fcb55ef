// What stands behind the rows of a table: rules and closing sentences end it, and take no row away.
import { describe, expect, test } from 'vitest';
import type { RouterKind } from '#hub/collect/routers/driver.ts';
import { parseVendorAArp, parseVendorANdp } from '#hub/collect/routers/vendor-a/neighbours.ts';
import { parseVendorBArp, parseVendorBNdp } from '#hub/collect/routers/vendor-b/neighbours.ts';
import { kinds } from './polls.ts';
import { readTable as read } from './tables.ts';

const head: Record<RouterKind, readonly string[]> = {
  vendor_a: [
    'NAT/IP masquerade compatibility type : 2',
    'Reference Descriptor : 1000, Assigned Interface : LAN2(1)',
    'Masquerade Table',
    '    Outer address: primary/203.0.113.24',
    '    Port range: 60000-64095, 49152-59999, 44096-49151   2 sessions.',
    '  Protocol                  Inner                  Dest.   Masquerade     Type',
  ],
  vendor_b: ['Pro Inside global      Inside local       Outside local      Outside global'],
};
const rows: Record<RouterKind, readonly string[]> = {
  vendor_a: [
    '       TCP   192.168.100.13.53510      198.18.23.174.443        60000      615',
    '       UDP   192.168.100.14.53511      198.18.23.175.443        60001        6',
  ],
  vendor_b: [
    'tcp 203.0.113.24:60000 192.168.100.13:53510 198.18.23.174:443 198.18.23.174:443',
    'udp 203.0.113.24:60001 192.168.100.14:53511 198.18.23.175:443 198.18.23.175:443',
  ],
};
const logs: Record<RouterKind, string> = {
  vendor_a: '2026/03/01 12:00:01: LAN2: link up',
  vendor_b: '%LINK-3-UPDOWN: Interface GigabitEthernet0/1, changed state to up',
};

const ends = [
  '---------------------',
  '----',
  '  ------------------------------------------------------------------',
  '---------- ---------- ----------',
  '=====================',
  '*********************',
  '_____________________',
  '-=-=-=-=-=-=-=-=-=-=-',
  '──────────',
  '有効なNATディスクリプタテーブルが1個ありました',
  '有効なNATディスクリプタテーブルが１２個ありました。',
  'NATディスクリプタテーブルは2個です',
  '合計: 2',
  '合計 2 セッション',
  '2件',
  '1 NAT descriptor table found',
  '1 valid NAT descriptor table was found.',
  'There were 2 NAT descriptor tables',
  'Total 2 sessions',
  'Total: 2',
  '2 sessions',
  '(2 entries)',
  '2 entries displayed.',
  'Number of entries: 2',
];

describe.each(kinds)('%s', (kind) => {
  const [first = '', second = ''] = rows[kind];

  test.each(ends)('%j ends the table, wherever it stands and however often', (end) => {
    for (const [lines, sessions] of [
      [[first, second, end], 2],
      [[first, second, end, end], 2],
      [[first, second, '', end, '', ends[0] ?? '', end], 2],
      [[first, end], 1],
      [[first, end, second], 2],
      [[first, logs[kind], end], 1],
      [[first, end, logs[kind], second], 2],
    ] as const) {
      const table = read(kind, [...head[kind], ...lines]);
      expect(table, lines.join('\n')).toMatchObject({ complete: true, unparsed: { count: 0 } });
      expect(table.sessions, lines.join('\n')).toHaveLength(sessions);
    }
    const empty = head[kind].map((line) => line.replace('2 sessions', '0 sessions'));
    expect(read(kind, [...empty, end])).toMatchObject({ complete: true, unparsed: { count: 0 }, sessions: [] });
  });

  test('a rule that a log line cuts takes no row away', () => {
    for (let at = 0; at <= 10; at += 1) {
      const [start, rest] = ['-'.repeat(at), '-'.repeat(20 - at)];
      expect(read(kind, [...head[kind], first, start + logs[kind], rest])).toMatchObject({
        complete: at === 0 || at > 3,
      });
    }
  });

  test.each(['A notice of this firmware', 'この機器のお知らせです', '3 firmware images are in the flash of it'])(
    'other text, %j, is counted and takes no row away, also behind a log line',
    (text) => {
      for (const before of [[], [logs[kind]]]) {
        const table = read(kind, [...head[kind], first, ...before, text, second]);
        expect(table).toMatchObject({ complete: true, unparsed: { count: 1, samples: [text] } });
        expect(table.sessions).toHaveLength(2);
      }
    },
  );
});

describe('vendor_a', () => {
  test('the count of a closing sentence is not declared once more', () => {
    const many = Array.from(
      { length: 200 },
      (_, at) => `       TCP   192.168.100.13.${50_000 + at}   198.18.23.174.443   ${60_000 + at}   615`,
    );
    const block = head.vendor_a.map((line) => line.replace('2 sessions', '200 sessions'));
    const table = read('vendor_a', [...block, ...many, ...block, ...many, 'Total 400 sessions']);
    expect(table).toMatchObject({ declared: 400, complete: true });
    expect(table.sessions).toHaveLength(400);
    const outside = [...block.slice(0, 5), ...block.slice(3), ...many, ...many];
    expect(read('vendor_a', outside)).toMatchObject({ declared: 400, complete: true });
    expect(read('vendor_a', [...block, ...many.slice(0, 100), '200 sessions'])).toMatchObject({ complete: false });
  });

  test('blocks follow one another behind a rule', () => {
    const block = [...head.vendor_a, ...rows.vendor_a, '-'.repeat(21)];
    const table = read('vendor_a', [...block, ...block, '2 NAT descriptor tables found']);
    expect(table).toMatchObject({ declared: 4, complete: true, unparsed: { count: 0 } });
    expect(table.sessions).toHaveLength(4);
  });
});

test('a row as wide as the console is whole before a rule of stars', () => {
  const wide = (rows.vendor_a[0] ?? '').trim().padStart(80);
  const table = read('vendor_a', [...head.vendor_a, wide, '*'.repeat(20)]);
  expect(table).toMatchObject({ complete: true, unparsed: { count: 0 }, sessions: [{ ttl: 615 }] });
});

test.each(ends)('%j behind the neighbours is none, and nothing unparsed', (end) => {
  const tables = [
    parseVendorAArp(['LAN1(port4)    192.168.100.6     00:00:5e:00:53:04 1085', end]),
    parseVendorANdp(['fe80::1  00:a0:de:00:00:01  LAN2  REACHABLE', end]),
    parseVendorBArp(['Internet  192.168.100.2  3  0000.5e00.5301  ARPA  Vlan1', end]),
    parseVendorBNdp(['FE80::1   0 0000.5e00.5301  REACH Vl1', end]),
  ];
  for (const { neighbours, unparsed } of tables) {
    expect([neighbours.length, unparsed.samples]).toEqual([1, []]);
  }
});

test('the dashes of an empty cell are the rest of a row of vendor_b, and no rule', () => {
  const fixed = 'tcp 203.0.113.24:443   192.168.100.2:443  ---                --';
  for (const rest of ['-', '--', '---', '---                ---']) {
    const table = read('vendor_b', [...head.vendor_b, fixed, logs.vendor_b, rest]);
    expect(table).toMatchObject({ staticRows: 0, complete: false });
  }
});

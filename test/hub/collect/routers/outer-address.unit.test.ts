// What a source is translated to, as each kind of table shows it.
import { describe, expect, test } from 'vitest';
import { readTable } from './tables.ts';

describe('vendor_a says the address above the rows', () => {
  const head = ['Reference Descriptor : 1000, Assigned Interface : LAN2(1)', 'Masquerade Table'];
  const ports = '    Port range: 60000-64095, 49152-59999, 44096-49151   1 session.';
  const row = '       TCP    192.168.100.2.54434      203.0.113.86.443        60178      615';
  const read = (...lines: string[]) =>
    readTable('vendor_a', lines).sessions.map(({ outerAddress, outerPort }) => [outerAddress, outerPort]);

  test.each([
    ['alone', '    Outer address: 203.0.113.24', '203.0.113.24'],
    ['with its kind', '    Outer address: primary/203.0.113.24', '203.0.113.24'],
    ['in Japanese', '    外側アドレス: ipcp/203.0.113.24', '203.0.113.24'],
    ['a kind alone', '    Outer address: primary', null],
    ['a range', '    Outer address: 203.0.113.24-203.0.113.31', null],
    ['damaged', '    Outer address: 203.0.113.', null],
  ])('%s', (_what, line, address) => {
    expect(read(...head, line, ports, row)).toEqual([[address, 60_178]]);
  });

  test('nothing is taken from a line that another one follows than that of the ports', () => {
    expect(read(...head, '    Outer address: 203.0.113.2', '2026/03/01 12:00:01: LAN2: link up', ports, row)).toEqual([
      [null, 60_178],
    ]);
  });

  test('another descriptor has another address', () => {
    const [one, two] = ['    Outer address: 203.0.113.24', '    Outer address: 203.0.113.25'];
    const blocks = [...head, one, ports, row, ...head, two, ports, row, ...head, row];
    expect(read(...blocks)).toEqual([
      ['203.0.113.24', 60_178],
      ['203.0.113.25', 60_178],
      [null, 60_178],
    ]);
  });

  test('a row without ports has no outer port', () => {
    const esp = '       ESP    192.168.100.2.*      203.0.113.86.*        *      615';
    expect(read(...head, '    Outer address: 203.0.113.24', ports, esp)).toEqual([['203.0.113.24', null]]);
  });
});

test('vendor_b says it in each row; the number of ICMP is a query id', () => {
  const { sessions } = readTable('vendor_b', [
    'Pro Inside global      Inside local       Outside local      Outside global',
    'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:443 203.0.113.86:443',
    'icmp 203.0.113.24:56892 192.168.100.7:14845 198.18.137.100:14845 198.18.137.100:56892',
    'esp 203.0.113.24:0     192.168.100.2:0    198.19.41.101:0    198.19.41.101:0',
  ]);
  expect(sessions.map(({ proto, outerAddress, outerPort }) => [proto, outerAddress, outerPort])).toEqual([
    ['TCP', '203.0.113.24', 60_178],
    ['ICMP', '203.0.113.24', 56_892],
    ['ESP', '203.0.113.24', null],
  ]);
});

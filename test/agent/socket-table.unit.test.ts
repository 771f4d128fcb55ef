// The socket tables of the kernel, as captured and as nobody should write them.
import { expect, test } from 'vitest';
import { parseEndpoints, parseSocketTable } from '#agent/sources/socket-table.ts';
import { capture, captureLines, damaged } from './captures.ts';

function read(table: Buffer, protocol: 'tcp' | 'udp') {
  const rows: unknown[] = [];
  const unread = parseSocketTable(table, (endpoints, state, inode) => {
    const { networkProtocol: _, ...tuple } = parseEndpoints(endpoints, protocol, 'LE') ?? { networkProtocol: 'tcp' };
    rows.push([...Object.values(tuple), state, inode]);
  });
  return { rows, unread };
}

test('captured tables', () => {
  expect(read(capture('proc-net-tcp.txt'), 'tcp')).toEqual({
    rows: [
      ['192.0.2.10', 53498, '192.0.2.20', 8080, 6, 0],
      ['192.0.2.10', 53504, '192.0.2.20', 8080, 1, 1594755],
    ],
    unread: 0,
  });
  expect(read(capture('proc-net-tcp6.txt'), 'tcp')).toEqual({
    rows: [
      ['2001:db8::10', 46624, '2001:db8::20', 8443, 6, 0],
      ['2001:db8::10', 46630, '2001:db8::20', 8443, 1, 1594235],
      ['192.0.2.10', 53514, '192.0.2.20', 8080, 1, 1594756],
    ],
    unread: 0,
  });
  expect(read(capture('proc-net-udp.txt'), 'udp')).toEqual({
    rows: [
      ['192.0.2.10', 60443, '192.0.2.20', 5353, 1, 1594229],
      ['0.0.0.0', 38290, '0.0.0.0', 0, 7, 1594230],
    ],
    unread: 0,
  });
  expect(read(capture('proc-net-udp6.txt'), 'udp')).toEqual({ rows: [], unread: 0 });
});

test('a line without its end is read as far as its inode, an empty table is empty', () => {
  const [, , line = ''] = captureLines('proc-net-tcp.txt');
  expect(read(Buffer.from(line.slice(0, 100)), 'tcp').rows).toEqual([
    ['192.0.2.10', 53504, '192.0.2.20', 8080, 1, 1594755],
  ]);
  expect(read(Buffer.alloc(0), 'tcp')).toEqual({ rows: [], unread: 0 });
});

test('a processor of the other order', () => {
  expect(parseEndpoints('C000020A:D0FA 20010DB8000000000000000000000020:1F90', 'tcp', 'BE')).toMatchObject({
    localAddress: '192.0.2.10',
    remoteAddress: '2001:db8::20',
  });
});

test.each([
  'not a table at all',
  '   0: 0A0200C0:D0FA',
  '   0: 0A0200C0:D0FA 140200C0:1F90 ZZ 0:0 0:0 0 0 0 1 1',
  '   0: 0A0200C0:D0FA 140200C0:1F90 01 0:0 0:0 0 0 0 -1 1',
  '   0: 0A0200C0:D0FA 140200C0:1F90 01 0:0 0:0 0 0 0 99999999999999999999 1',
])('%s is counted as not understood', (line) => {
  expect(read(Buffer.from(`${line}\n`), 'tcp')).toEqual({ rows: [], unread: 1 });
});

test.each(['', '0A0200C0:D0FA', '0A0200C0:D0FA 140200C0', '0a0200c0:d0fa 140200c0:1f90', '0A0200:D0FA 140200C0:1F90'])(
  'endpoints %j are null',
  (text) => expect(parseEndpoints(text, 'tcp')).toBeNull(),
);

test('no damage throws', () => {
  for (const line of damaged(captureLines('proc-net-tcp6.txt'))) {
    parseSocketTable(Buffer.from(line), (endpoints) => parseEndpoints(endpoints, 'tcp'));
  }
});

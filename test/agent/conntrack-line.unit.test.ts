// Lines of conntrack events.
import { expect, test } from 'vitest';
import { parseConntrackLine } from '#agent/sources/conntrack-line.ts';
import { captureLines, damaged } from './captures.ts';

const lines = captureLines('conntrack-events.txt');

test('captured flows: their payload without headers', () => {
  const { 0: begun, 3: ended, 4: unanswered, length } = lines.map(parseConntrackLine);
  expect(length).toBe(6);
  expect(begun).toEqual({
    ...{ networkProtocol: 'udp', localAddress: '192.0.2.10', localPort: 56625, remoteAddress: '192.0.2.20' },
    ...{ remotePort: 5353, kind: 'new', at: 1795460899215, id: '3370772170', bytesIn: null, bytesOut: null },
  });
  expect(ended).toMatchObject({ kind: 'destroy', localPort: 48297, bytesOut: 40n, bytesIn: 6n });
  expect(unanswered).toMatchObject({ remoteAddress: '2001:db8::20', bytesOut: 1n, bytesIn: 0n });
});

test('without the accounting of the kernel there are no counts', () => {
  const line = (lines[3] ?? '').replace(/(?:packets|bytes)=\d+ /g, '');
  expect(parseConntrackLine(line)).toMatchObject({ kind: 'destroy', bytesIn: null, bytesOut: null });
});

test.each([
  '',
  (lines[0] ?? '').replace('[NEW]', '[UPDATE]'),
  (lines[0] ?? '').replace('udp', 'tcp'),
  (lines[0] ?? '').replace('dport=5353', 'dport=0'),
  (lines[0] ?? '').replace('dst=192.0.2.20', 'dst=x'),
  (lines[0] ?? '').replace(/id=.*/, ''),
])('%s is null', (line) => {
  expect(parseConntrackLine(line)).toBeNull();
});

test('no damage throws', () => {
  for (const line of damaged(lines)) {
    parseConntrackLine(line);
  }
});

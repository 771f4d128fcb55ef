// Lines of ss: byte counts of connections that run and that ended.
import { expect, test } from 'vitest';
import { parseSsLine } from '#agent/sources/ss-line.ts';
import { captureLines, damaged } from './captures.ts';

const ends = captureLines('ss-ends.txt');
const running = captureLines('ss-running.txt');
const addresses = 'UNCONN 0 0 192.0.2.10:53498 192.0.2.20:8080';

test('every end: 1,000 bytes each way, without SYN and FIN, opened by this side', () => {
  const read = ends.map(parseSsLine);
  expect(read.filter((end) => end && 'bytesIn' in end)).toHaveLength(5);
  for (const end of read) {
    expect(end).toMatchObject(
      end && 'bytesIn' in end ? { bytesIn: 1000n, bytesOut: 1000n, openedBy: 'this side' } : { localPort: 58100 },
    );
  }
  expect(read[1]).toMatchObject({ localAddress: '2001:db8::10', remoteAddress: '2001:db8::20', remotePort: 8443 });
});

test('connections that run', () => {
  expect(running.map(parseSsLine)).toMatchObject([
    { localAddress: '192.0.2.10', localPort: 53504, bytesIn: 1000n, bytesOut: 1000n },
    { localAddress: '2001:db8::10', localPort: 46630, bytesIn: 1000n, bytesOut: 1000n },
    { localAddress: '192.0.2.10', localPort: 53514, bytesIn: 1000n, bytesOut: 1000n },
  ]);
});

test.each([
  ['', { bytesIn: 0n, bytesOut: 0n, openedBy: 'unknown' }],
  ['bytes_sent:20 bytes_retrans:5 bytes_acked:17', { bytesOut: 15n, openedBy: 'this side' }],
  ['bytes_acked:6', { bytesOut: 4n }],
  ['bytes_acked:1', { bytesOut: 0n, openedBy: 'unknown' }],
  ['bytes_sent:5 bytes_acked:5 segs_in:3', { openedBy: 'other side' }],
  ['bytes_received:1 segs_in:4', { bytesIn: 0n }],
  ['bytes_received:1 data_segs_in:1', { bytesIn: 1n }],
  ['not_bytes_sent:7', { bytesOut: 0n }],
])('counts %j', (info, counts) => {
  expect(parseSsLine(`${addresses} ${info}`)).toMatchObject(counts);
});

test('a zone, and a name in brackets', () => {
  expect(parseSsLine('ESTAB 0 0 [2001:db8::1%eth0]:1 192.0.2.1%eth0:2')).toMatchObject({
    ...{ localAddress: '2001:db8::1', localPort: 1, remoteAddress: '192.0.2.1', remotePort: 2 },
  });
});

test.each([
  '',
  'State Recv-Q Send-Q Local Address:Port Peer Address:Port',
  'UNCONN 0 0 192.0.2.10:99999 192.0.2.20:8080',
  'UNCONN 0 0 192.0.2.10:1 192.0.2.20:0',
  'UNCONN 0 0 nowhere:1 192.0.2.20:80',
])('%j is null', (line) => {
  expect(parseSsLine(line)).toBeNull();
});

test('no damage throws', () => {
  for (const line of damaged([...ends, ...running])) {
    parseSsLine(line);
  }
});

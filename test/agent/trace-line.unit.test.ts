// Lines of trace_pipe, as captured and as the name of a process could spoil them.
import { expect, test } from 'vitest';
import { parseTraceLine } from '#agent/sources/trace-line.ts';
import { captureLines, damaged } from './captures.ts';

const lines = captureLines('trace-pipe.txt');
const [syn = '', established = ''] = lines;

test('every captured line is read', () => {
  const changes = lines.map(parseTraceLine);
  expect(changes).not.toContain(null);
  const starts = changes.filter((change) => change && 'newState' in change && change.newState === 'TCP_SYN_SENT');
  expect(starts).toHaveLength(6);
});

test('the start of a connection, and its port', () => {
  const start = {
    networkProtocol: 'tcp',
    localAddress: '192.0.2.10',
    localPort: 0,
    remoteAddress: '192.0.2.20',
    remotePort: 8080,
    comm: 'python3',
    threadId: 12649,
    isInProcess: true,
    monotonicMs: 38818282.176,
    oldState: 'TCP_CLOSE',
    newState: 'TCP_SYN_SENT',
  };
  expect(parseTraceLine(syn)).toEqual(start);
  expect(parseTraceLine(syn.replace('(  12649) ', ''))).toEqual(start);
  expect(parseTraceLine(established)).toMatchObject({ localPort: 53498, newState: 'TCP_ESTABLISHED' });
});

test('IPv6, an interrupt, a thread whose name is no longer known', () => {
  const v6 = lines.find((line) => line.includes('daddrv6=2001:db8::20')) ?? '';
  expect(parseTraceLine(v6)).toMatchObject({ localAddress: '2001:db8::10', remoteAddress: '2001:db8::20' });
  const interrupt = lines.find((line) => line.includes('.Ns2.')) ?? '';
  expect(parseTraceLine(interrupt)).toMatchObject({ isInProcess: false, oldState: 'TCP_FIN_WAIT2' });
  const nameless = lines.find((line) => line.includes('<...>')) ?? '';
  expect(parseTraceLine(nameless)).toMatchObject({ comm: null, threadId: 12692 });
});

test.each([
  ['a b', 'a b'],
  ['x-1   ( 1) [0] ', 'x-1   ( 1) [0] '],
  ['[000] ..... 1.0', '[000] ..... 1.0'],
  ['--', '--'],
])('a thread named %j', (name, comm) => {
  expect(parseTraceLine(syn.replace('python3', name))).toMatchObject({ comm, threadId: 12649, remotePort: 8080 });
});

test('events that were dropped', () => {
  expect(parseTraceLine('CPU:1 [LOST 4711 EVENTS]')).toEqual({ lost: 4711 });
});

test.each([
  '',
  '# tracer: nop',
  syn.replace('dport=8080', 'dport=80800'),
  syn.replace('daddrv6=::ffff:192.0.2.20', 'daddrv6=nowhere'),
  syn.replace('newstate=TCP_SYN_SENT', ''),
  syn.replace('inet_sock_set_state', 'tcp_probe'),
])('%s is null', (line) => {
  expect(parseTraceLine(line)).toBeNull();
});

test('no damage throws', () => {
  for (const line of damaged(lines)) {
    parseTraceLine(line);
  }
});

// Events of the kernel and of conntrack become connections.
import { describe, expect, test } from 'vitest';
import { createEventReader } from '#agent/sources/connect-events.ts';
import { createFlowReader } from '#agent/sources/conntrack.ts';
import { Ledger } from '#agent/sources/ledger.ts';
import type { Processes } from '#agent/sources/processes.ts';
import { monotonicMs } from '#kernel/time/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { captureLines } from './captures.ts';

const clock = new ManualClock();

function ledgerOf(): Ledger {
  return new Ledger({ clock, includeLoopback: false, isOutbound: () => true, settleMs: () => 0 });
}

/** Threads are processes, alive until a test says otherwise. */
function processesOf(gone: ReadonlySet<number> = new Set()): Processes {
  return {
    identify: (threadId, comm) => ({ processID: threadId, processName: `${comm}-${threadId}` }),
    findOwners: async () => new Map(),
    hidden: () => 0,
    isAlive: (processID) => !gone.has(processID),
  };
}

function readerOf(ledger: Ledger, processes = processesOf()) {
  const reader = createEventReader({ clock, ledger, processes, includeLoopback: false });
  return { ...reader, lines: (...lines: string[]) => lines.forEach(reader.line) };
}

function event(thread: number, port: number, states: string, { flags = '.....', peer = '192.0.2.20' } = {}): string {
  const [oldState, newState] = states.split('>');
  const text = `family=AF_INET protocol=IPPROTO_TCP sport=${port} dport=443 saddr=192.0.2.10 daddr=${peer}`;
  const v6 = `saddrv6=::ffff:192.0.2.10 daddrv6=::ffff:${peer} oldstate=TCP_${oldState} newstate=TCP_${newState}`;
  return `   curl-${thread}  [000] ${flags} ${(monotonicMs() / 1000).toFixed(6)}: inet_sock_set_state: ${text} ${v6}`;
}

const [syn, established, closed] = ['CLOSE>SYN_SENT', 'SYN_SENT>ESTABLISHED', 'FIN_WAIT2>CLOSE'];

describe('kernel events', () => {
  test('the captured run: six attempts of the client, each with its process; nothing of the server', () => {
    const ledger = ledgerOf();
    const reader = readerOf(ledger);
    reader.lines(...captureLines('trace-pipe.txt'));
    const taken = ledger.take();
    expect(taken.map(({ localPort }) => localPort)).toEqual([53498, 46624, 53504, 46630, 53514, 58100]);
    for (const connection of taken) {
      expect(connection).toMatchObject({ confidence: 'exact', collector: 'socket-events' });
      expect(connection.processName).toMatch(/^(?:python3|null)-12\d{3}$/);
    }
    expect(ledger.take()).toEqual([]);
    expect(reader.damaged()).toBe(0);
  });

  test('a poll that was faster than the event', () => {
    const ledger = ledgerOf();
    const reader = readerOf(ledger);
    reader.line(event(1, 0, syn));
    const tuple = { networkProtocol: 'tcp', localAddress: '192.0.2.10', localPort: 40001 } as const;
    const seen = { collector: 'socket-table', confidence: 'sampled', isStartSeen: true } as const;
    const peer = { remoteAddress: '192.0.2.20', remotePort: 443, processID: 0, processName: 'unknown' };
    ledger.open({ ...tuple, ...peer, ...seen, at: clock.now() + 100 });
    reader.line(event(1, 40001, established));
    expect(ledger.take()).toMatchObject([{ processID: 1, confidence: 'exact', collector: 'socket-events' }]);
    expect(ledger.counters.connections).toBe(1);
  });

  test('a refused attempt is a connection that has ended, one without a port is none', () => {
    const ledger = ledgerOf();
    readerOf(ledger).lines(
      event(1, 0, syn),
      event(1, 40001, 'SYN_SENT>CLOSE'),
      event(1, 0, syn),
      event(1, 0, 'SYN_SENT>CLOSE'),
    );
    expect(ledger.take()).toMatchObject([{ localPort: 40001 }]);
  });

  test('loopback, ends of others and lost events say nothing; what is not understood is counted', () => {
    const ledger = ledgerOf();
    const reader = readerOf(ledger);
    reader.lines(event(1, 0, syn, { peer: '127.0.0.1' }), event(1, 1, closed), 'CPU:1 [LOST 7 EVENTS]', '', 'what?');
    expect(ledger.counters.connections).toBe(0);
    expect(reader.damaged()).toBe(1);
  });

  test('attempts without an answer are bounded', () => {
    const ledger = ledgerOf();
    const reader = readerOf(ledger);
    for (let thread = 1; thread <= 8300; thread += 1) {
      reader.line(event(thread, 0, syn, { peer: `198.51.${thread % 100}.${thread % 250}` }));
    }
    expect(reader.damaged()).toBe(8300 - 8192);
    clock.jump(clock.now() + 150_001);
    reader.tidy(clock.now());
    reader.line(event(1, 40001, established, { peer: '198.51.1.1' }));
    expect(ledger.counters.connections).toBe(0);
  });

  test('an open connection of a process that has ended ends, when no table shows it', () => {
    const ledger = ledgerOf();
    const reader = readerOf(ledger, processesOf(new Set([1])));
    reader.lines(event(1, 0, syn), event(1, 40001, established), event(2, 0, syn), event(2, 40002, established));
    reader.tidy(clock.now());
    expect(ledger.take()).toHaveLength(2);
    clock.jump(clock.now() + 200_000);
    reader.tidy(clock.now());
    expect(ledger.take()).toMatchObject([{ processID: 1 }]);
  });
});

test('conntrack: flows of this machine, with their payload at the end', () => {
  const ledger = ledgerOf();
  const reader = createFlowReader({ clock, ledger, localAddresses: () => new Set(['192.0.2.10']) });
  const [first = '', ...others] = captureLines('conntrack-events.txt');
  reader.line(first);
  reader.line('');
  expect(ledger.take()).toMatchObject([
    { networkProtocol: 'udp', processID: 0, collector: 'conntrack', bytesIn: null },
  ]);
  others.forEach(reader.line);
  expect(ledger.take()).toMatchObject([
    { localPort: 56625, bytesIn: 6n, bytesOut: 40n },
    { localPort: 48297, bytesIn: 6n, bytesOut: 40n },
  ]);
  reader.line('what?');
  expect([reader.flows(), reader.damaged(), ledger.counters.connections]).toEqual([6, 1, 2]);
});

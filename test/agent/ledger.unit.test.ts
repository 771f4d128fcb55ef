// What is held between two calls of take(): one entry for each connection, whoever shows it.
import { expect, test } from 'vitest';
import { type Tuple, tupleKey, unknownProcess } from '#agent/sources/connection.ts';
import { type Held, Ledger } from '#agent/sources/ledger.ts';
import type { SocketBytes } from '#agent/sources/ss-line.ts';
import { ManualClock } from '../support/manual-clock.ts';

const tuple: Tuple = {
  networkProtocol: 'tcp',
  ...{ localAddress: '192.0.2.10', localPort: 40000, remoteAddress: '192.0.2.20', remotePort: 443 },
};
const curl = { processID: 7, processName: 'curl' };
const polled = { collector: 'socket-table', confidence: 'sampled', isStartSeen: true } as const;

function setUp({ settleMs = 0, maxHeld = 100, isOutbound = true } = {}) {
  const clock = new ManualClock(1_000_000);
  const options = { clock, includeLoopback: false, isOutbound: () => isOutbound, settleMs: () => settleMs, maxHeld };
  const ledger = new Ledger(options);
  const open = (more: Partial<Parameters<typeof ledger.open>[0]> = {}) =>
    ledger.open({ ...tuple, ...curl, ...polled, at: clock.now(), ...more }) as Held;
  const ending = (bytes: Partial<SocketBytes> = {}): SocketBytes => ({
    ...{ ...tuple, bytesIn: 10n, bytesOut: 20n, openedBy: 'this side', ...bytes },
  });
  return { clock, ledger, open, ending };
}

test('a connection is taken once as new, again when it was seen again, and at last when it has ended', () => {
  const { clock, ledger, open } = setUp();
  const held = open();
  const presence = { seenAt: clock.now() };
  held.presence = presence;
  expect(ledger.take()).toMatchObject([{ ...tuple, ...curl, firstObservedAt: 1_000_000, bytesIn: null }]);
  expect(ledger.take()).toEqual([]);
  clock.jump(1_005_000);
  presence.seenAt = 1_004_000;
  expect(ledger.take()).toMatchObject([{ firstObservedAt: 1_000_000, lastObservedAt: 1_004_000 }]);
  ledger.end(held, 1_004_500);
  expect(ledger.take()).toMatchObject([{ lastObservedAt: 1_004_500 }]);
  clock.jump(1_100_000);
  presence.seenAt = 1_100_000;
  expect(ledger.take()).toEqual([]);
  expect(ledger.counters.connections).toBe(1);
});

test('bytes are those since the take before, and null without a new reading', () => {
  const { ledger, open, ending } = setUp();
  const held = open();
  const take = () => ledger.take().map(({ bytesIn, bytesOut }) => [bytesIn, bytesOut]);
  expect(take()).toEqual([[null, null]]);
  ledger.count(held, { bytesIn: 5n, bytesOut: 7n });
  expect(take()).toEqual([[5n, 7n]]);
  ledger.countKey(tupleKey(tuple), { bytesIn: 6n, bytesOut: 7n });
  expect(take()).toEqual([[1n, 0n]]);
  ledger.finalCounts(ending(), 1_000_001);
  expect(take()).toEqual([[4n, 13n]]);
});

test('bytes that are counted later are a later sign of traffic, unless the end is known already', () => {
  const { clock, ledger, open, ending } = setUp();
  open();
  const read = (bytesIn: bigint, at: number) => {
    clock.jump(at);
    ledger.countKey(tupleKey(tuple), { bytesIn, bytesOut: 0n });
    return ledger.take().map(({ lastObservedAt }) => lastObservedAt);
  };
  expect(read(5n, 1_015_000)).toEqual([1_015_000]);
  expect(read(6n, 1_030_000)).toEqual([1_030_000]);
  expect(read(6n, 1_045_000)).toEqual([1_030_000]);
  ledger.end(ledger.find(tupleKey(tuple)) as Held, 1_046_000);
  ledger.finalCounts(ending(), 1_060_000);
  expect(ledger.take()).toMatchObject([{ lastObservedAt: 1_046_000, bytesIn: 4n }]);
});

test('of a connection that is older than the watch the first reading is the base', () => {
  const { ledger, open } = setUp();
  const held = open({ isStartSeen: false });
  ledger.count(held, { bytesIn: 1000n, bytesOut: 1000n });
  expect(ledger.take()).toMatchObject([{ bytesIn: null, bytesOut: null }]);
  ledger.count(held, { bytesIn: 1001n, bytesOut: 999n });
  expect(ledger.take()).toMatchObject([{ bytesIn: 1n, bytesOut: 0n }]);
});

test('an ended connection waits for its byte counts, but not for ever, and not after the end of the watch', () => {
  const { clock, ledger, open, ending } = setUp({ settleMs: 2000 });
  ledger.end(open(), clock.now());
  expect(ledger.take()).toEqual([]);
  ledger.finalCounts(ending(), clock.now());
  expect(ledger.take()).toMatchObject([{ bytesIn: 10n }]);
  ledger.end(open({ localPort: 2 }), clock.now());
  clock.jump(clock.now() + 1999);
  expect(ledger.take()).toEqual([]);
  clock.jump(clock.now() + 1);
  expect(ledger.take()).toMatchObject([{ localPort: 2, bytesIn: null }]);
  ledger.end(open({ localPort: 3 }), clock.now());
  ledger.close();
  expect(ledger.take()).toHaveLength(1);
});

test('an end that nothing shows is missed; one whose event comes late is not', () => {
  const { clock, ledger, open, ending } = setUp({ settleMs: 2000 });
  ledger.finalCounts(ending(), clock.now());
  ledger.finalCounts(ending({ localPort: 2 }), clock.now());
  expect(ledger.take()).toEqual([]);
  open();
  expect(ledger.take()).toMatchObject([{ ...curl, bytesIn: 10n, bytesOut: 20n }]);
  clock.jump(clock.now() + 2000);
  expect(ledger.take()).toMatchObject([{ localPort: 2, ...unknownProcess, bytesOut: 20n, confidence: 'sampled' }]);
  expect(ledger.counters).toEqual({ connections: 2, withoutProcess: 1, missedByPolling: 1, lostEvents: 0 });
});

test('an end of a connection that was accepted, of one that was taken, and of one that is not watched', () => {
  const { ledger, open, ending } = setUp({ isOutbound: false });
  ledger.finalCounts(ending(), 1_000_000);
  expect(ledger.take()).toEqual([]);
  ledger.end(open(), 1_000_000);
  expect(ledger.take()).toHaveLength(1);
  ledger.finalCounts(ending(), 1_000_000);
  ledger.finalCounts(ending({ remoteAddress: '127.0.0.1' }), 1_000_000);
  expect(ledger.take()).toEqual([]);
  expect(ledger.counters).toMatchObject({ connections: 1, missedByPolling: 0 });
});

test('a port that is used again is another connection', () => {
  const { ledger, open } = setUp();
  ledger.end(open(), 1_000_010);
  const second = open({ at: 1_000_020 });
  expect(ledger.find(tupleKey(tuple))).toBe(second);
  expect(ledger.take().map(({ firstObservedAt }) => firstObservedAt)).toEqual([1_000_000, 1_000_020]);
  expect(ledger.find(tupleKey(tuple))).toBe(second);
});

test('a process that is known later', () => {
  const { ledger, open } = setUp();
  const held = open(unknownProcess);
  expect(ledger.counters.withoutProcess).toBe(1);
  ledger.name(held, curl, 'exact');
  expect(ledger.counters.withoutProcess).toBe(0);
  expect(ledger.take()).toMatchObject([{ ...curl, confidence: 'exact' }]);
});

test('what is too much goes, the oldest ended first, and is counted', () => {
  const { ledger, open } = setUp({ maxHeld: 3 });
  const [, second] = [1, 2, 3].map((localPort) => open({ localPort }));
  ledger.end(second as Held, 1_000_000);
  open({ localPort: 4 });
  open({ localPort: 5 });
  expect(ledger.counters).toMatchObject({ connections: 5, lostEvents: 2 });
  expect(ledger.take().map(({ localPort }) => localPort)).toEqual([3, 4, 5]);
});

test('loopback and port 0 are not held', () => {
  const { open } = setUp();
  expect(open({ remoteAddress: '127.0.0.1' })).toBeNull();
  expect(open({ remotePort: 0 })).toBeNull();
});

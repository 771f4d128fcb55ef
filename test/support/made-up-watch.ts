// A watch over connections that a test makes up.
import type { SeenConnection, Watch } from '#agent/sources/connection.ts';

/** Each connection of one process has a number: its local port and address. */
export function seenConnection(number: number, part: Partial<SeenConnection> = {}): SeenConnection {
  const now = Date.now();
  return {
    networkProtocol: 'tcp',
    localAddress: `10.0.${(number >> 24) & 255}.${(number >> 16) & 255}`,
    localPort: number & 65_535,
    remoteAddress: '203.0.113.80',
    remotePort: 443,
    processID: process.pid,
    processName: 'backupd',
    firstObservedAt: now - 2000,
    lastObservedAt: now,
    bytesIn: 1200n,
    bytesOut: null,
    collector: 'socket-events',
    confidence: 'exact',
    ...part,
  };
}

/** Numbers of the connections are unique in this process; `perTake` is asked at each take. */
export function countingWatch(perTake: () => number): Watch {
  let taken = 0;
  return {
    take: () =>
      Array.from({ length: perTake() }, () => {
        taken += 1;
        return seenConnection(taken);
      }),
    sources: () => [
      {
        name: 'socket-tables',
        active: true,
        reason: null,
        cannotSee: ['Connections shorter than the interval are not seen.'],
      },
      { name: 'conntrack', active: false, reason: 'no right to read it', cannotSee: [] },
    ],
    counters: () => ({
      connections: taken,
      withoutProcess: 0,
      missedByPolling: 0,
      lostEvents: 0,
      isLossKnown: true,
      polls: taken,
    }),
    async [Symbol.asyncDispose]() {},
  };
}

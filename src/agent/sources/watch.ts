// What a watch over the connections of this machine is: the interface between the sources and the program.
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';

export interface SeenConnection {
  networkProtocol: 'tcp' | 'udp';
  localAddress: string;
  localPort: number;
  remoteAddress: string;
  remotePort: number;
  processID: number;
  processName: string;
  firstObservedAt: number;
  lastObservedAt: number;
  bytesIn: bigint | null;
  bytesOut: bigint | null;
  collector: 'socket-table' | 'socket-events' | 'conntrack';
  confidence: 'exact' | 'sampled';
}

export interface SourceState {
  name: 'connect-events' | 'socket-tables' | 'tcp-ends' | 'conntrack';
  active: boolean;
  reason: string | null;
  cannotSee: string[];
}

export interface WatchCounters {
  connections: number;
  withoutProcess: number;
  missedByPolling: number;
  lostEvents: number;
  polls: number;
}

export interface Watch extends AsyncDisposable {
  take(): SeenConnection[];
  sources(): SourceState[];
  counters(): WatchCounters;
}

export type StartWatch = (options: {
  clock: Clock;
  log: Log;
  pollMs: number;
  includeLoopback: boolean;
  allow?: 'all' | 'tables';
}) => Promise<Watch>;

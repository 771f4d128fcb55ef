// What the watch of outbound connections reports: connections, the state of its sources, counters.

/** The five values that tell one connection from another at one moment. Addresses are canonical IP literals. */
export interface Tuple {
  networkProtocol: 'tcp' | 'udp';
  localAddress: string;
  localPort: number;
  remoteAddress: string;
  /** 1…65535. */
  remotePort: number;
}

export interface SeenConnection extends Tuple {
  /** 0 when unknown. */
  processID: number;
  /** 1…256 characters without control characters; `unknown` when unknown. */
  processName: string;
  /** Start of the connection as far as known; never changes for one connection. Epoch milliseconds. */
  firstObservedAt: number;
  lastObservedAt: number;
  /** Payload since the previous `take()` that returned this connection; null when not known. */
  bytesIn: bigint | null;
  bytesOut: bigint | null;
  collector: 'socket-table' | 'socket-events' | 'conntrack';
  /** `exact` only when an event of the kernel gave both start and process. */
  confidence: 'exact' | 'sampled';
}

export interface SourceState {
  name: 'connect-events' | 'socket-tables' | 'tcp-ends' | 'conntrack';
  active: boolean;
  /** Why it is not active, and what to do. */
  reason: string | null;
  cannotSee: string[];
}

export interface WatchCounters {
  /** Connections that were recorded since the start. */
  connections: number;
  /** Of these, how many have no known process. */
  withoutProcess: number;
  /** Ends of connections that no poll and no event had shown. */
  missedByPolling: number;
  /** Events that the kernel or the watch had to drop, and lines that were not understood. */
  lostEvents: number;
  /** Whether `lostEvents` has all that the kernel dropped; its counts may be unreadable. */
  isLossKnown: boolean;
  polls: number;
}

export interface Watch extends AsyncDisposable {
  /**
   * Connections that were new, were seen again, had traffic or ended since the last call; those that ended are forgotten
   * after it. An end waits up to two seconds for its byte counts.
   */
  take(): SeenConnection[];
  sources(): SourceState[];
  counters(): WatchCounters;
}

export const unknownProcess = { processID: 0, processName: 'unknown' } as const;

export function tupleKey({ networkProtocol, localAddress, localPort, remoteAddress, remotePort }: Tuple): string {
  return `${networkProtocol} ${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}

/** A port number from decimal text; null for anything else. */
export function parsePort(text: string | undefined): number | null {
  const port = text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65535 ? port : null;
}

// What an Agent sends and gets (docs/reference/wire-contract/4-endpoints.md#42-agents). The types are written here once
// more: a shared schema would hide a shared bug.

export type Platform = 'linux' | 'macos' | 'windows';

export interface MachineFacts {
  hostName: string;
  platform: Platform;
  osVersion: string;
  agentVersion: string;
}

export interface Observation {
  observationId: string;
  networkProtocol: 'tcp' | 'udp';
  localAddress: string;
  localPort: number;
  remoteAddress: string;
  remotePort: number;
  processID: number;
  processName: string;
  bundleID: string | null;
  firstObservedAt: string;
  lastObservedAt: string;
  bytesIn: string | null;
  bytesOut: string | null;
  collector: string;
  confidence: 'exact' | 'sampled';
}

export interface Batch {
  schemaVersion: number;
  batchId: string;
  sentAt: string;
  agent: MachineFacts;
  observations: Observation[];
}

export interface Ack {
  batchId: string;
  accepted: number;
  duplicate: number;
  rejected: number;
  receivedAt: number;
  replayed: boolean;
}

/** The ACK in an answer with status 200, when it is one for this batch; null for anything else. */
export function parseAck(body: Readonly<Record<string, unknown>>, { batchId, observations }: Batch): Ack | null {
  const { accepted, duplicate, rejected, receivedAt, replayed } = body;
  const isComplete =
    body.batchId === batchId &&
    rejected === 0 &&
    typeof accepted === 'number' &&
    typeof duplicate === 'number' &&
    accepted + duplicate === observations.length &&
    typeof receivedAt === 'number' &&
    typeof replayed === 'boolean';
  return isComplete ? { batchId, accepted, duplicate, rejected, receivedAt, replayed } : null;
}

// An observation: one flow seen once by one observer. Router polls and Agent batches are converted to this form.
import type { PacketTimes } from './uncertainty.ts';

/** `at` ≤ now; addresses canonical; `proto` upper case. Instants are epoch milliseconds. */
export interface Observation {
  src: string;
  dst: string;
  /** 0…65535; 0 where not applicable. */
  dport: number;
  proto: string;
  sport: number | null;
  /** Remaining NAT timeout in seconds. */
  ttl: number | null;
  /** Start of the flow when known, else equal to `at`. */
  startedAt: number;
  /** Last sign of traffic: what `lastSeen` becomes. */
  at: number;
  /**
   * Set when the previous read did not show this session: `exact` when `startedAt` is its start to the second, `poll`
   * when `startedAt` is the read that first showed it.
   */
  newSession?: 'exact' | 'poll' | undefined;
  /** Between which instants its first and last packet lie; nothing is known when absent. */
  times?: PacketTimes | undefined;
  /** What only an Agent on the source itself knows. */
  agent?: AgentKnowledge | undefined;
}

/** Of the process behind a flow. Bytes are those that no observation before has counted; null: not known. */
export interface AgentKnowledge {
  host: string;
  process: string;
  /** 0: not known. */
  pid: number;
  bytesIn: bigint | null;
  bytesOut: bigint | null;
}

/** How many flows of a batch were added, renewed or left unchanged. */
export interface FlowCounts {
  /** Flows not seen before. */
  added: number;
  /** Known flows with new traffic. */
  renewed: number;
  /** Known flows without new traffic: nothing was written. */
  unchanged: number;
}

/** Flows of which a router does not list a session any more. */
export interface FlowEnds {
  /** When that was known, epoch milliseconds: no packet of these sessions was later. */
  at: number;
  /** Every flow that the router listed before may have lost sessions; `flows` is empty then. */
  isAll: boolean;
  flows: readonly EndedFlow[];
}

export interface EndedFlow {
  src: string;
  dst: string;
  dport: number;
  proto: string;
  /** The router lists another session of it. */
  isListed: boolean;
}

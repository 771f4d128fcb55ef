// The control surface of the simulated Agents: what a test or an operator can ask of them and make them do.
import { z } from 'zod';
import type { Control } from '../support/simulator.ts';
import type { CredentialStatus } from './credential.ts';
import type { AgentFault } from './faults.ts';
import type { OutboxState, Sent } from './outbox.ts';
import type { Platform } from './records.ts';
import type { WhatToSend } from './script.ts';

/** One Agent as the state shows it; never its bearer. */
export interface AgentView extends OutboxState {
  number: number;
  hostName: string;
  platform: Platform;
  addresses: { v4: string; v6: string };
  credential: CredentialStatus;
  requestId: string | null;
  agentId: string | null;
}

/** What the hub answered to one Agent; null: nothing. */
export interface Outcome {
  agent: string;
  status: number | null;
}

export interface DeliverOptions {
  /** For each Agent; 1 when absent. */
  batches?: number | undefined;
  /** So many random ones, or these; as many as usual when absent. */
  observations?: WhatToSend | undefined;
  /** Number of one Agent; every one that has a bearer when absent. */
  agent?: number | undefined;
}

export interface AgentControl extends Control<AgentFault> {
  readonly agents: readonly AgentView[];
  /** Applies with a code, for the Agent of this number or the first one without a bearer. Throws when there is none. */
  enroll(code: string, agent?: number): Promise<Outcome & { requestId: string | null }>;
  /** Delivers now; resolves to every request that was sent, in the order of the Agents. */
  deliver(options?: DeliverOptions): Promise<Sent[]>;
  rotate(agent?: number): Promise<Outcome[]>;
  revoke(agent?: number): Promise<Outcome[]>;
}

/** The most that the pace can be. */
export const mostPace = { rate: 6000, observations: 200 } as const;

/** What `patch` takes. */
export const paceSchema = z
  .strictObject({
    rate: z.number().min(0).max(mostPace.rate),
    observations: z.int().min(1).max(mostPace.observations),
  })
  .partial();

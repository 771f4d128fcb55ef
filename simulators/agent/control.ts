// The control surface of the simulated Agents: what a test or an operator can ask of them and make them do.
import { z } from 'zod';
import { post } from '#kernel/http/declare-route.ts';
import { asInvalidBody, type ControlRoutes, mountControl } from '../support/control-server.ts';
import type { Control } from '../support/simulator.ts';
import type { CredentialStatus } from './credential.ts';
import type { AgentFault } from './faults.ts';
import type { OutboxState, Sent } from './outbox.ts';
import type { Platform } from './records.ts';
import { type WhatToSend, whatToSend } from './script.ts';

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

export const mostPace = { rate: 6000, observations: 200 } as const;

export const paceSchema = z
  .strictObject({
    rate: z.number().min(0).max(mostPace.rate),
    observations: z.int().min(1).max(mostPace.observations),
  })
  .partial();

const number = z.int().min(1).optional().describe('Number of the Agent, from 1 on');
const oneOrAll = z.object({ agent: number }).strict();
const status = z.int().nullable();
const outcomes = z.object({ answers: z.array(z.object({ agent: z.string(), status })) });
const ack = z.object({
  batchId: z.string(),
  accepted: z.int(),
  duplicate: z.int(),
  rejected: z.int(),
  receivedAt: z.int(),
  replayed: z.boolean(),
});

const routes = {
  enroll: post('/enroll', 'open', {
    summary: 'Applies with an enrolment code, for this Agent or the first one that has no bearer.',
    body: z.object({ code: z.string().min(1).max(64), agent: number }).strict(),
    reply: { 200: z.object({ agent: z.string(), status, requestId: z.string().nullable() }) },
  }),
  deliver: post('/deliver', 'open', {
    summary: 'Delivers batches now, of this Agent or of each, and answers with every request that was sent.',
    body: z
      .object({ batches: z.int().min(1).max(1000).optional(), observations: whatToSend.optional(), agent: number })
      .strict(),
    reply: {
      200: z.object({
        sent: z.array(
          z.object({
            agent: z.string(),
            batchId: z.string(),
            observations: z.int(),
            status,
            ack: ack.nullable(),
            error: z.string().nullable(),
          }),
        ),
      }),
    },
  }),
  rotate: post('/rotate', 'open', {
    summary: 'Replaces the bearer of this Agent, or of each that has one.',
    body: oneOrAll,
    reply: { 200: outcomes },
  }),
  revoke: post('/revoke', 'open', {
    summary: 'Makes this Agent, or each that has a bearer, revoke itself.',
    body: oneOrAll,
    reply: { 200: outcomes },
  }),
};

export function agentControlRoutes(control: AgentControl): ControlRoutes {
  return mountControl(routes, {
    enroll: ({ body }) => asInvalidBody(() => control.enroll(body.code, body.agent)),
    deliver: ({ body }) => asInvalidBody(async () => ({ sent: await control.deliver(body) })),
    rotate: ({ body }) => asInvalidBody(async () => ({ answers: await control.rotate(body.agent) })),
    revoke: ({ body }) => asInvalidBody(async () => ({ answers: await control.revoke(body.agent) })),
  });
}

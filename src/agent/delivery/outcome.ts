// What an answer of the hub to a batch means (docs/reference/wire-contract/4-endpoints.md#ack).
import type { AgentAck } from '#contract/agent-ingest.ts';
import { AnswerError, ClientError } from '#kernel/http/client.ts';
import { hubFailure, retryAfterMs } from '../hub-client.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import type { Batch } from './batches.ts';

export type Outcome =
  | { kind: 'delivered' }
  /** The hub will never accept this batch. */
  | { kind: 'parked'; reason: string }
  /** The hub refuses this Agent, or its connection: nothing is sent until that has changed. */
  | { kind: 'refused'; reason: string }
  /** Null when the hub does not say how long to wait. */
  | { kind: 'wait'; ms: number | null; reason: string }
  | { kind: 'retry'; reason: string };

/** What an answer 200 means. */
export function judgeAck(ack: Partial<AgentAck> | null, { batchId, observations }: Batch): Outcome {
  const count = observations.length;
  // Another program may answer at the address of the hub: members that are not numbers confirm nothing.
  const confirmed = toNumber(ack?.accepted) + toNumber(ack?.duplicate);
  if (ack?.batchId !== batchId) {
    return { kind: 'parked', reason: 'the hub confirmed another batch' };
  }
  return ack.rejected === 0 && confirmed === count
    ? { kind: 'delivered' }
    : { kind: 'parked', reason: `the hub did not confirm all of the ${count} observations` };
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

/** What another answer, or none, means. */
export function judgeFailure(error: unknown): Exclude<Outcome, { kind: 'delivered' }> {
  const reason = hubFailure(error);
  if (error instanceof AnswerError) {
    return { kind: 'parked', reason };
  }
  if (!(error instanceof ClientError)) {
    return { kind: 'retry', reason };
  }
  const { status, code } = error;
  if (status === 401 || status === 403 || code === 'agent_transport') {
    return { kind: 'refused', reason };
  }
  if (status === 429) {
    const ms = retryAfterMs(error);
    return { kind: 'wait', ms: ms === null ? null : Math.min(ms, limits.backOffMaxMs), reason };
  }
  // 408: the hub gave up on a slow connection.
  return status >= 500 || status === 408 ? { kind: 'retry', reason } : { kind: 'parked', reason };
}

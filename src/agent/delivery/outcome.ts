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
  /** The hub says how long to wait; null: it does not. */
  | { kind: 'wait'; ms: number | null; reason: string }
  | { kind: 'retry'; reason: string };

/** Of an answer 200. */
export function judgeAck(ack: Partial<AgentAck> | null, { batchId, observations }: Batch): Outcome {
  const count = observations.length;
  // It may come from anything that answers at the address: its members are numbers only where they are looked at.
  const [accepted, duplicate] = [ack?.accepted, ack?.duplicate].map((one) =>
    typeof one === 'number' ? one : Number.NaN,
  );
  if (ack?.batchId !== batchId) {
    return { kind: 'parked', reason: 'the hub confirmed another batch' };
  }
  return ack.rejected === 0 && (accepted ?? Number.NaN) + (duplicate ?? Number.NaN) === count
    ? { kind: 'delivered' }
    : { kind: 'parked', reason: `the hub did not confirm all of the ${count} observations` };
}

/** Of anything else. */
export function judgeFailure(error: unknown): Outcome {
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

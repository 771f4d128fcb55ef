// Waits until a request of enrolment is decided, and collects the bearer.

import { ClientError } from '#kernel/http/client.ts';
import { type Clock, hasPassed } from '#kernel/time/clock.ts';
import { type HubClient, hubFailure, retryAfterMs } from '../hub-client.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import type { PendingEnrolment } from './pending.ts';

export type Decision =
  | { kind: 'approved'; token: string; agentId: string }
  /** Over: there is nothing to go on with. */
  | { kind: 'over'; reason: string }
  /** Not decided: somebody may go on later. */
  | { kind: 'open'; reason: string };

const reasons = {
  rejected: 'an administrator rejected the request',
  expired: 'nobody approved the request in time: enrol again with a new code',
  collected:
    'the bearer of this request was handed out already, and it is not stored here: an administrator has to revoke ' +
    'the Agent; then enrol again with a new code',
  unknown: 'the hub does not know the request any more: enrol again with a new code',
} as const;

export interface ApprovalOptions {
  clock: Clock;
  hub: HubClient;
  signal: AbortSignal;
  /** Called after each answer, with the time that was waited. */
  progress(waitedMs: number, problem: string | null): void;
}

export async function awaitDecision(
  { requestId, claimSecret }: PendingEnrolment,
  { clock, hub, signal, progress }: ApprovalOptions,
): Promise<Decision> {
  const body = { requestId, claimSecret };
  let failures = 0;
  for (let waitedMs = 0; ; ) {
    let waitMs: number = limits.claimEveryMs;
    let problem: string | null = null;
    try {
      // The claim is not cut off by Ctrl-C: its answer may be the bearer, which the hub shows once.
      const answer = await hub.as(null).claim({ body });
      failures = 0;
      if (answer.status === 'approved') {
        return { kind: 'approved', token: answer.token, agentId: answer.agentId };
      }
      if (answer.status !== 'pending') {
        return { kind: 'over', reason: reasons[answer.status] };
      }
    } catch (error) {
      if (error instanceof ClientError && error.status < 500 && error.status !== 429) {
        return error.status === 404
          ? { kind: 'over', reason: reasons.unknown }
          : { kind: 'open', reason: hubFailure(error) };
      }
      waitMs = Math.max(waitMs, (error instanceof ClientError && retryAfterMs(error)) || 0);
      problem = hubFailure(error);
      failures += 1;
      if (failures > limits.claimFailures) {
        return { kind: 'open', reason: problem };
      }
    }
    progress(waitedMs, problem);
    if (!(await hasPassed(clock, waitMs, signal))) {
      return { kind: 'open', reason: 'stopped' };
    }
    waitedMs += waitMs;
  }
}

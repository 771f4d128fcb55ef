// Sends a request to a provider, and records that it was sent: one event for each, and none for what never left.
import { limits } from '#contract/limits.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import type { AuditTrail } from '../../base/auth/audit.ts';
import type { Auth } from '../../base/auth/auth.ts';
import type { Principal } from '../../base/auth/principal.ts';
import { isCloud } from './choice.ts';
import { toFailureCode } from './failure-code.ts';
import { createTimeoutError } from './providers/failure.ts';
import type { ModelAnswer, OutgoingRequest, Providers, SendNotices, Target } from './providers/provider.ts';
import type { RequestKind } from './usage/usage-log.ts';

/** The call of the API for which a request is sent. */
export interface Caller {
  principal: Principal;
  request: RequestFacts;
}

export interface SendingOptions {
  clock: Clock;
  providers: Providers;
  auth: { audit: Pick<AuditTrail, 'record'>; toActor: Auth['toActor'] };
}

export interface Sending {
  target: Target;
  /** Null: the hub does it by itself. */
  caller: Caller | null;
  kind: RequestKind;
  /** A UUID: names the request in the log of usage. */
  requestId: string;
  request: OutgoingRequest;
  signal: AbortSignal;
  /** Called with what the answer used as soon as that is known, at most twice; see `SendNotices`. */
  onUsage: SendNotices['onUsage'];
}

/**
 * Sends the request, for 30 s at most. Settles when its audit event is on disk, or is queued because the database refuses
 * writes. Rejects as `Provider.send`, with AppError `ai_timeout`, and with the reason of the signal.
 */
export type Send = (sending: Sending) => Promise<ModelAnswer>;

export function createSend({ clock, providers, auth }: SendingOptions): Send {
  const record = ({ target, caller, kind, requestId, request }: Sending, errorCode: string | null) =>
    auth.audit.record({
      type: 'ai_sent',
      outcome: errorCode === null ? 'success' : 'failure',
      request: caller?.request ?? null,
      by: auth.toActor(caller?.principal ?? { who: 'nobody' }),
      metadata: {
        kind,
        provider: target.provider,
        model: target.model,
        external: isCloud(target.provider),
        bytes: Buffer.byteLength(request.body),
        aiRequestId: requestId,
        ...(errorCode === null ? {} : { errorCode }),
      },
    });

  return async (sending) => {
    const { target, request, signal, onUsage } = sending;
    let isSent = false;
    const onSent = () => {
      isSent = true;
    };
    const late = () => createTimeoutError(target, limits.aiGenerationMs);
    const answer = await withDeadline(clock, limits.aiGenerationMs, late, signal, (inner) =>
      providers[target.provider].send(target, request, inner, { onSent, onUsage }),
    ).catch(async (error: unknown) => {
      if (isSent) {
        await record(sending, toFailureCode(error, signal));
      }
      throw error;
    });
    await record(sending, null);
    return answer;
  };
}

// The only caller of the hub while the Agent runs: capabilities, rotation, and one batch after the other.
import { messageOf } from '#kernel/errors.ts';
import { hasPassed } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { startWorkLoop } from '#kernel/time/work-loop.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import { backOffMs } from './back-off.ts';
import { createDeliveryState, type DeliveryFacts, type DeliveryState } from './delivery-state.ts';
import { type Capabilities, HubCalls, type HubCallsOptions } from './hub-calls.ts';
import type { Outcome } from './outcome.ts';
import type { Spool } from './spool.ts';

export type { Capabilities };

export interface SenderOptions extends Omit<HubCallsOptions, 'state' | 'signal'> {
  spool: Spool;
}

export interface Sender extends AsyncDisposable {
  /** Call this when the spool has a new batch. */
  wake(): void;
  facts(): DeliveryFacts;
  /** Null until the hub has stated them. */
  capabilities(): Capabilities | null;
  /** Stops the loop, waits for its request, and sends the remaining batches; aborts all of it after `ms`. */
  finish(ms: number): Promise<void>;
}

export function startSender(options: SenderOptions): Sender {
  const { clock, spool } = options;
  const cut = new AbortController();
  const state = createDeliveryState(clock);
  const calls = new HubCalls({ ...options, state, signal: cut.signal });
  const paceMs = () => minuteMs / Math.max(1, (calls.capabilities?.requestsPerMinute ?? 1) * limits.pace);
  const waits = createWaits(options, state, paceMs);
  /** When the pause after the last request is over, by the monotonic clock. */
  let pauseEndsAt = 0;

  /** Sends the oldest batch, then removes or parks it as the hub answers. Null when there is no batch. */
  async function deliver(): Promise<Outcome | null> {
    const batch = spool.head();
    if (batch === null) {
      return null;
    }
    const outcome = await calls.deliver(batch);
    if (outcome.kind === 'delivered') {
      spool.delivered();
    } else if (outcome.kind === 'parked') {
      spool.park();
      const { reason } = outcome;
      options.log.error({ batch: batch.batchId, reason }, 'the hub does not accept a batch: it is parked');
    }
    return outcome;
  }

  /** One request. Resolves to the milliseconds to wait afterwards; null: until there is a new batch. */
  async function takeTurn(): Promise<number | null> {
    await calls.rotateWhenDue();
    const isBatch = calls.hasFreshCapabilities();
    const outcome = isBatch ? await deliver() : await calls.askCapabilities();
    if (outcome === null) {
      state.succeeded();
      return null;
    }
    if (outcome.kind === 'refused') {
      calls.allowRotationRetry();
    }
    return waits.after(outcome, isBatch);
  }

  const loop = startWorkLoop({
    clock,
    async step(signal) {
      const waitMs = await takeTurn().catch(waits.afterDiskFailure);
      if (waitMs === null) {
        return spool.isEmpty() ? limits.capabilitiesEveryMs : 0;
      }
      // Part of the step: a new batch must not shorten the pause that the hub asked for.
      pauseEndsAt = clock.monotonic() + waitMs;
      await hasPassed(clock, waitMs, signal);
      return 0;
    },
    failed: waits.afterDiskFailure,
  });

  async function deliverRest(): Promise<void> {
    await loop[Symbol.asyncDispose]();
    const { failure } = state.facts();
    const pauseLeftMs = Math.max(0, pauseEndsAt - clock.monotonic());
    let goesOn = failure?.kind === 'retry' || (failure === null && (await hasPassed(clock, pauseLeftMs, cut.signal)));
    while (goesOn) {
      const outcome = await deliver().catch((error: unknown) => {
        waits.afterDiskFailure(error);
        return null;
      });
      goesOn = outcome?.kind === 'delivered' && (await hasPassed(clock, paceMs(), cut.signal));
    }
  }

  return {
    wake: loop.wake,
    facts: () => state.facts(),
    capabilities: () => calls.capabilities,
    async finish(ms) {
      const over = new AbortController();
      const deadline = hasPassed(clock, ms, over.signal).then((isLate) => isLate && cut.abort(new Error('stopped')));
      await deliverRest();
      over.abort();
      await deadline;
    },
    async [Symbol.asyncDispose]() {
      cut.abort(new Error('stopped'));
      await loop[Symbol.asyncDispose]();
    },
  };
}

/** Notes each outcome for the status, and returns how many milliseconds to wait after it. */
function createWaits({ log }: Pick<SenderOptions, 'log'>, state: DeliveryState, paceMs: () => number) {
  return {
    after(outcome: Outcome, isBatch: boolean): number {
      switch (outcome.kind) {
        case 'delivered':
          // An answer to the question for capabilities does not mean that batches are accepted: keep their failure.
          if (!isBatch) {
            return 0;
          }
          state.succeeded();
          return paceMs();
        case 'parked':
          state.parked(outcome.reason);
          return paceMs();
        default: {
          const failures = state.failed(outcome.kind, outcome.reason);
          const ms = (outcome.kind === 'wait' ? outcome.ms : null) ?? backOffMs(failures);
          state.waits(ms);
          const say = outcome.kind === 'refused' ? log.error : log.warn;
          say.call(log, { reason: outcome.reason, waitS: Math.round(ms / 1000) }, sentences[outcome.kind]);
          return ms;
        }
      }
    },
    /** For a failure of this machine, not of the hub: waiting batches cannot be read or changed. */
    afterDiskFailure(error: unknown): number {
      const reason = messageOf(error);
      if (state.facts().failure?.reason !== reason) {
        log.error({ err: error }, 'delivery stands still: nothing is deleted, and this is tried again every minute');
      }
      state.failed('disk', reason);
      state.waits(minuteMs);
      return minuteMs;
    },
  };
}

const sentences = {
  refused: 'the hub refuses this Agent: nothing is sent, observations are collected in the spool',
  wait: 'the hub asks to wait',
  retry: 'the hub does not answer as it should: this is tried again',
} as const;

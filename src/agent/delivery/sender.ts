// The only caller of the hub while the Agent runs: capabilities, rotation, and one batch after the other.
import type { z } from 'zod';
import type { agentCapabilities } from '#contract/agent-ingest.ts';
import { messageOf } from '#kernel/errors.ts';
import { ClientError } from '#kernel/http/client.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, elapsed, hasPassed, isoTime } from '#kernel/time/clock.ts';
import { dayMs, minuteMs } from '#kernel/time/time.ts';
import { startWorkLoop } from '#kernel/time/work-loop.ts';
import type { Bearer } from '../credentials/bearer.ts';
import { type AgentClient, capabilitiesFailure, type HubClient } from '../hub-client.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import type { AgentRecord } from '../record.ts';
import { rotate } from '../rotation.ts';
import { backOffMs } from './back-off.ts';
import type { Batch } from './batches.ts';
import { createDeliveryState, type DeliveryFacts } from './delivery-state.ts';
import { judgeAck, judgeFailure, type Outcome } from './outcome.ts';
import type { Spool } from './spool.ts';

export type Capabilities = z.output<typeof agentCapabilities>;

export interface SenderOptions {
  clock: Clock;
  log: Log;
  hub: HubClient;
  bearer: Bearer;
  spool: Spool;
  record(): AgentRecord;
  update(change: Partial<AgentRecord>): void;
  /** 0: the bearer is not rotated by itself. */
  rotateDays: number;
}

export interface Sender extends AsyncDisposable {
  /** There is a new batch. */
  wake(): void;
  facts(): DeliveryFacts;
  /** Null until the hub has said them. */
  capabilities(): Capabilities | null;
  /** Ends the usual delivery, lets a request under way end, and sends what is left, all of it within `ms`. */
  finish(ms: number): Promise<void>;
}

export function startSender(options: SenderOptions): Sender {
  const { clock, log, hub, bearer, spool, record, update, rotateDays } = options;
  const cut = new AbortController();
  const state = createDeliveryState(clock);
  let capabilities: Capabilities | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let rotationTriedAt = Number.NEGATIVE_INFINITY;

  /** When the pause after the last request is over, by the monotonic clock. */
  let pauseEndsAt = 0;

  const clientWith = (token: string): AgentClient => hub.as(token, cut.signal);

  /** A request with the bearer; what the hub says of the bearer is noted. */
  async function authorised<T>(call: (client: AgentClient) => Promise<T>): Promise<T> {
    const token = bearer.token();
    try {
      const answer = await call(clientWith(token));
      await bearer
        .accepted(token)
        .catch((error: unknown) => log.error({ err: error }, 'the credential store could not be written'));
      return answer;
    } catch (error) {
      if (error instanceof ClientError && error.status === 401 && bearer.refused(token)) {
        log.warn({}, 'the hub refused one of two stored bearers: the other one is tried');
      }
      throw error;
    }
  }

  async function askCapabilities(): Promise<Outcome> {
    try {
      capabilities = await authorised((client) => client.capabilities({}));
      askedAt = clock.now();
      return { kind: 'delivered' };
    } catch (error) {
      const outcome = judgeFailure(error);
      const reason = capabilitiesFailure(error);
      return outcome.kind === 'parked' || outcome.kind === 'delivered'
        ? { kind: 'retry', reason }
        : { ...outcome, reason };
    }
  }

  function isRotationDue(): boolean {
    const { rotatedAt, rotationStartedAt } = record();
    const isDue =
      rotationStartedAt !== null || (rotateDays > 0 && elapsed(rotatedAt, clock.now()) >= rotateDays * dayMs);
    return isDue && elapsed(rotationTriedAt, clock.now()) >= limits.rotationRetryMs;
  }

  /** A failure leaves the old bearer in use. */
  async function rotateNow(): Promise<void> {
    rotationTriedAt = clock.now();
    try {
      await rotate({ bearer, client: clientWith, record, update, now: clock.now() });
      log.info({}, 'the bearer was rotated');
    } catch (error) {
      log.warn({ err: messageOf(error) }, 'the bearer could not be rotated; this is tried again');
    }
  }

  async function send(batch: Batch): Promise<Outcome> {
    try {
      const ack = await authorised((client) => client.ingest({ body: { ...batch, sentAt: isoTime(clock.now()) } }));
      const outcome = judgeAck(ack, batch);
      if (outcome.kind === 'delivered') {
        state.delivered(batch.observations.length, ack.replayed ? null : ack.receivedAt - clock.now());
      }
      return outcome;
    } catch (error) {
      return judgeFailure(error);
    }
  }

  /** Sends the oldest batch, and does with it what the hub says. Null: there is none. */
  async function deliver(): Promise<Outcome | null> {
    const batch = spool.head();
    if (batch === null) {
      return null;
    }
    const outcome = await send(batch);
    if (outcome.kind === 'delivered') {
      spool.delivered();
    } else if (outcome.kind === 'parked') {
      spool.park();
      log.error({ batch: batch.batchId, reason: outcome.reason }, 'the hub does not accept a batch: it is parked');
    }
    return outcome;
  }

  /** Milliseconds to wait after this turn; null: until there is a new batch. */
  async function turn(): Promise<number | null> {
    if (isRotationDue()) {
      await rotateNow();
    }
    const isKnown = capabilities !== null && elapsed(askedAt, clock.now()) < limits.capabilitiesEveryMs;
    const outcome = isKnown ? await deliver() : await askCapabilities();
    if (outcome === null) {
      state.succeeded();
      return null;
    }
    if (outcome.kind === 'refused' && record().rotationStartedAt !== null) {
      // The answer to a rotation was lost: the bearer opens the rotation alone by now.
      rotationTriedAt = Number.NEGATIVE_INFINITY;
    }
    return waitAfter(outcome, isKnown);
  }

  function waitAfter(outcome: Outcome, isBatch: boolean): number {
    switch (outcome.kind) {
      case 'delivered':
        // Capabilities that are answered do not mean that batches are: what keeps these waiting stays noted.
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
  }

  /** The hub refuses nothing here: this machine cannot read or change what waits. */
  function waitAfterDiskFailure(error: unknown): number {
    const reason = messageOf(error);
    if (state.facts().failure?.reason !== reason) {
      log.error({ err: error }, 'delivery stands still: nothing is deleted, and this is tried again every minute');
    }
    state.failed('disk', reason);
    state.waits(minuteMs);
    return minuteMs;
  }

  const paceMs = () => minuteMs / Math.max(1, (capabilities?.requestsPerMinute ?? 1) * limits.pace);

  const loop = startWorkLoop({
    clock,
    async step(signal) {
      const waitMs = await turn().catch(waitAfterDiskFailure);
      if (waitMs === null) {
        return spool.isEmpty() ? limits.capabilitiesEveryMs : 0;
      }
      // Part of the step: a new batch must not shorten the pause that the hub asked for.
      pauseEndsAt = clock.monotonic() + waitMs;
      await hasPassed(clock, waitMs, signal);
      return 0;
    },
    failed: waitAfterDiskFailure,
  });

  const pauseLeftMs = () => Math.max(0, pauseEndsAt - clock.monotonic());

  async function lastTries(): Promise<void> {
    await loop[Symbol.asyncDispose]();
    const { failure } = state.facts();
    let goesOn = failure?.kind === 'retry' || (failure === null && (await hasPassed(clock, pauseLeftMs(), cut.signal)));
    while (goesOn) {
      const outcome = await deliver().catch((error: unknown) => {
        waitAfterDiskFailure(error);
        return null;
      });
      goesOn = outcome?.kind === 'delivered' && (await hasPassed(clock, paceMs(), cut.signal));
    }
  }

  return {
    wake: loop.wake,
    facts: () => state.facts(),
    capabilities: () => capabilities,
    async finish(ms) {
      const over = new AbortController();
      const deadline = hasPassed(clock, ms, over.signal).then((isLate) => isLate && cut.abort(new Error('stopped')));
      await lastTries();
      over.abort();
      await deadline;
    },
    async [Symbol.asyncDispose]() {
      cut.abort(new Error('stopped'));
      await loop[Symbol.asyncDispose]();
    },
  };
}

const sentences = {
  refused: 'the hub refuses this Agent: nothing is sent, observations are collected in the spool',
  wait: 'the hub asks to wait',
  retry: 'the hub does not answer as it should: this is tried again',
} as const;

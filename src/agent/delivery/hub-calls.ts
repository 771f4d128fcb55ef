// The requests of a running Agent to its hub: capabilities, the rotation of the bearer, and the delivery of a batch.
import type { z } from 'zod';
import type { agentCapabilities } from '#contract/agent-ingest.ts';
import { messageOf } from '#kernel/errors.ts';
import { ClientError } from '#kernel/http/client.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, elapsed, isoTime } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { Bearer } from '../credentials/bearer.ts';
import { type AgentClient, capabilitiesFailure, type HubClient } from '../hub-client.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import type { AgentRecord } from '../record.ts';
import { rotate } from '../rotation.ts';
import type { Batch } from './batches.ts';
import type { DeliveryState } from './delivery-state.ts';
import { judgeAck, judgeFailure, type Outcome } from './outcome.ts';

export type Capabilities = z.output<typeof agentCapabilities>;

export interface HubCallsOptions {
  clock: Clock;
  log: Log;
  hub: HubClient;
  bearer: Bearer;
  record(): AgentRecord;
  /** Changes the record of the Agent on disk. */
  update(change: Partial<AgentRecord>): void;
  /** Days until the Agent rotates its bearer by itself; 0: never. */
  rotateDays: number;
  state: DeliveryState;
  /** Aborts every request. */
  signal: AbortSignal;
}

export class HubCalls {
  readonly #options: HubCallsOptions;
  #capabilities: Capabilities | null = null;
  #capabilitiesAt = Number.NEGATIVE_INFINITY;
  #rotationTriedAt = Number.NEGATIVE_INFINITY;

  constructor(options: HubCallsOptions) {
    this.#options = options;
  }

  /** Null until the hub has stated them. */
  get capabilities(): Capabilities | null {
    return this.#capabilities;
  }

  /** Whether the hub has stated its capabilities within the last `capabilitiesEveryMs`. */
  hasFreshCapabilities(): boolean {
    return elapsed(this.#capabilitiesAt, this.#options.clock.now()) < limits.capabilitiesEveryMs;
  }

  async askCapabilities(): Promise<Outcome> {
    try {
      this.#capabilities = await this.#callWithBearer((client) => client.capabilities({}));
      this.#capabilitiesAt = this.#options.clock.now();
      return { kind: 'delivered' };
    } catch (error) {
      const outcome = judgeFailure(error);
      const reason = capabilitiesFailure(error);
      // Without a batch, nothing can be parked.
      return outcome.kind === 'parked' ? { kind: 'retry', reason } : { ...outcome, reason };
    }
  }

  async deliver(batch: Batch): Promise<Outcome> {
    const { clock, state } = this.#options;
    try {
      const body = { ...batch, sentAt: isoTime(clock.now()) };
      const ack = await this.#callWithBearer((client) => client.ingest({ body }));
      const outcome = judgeAck(ack, batch);
      if (outcome.kind === 'delivered') {
        state.delivered(batch.observations.length, ack.replayed ? null : ack.receivedAt - clock.now());
      }
      return outcome;
    } catch (error) {
      return judgeFailure(error);
    }
  }

  /** Rotates the bearer when it is old enough, or a rotation was begun. A failure leaves the old bearer in use. */
  async rotateWhenDue(): Promise<void> {
    if (!this.#isRotationDue()) {
      return;
    }
    const { clock, log, bearer, record, update } = this.#options;
    this.#rotationTriedAt = clock.now();
    try {
      await rotate({ bearer, client: this.#createClient, record, update, now: clock.now() });
      log.info({}, 'the bearer was rotated');
    } catch (error) {
      log.warn({ err: messageOf(error) }, 'the bearer could not be rotated; this is tried again');
    }
  }

  /**
   * Lets the next `rotateWhenDue` repeat a rotation that was begun, without the usual wait. Its answer may have been
   * lost: the hub then accepts the old bearer for another rotation, and refuses every other request.
   */
  allowRotationRetry(): void {
    if (this.#options.record().rotationStartedAt !== null) {
      this.#rotationTriedAt = Number.NEGATIVE_INFINITY;
    }
  }

  #isRotationDue(): boolean {
    const { clock, record, rotateDays } = this.#options;
    const { rotatedAt, rotationStartedAt } = record();
    const isDue =
      rotationStartedAt !== null || (rotateDays > 0 && elapsed(rotatedAt, clock.now()) >= rotateDays * dayMs);
    return isDue && elapsed(this.#rotationTriedAt, clock.now()) >= limits.rotationRetryMs;
  }

  readonly #createClient = (token: string): AgentClient => this.#options.hub.as(token, this.#options.signal);

  /** Makes a request with the bearer, and tells the bearer whether the hub accepted or refused it. */
  async #callWithBearer<T>(call: (client: AgentClient) => Promise<T>): Promise<T> {
    const { bearer, log } = this.#options;
    const token = bearer.token();
    try {
      const answer = await call(this.#createClient(token));
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
}

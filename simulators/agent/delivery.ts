// The deliveries of one Agent: one batch at a time, in the background when it is due, or at once when somebody asks.

import { messageOf } from '#kernel/errors.ts';
import { Semaphore } from '#kernel/http/limiter.ts';
import { type Clock, hasPassed } from '#kernel/time/clock.ts';
import type { Journal } from '../support/journal.ts';
import type { Conduct } from './conduct.ts';
import type { Credential } from './credential.ts';
import type { Outbox, Sent } from './outbox.ts';
import type { Batch } from './records.ts';

export interface DeliveryParts {
  agent: string;
  conduct: Conduct;
  outbox: Outbox;
  credential: Credential;
  clock: Clock;
  journal: Journal;
  signal: AbortSignal;
}

export type Delivery = ReturnType<typeof createDelivery>;

export function createDelivery(parts: DeliveryParts) {
  const { agent, conduct, outbox, credential, clock, journal, signal } = parts;
  const turn = new Semaphore(1);
  let isDraining = false;
  let settled: Promise<void> = Promise.resolve();

  /** Nothing is awaited between the last look into the outbox and the end: a later batch starts a new drain. */
  const drain = async () => {
    isDraining = true;
    try {
      while (outbox.first && credential.canSend() && !signal.aborted) {
        const waitMs = outbox.notBefore - clock.now();
        if (waitMs > 0) {
          await hasPassed(clock, waitMs, signal);
        } else {
          // Whoever had the turn before may have delivered it already.
          await turn.use(async () => outbox.first && conduct.deliver(outbox.first), signal);
        }
      }
    } catch (error) {
      journal.add('broken', { agent, reason: messageOf(error) });
    } finally {
      isDraining = false;
    }
  };
  const resume = () => {
    if (!isDraining) {
      settled = drain();
    }
  };
  return {
    /** Takes a batch and delivers it in the background as soon as it may. */
    push(batch: Batch): void {
      outbox.add(batch);
      resume();
    },
    /** Sends a batch now, whatever is to be waited for; resolves to every request that it took. */
    async now(batch: Batch): Promise<Sent[]> {
      const sent = await turn.use(() => conduct.deliver(outbox.add(batch)), signal);
      resume();
      return sent;
    },
    alone: <T>(work: () => Promise<T>): Promise<T> => turn.use(work, signal),
    resume,
    /** Resolves when nothing is under way in the background. */
    get settled() {
      return settled;
    },
  };
}

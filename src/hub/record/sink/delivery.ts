// Sends as long as the hub runs: looks every few minutes, inserts while something is due, tries again after a failure.
import type { ClickHouseClient } from '@clickhouse/client';
import type { CauseCode } from '#contract/facts.ts';
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, elapsed } from '#kernel/time/clock.ts';
import { startWorkLoop } from '#kernel/time/work-loop.ts';
import { openClient } from './client.ts';
import { retryDelayMs } from './retry.ts';
import { createSender, type Sender, type SenderOptions, sinkTarget } from './sender.ts';
import type { SinkFailure } from './sink-failure.ts';
import { readStored, type Stored } from './stored-bytes.ts';

interface Opened {
  client: ClickHouseClient;
  sender: Sender;
}

/** The state of the delivery. */
export interface DeliveryState {
  /** Why the last try failed; null since the last success. */
  lastError: string | null;
  /** The same as a code, where the system or TLS names one. */
  lastCause: CauseCode | null;
  /** When a failed try is repeated, epoch milliseconds; null since the last success. */
  nextTryAt: number | null;
  /** Null while the server has not been asked, and when the reader may not see it. */
  stored: Stored | null;
}

/** Time to the first look: a start has more urgent things to do. */
const firstMs = 5000;
/** The server is asked at this interval how much it has stored. */
const storedEveryMs = 600_000;

export function startDelivery(options: Omit<SenderOptions, 'client'> & { clock: Clock; log: Log }) {
  const { clock, log, settings, store } = options;
  const progress: DeliveryState = { lastError: null, lastCause: null, nextTryAt: null, stored: null };
  const state = { isOpen: false, failures: 0, lookedAt: Number.NEGATIVE_INFINITY, askedAt: Number.NEGATIVE_INFINITY };

  const failed = ({ sentence, cause }: Pick<SinkFailure, 'sentence' | 'cause'>) => {
    const waitMs = retryDelayMs(state.failures);
    state.failures += 1;
    if (sentence !== progress.lastError) {
      log.warn({ attempt: state.failures }, `closed hours were not sent: ${sentence}`);
    }
    Object.assign(progress, {
      lastError: sentence,
      lastCause: cause ?? null,
      nextTryAt: clock.now() + waitMs,
    });
    return waitMs;
  };
  const succeeded = () => {
    if (progress.lastError !== null) {
      log.info({ attempts: state.failures }, 'closed hours are sent again');
    }
    state.failures = 0;
    Object.assign(progress, { lastError: null, lastCause: null, nextTryAt: null });
  };
  const askStored = async (signal: AbortSignal) => {
    if (elapsed(state.askedAt, clock.now()) >= storedEveryMs) {
      state.askedAt = clock.now();
      progress.stored = await readStored(settings, signal);
    }
  };
  const open = async (): Promise<Opened> => {
    const client = await openClient(settings, settings.writer);
    return { client, sender: createSender({ ...options, client }) };
  };
  let opened: Opened | null = null;
  const step = async (signal: AbortSignal): Promise<number> => {
    opened ??= await open();
    const { sender } = opened;
    if (!state.isOpen) {
      await store.open(sinkTarget(settings));
      state.isOpen = true;
      succeeded();
    }
    if (elapsed(state.lookedAt, clock.now()) >= limits.sinkLookMs) {
      await sender.look(signal);
      state.lookedAt = clock.now();
    }
    const restMs = (progress.nextTryAt ?? 0) - clock.now();
    // A longer rest than the longest back-off means that the clock was set back: the sink tries again at once.
    if (restMs > 0 && restMs <= limits.sinkRetryMaxMs) {
      return Math.min(restMs, limits.sinkLookMs);
    }
    const outcome = await sender.step(signal);
    if (outcome.did === 'failed') {
      return Math.min(failed(outcome.failure), limits.sinkLookMs);
    }
    if (outcome.did === 'sent') {
      succeeded();
      return 0;
    }
    await askStored(signal);
    return limits.sinkLookMs;
  };
  const loop = startWorkLoop({
    clock,
    firstRestMs: firstMs,
    step,
    failed(error) {
      log.error({ err: error }, 'the sink failed; it tries again');
      return Math.min(failed({ sentence: messageOf(error) }), limits.sinkLookMs);
    },
  });
  return {
    progress: () => ({ ...progress }),
    /** Resolves when it rests: nothing is due, or it waits for the next try. */
    settled: loop.settled,
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await opened?.client.close();
    },
  };
}

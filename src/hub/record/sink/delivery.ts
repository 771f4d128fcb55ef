// Sends as long as the hub runs: looks every few minutes, inserts while something is due, tries again after a failure.
import type { ClickHouseClient } from '@clickhouse/client';
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, elapsed, hasPassed } from '#kernel/time/clock.ts';
import { openClient } from './client.ts';
import { retryAfter } from './retry.ts';
import { createSender, type Sender, type SenderOptions, targetOf } from './sender.ts';
import { readStored, type Stored } from './stored-bytes.ts';

export interface DeliveryOptions extends Omit<SenderOptions, 'client'> {
  clock: Clock;
  log: Log;
}

/** How it goes. Instants are epoch milliseconds. */
export interface Progress {
  /** Null since the last success. */
  lastError: string | null;
  nextTryAt: number | null;
  stored: Stored | null;
}

export interface Delivery extends AsyncDisposable {
  progress(): Progress;
  /** Resolves when it rests: nothing is due, or it waits for the next try. */
  settled(): Promise<void>;
}

/** Time to the first look: a start has more urgent things to do. */
const firstMs = 5000;
/** Between two questions for what the server has stored. */
const storedEveryMs = 600_000;

export function startDelivery(options: DeliveryOptions): Delivery {
  const { clock, log, settings, store } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const rest = createRest(clock, signal);
  const progress: Progress = { lastError: null, nextTryAt: null, stored: null };
  const state = { isOpen: false, failures: 0, lookedAt: Number.NEGATIVE_INFINITY, askedAt: Number.NEGATIVE_INFINITY };

  const failed = (sentence: string) => {
    const waitMs = retryAfter(state.failures);
    state.failures += 1;
    if (sentence !== progress.lastError) {
      log.warn({ attempt: state.failures }, `closed hours were not sent: ${sentence}`);
    }
    Object.assign(progress, { lastError: sentence, nextTryAt: clock.now() + waitMs });
    return waitMs;
  };
  const succeeded = () => {
    if (progress.lastError !== null) {
      log.info({ attempts: state.failures }, 'closed hours are sent again');
    }
    state.failures = 0;
    Object.assign(progress, { lastError: null, nextTryAt: null });
  };
  const askStored = async () => {
    if (elapsed(state.askedAt, clock.now()) >= storedEveryMs) {
      state.askedAt = clock.now();
      progress.stored = await readStored(settings, signal);
    }
  };
  /** One step; resolves to how long to rest. */
  const step = async (sender: Sender): Promise<number> => {
    if (!state.isOpen) {
      await store.open(targetOf(settings));
      state.isOpen = true;
      succeeded();
    }
    if (elapsed(state.lookedAt, clock.now()) >= limits.sinkLookMs) {
      await sender.look(signal);
      state.lookedAt = clock.now();
    }
    const restMs = (progress.nextTryAt ?? 0) - clock.now();
    // A try that lies further ahead is of a clock that has been put back since.
    if (restMs > 0 && restMs <= limits.sinkRetryMaxMs) {
      return Math.min(restMs, limits.sinkLookMs);
    }
    const outcome = await sender.step(signal);
    if (outcome.did === 'failed') {
      return Math.min(failed(outcome.failure.sentence), limits.sinkLookMs);
    }
    if (outcome.did === 'sent') {
      succeeded();
      return 0;
    }
    await askStored();
    return limits.sinkLookMs;
  };
  const run = async (client: ClickHouseClient) => {
    const sender = createSender({ ...options, client });
    for (let waitMs = firstMs; await rest.passed(waitMs); ) {
      waitMs = await step(sender).catch((error: unknown) => {
        if (signal.aborted) {
          return 0;
        }
        log.error({ err: error }, 'the sink failed; it tries again');
        return Math.min(failed(messageOf(error)), limits.sinkLookMs);
      });
    }
  };
  const running = withClient(options, run).catch((error: unknown) => {
    log.error({ err: error }, 'the sink cannot be started: closed hours are not sent');
    progress.lastError = messageOf(error);
  });
  return {
    progress: () => ({ ...progress }),
    settled: () => Promise.race([rest.begun(), running]),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the hub stops'));
      await running;
    },
  };
}

async function withClient({ settings }: DeliveryOptions, work: (client: ClickHouseClient) => Promise<void>) {
  const client = await openClient(settings, settings.writer);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

/** Rests that others can wait for. */
function createRest(clock: Clock, signal: AbortSignal) {
  let begun = Promise.withResolvers<void>();
  return {
    /** False when the hub stops. */
    async passed(ms: number): Promise<boolean> {
      if (ms <= 0) {
        return !signal.aborted;
      }
      begun.resolve();
      const isOver = await hasPassed(clock, ms, signal);
      begun = Promise.withResolvers();
      return isOver;
    },
    /** Resolves at once during a rest, else when the next one begins. */
    begun: (): Promise<void> => begun.promise,
  };
}

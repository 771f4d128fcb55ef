// One round of a look-up: rate-limited and bounded in parallel, until too many requests fail.
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import { Semaphore } from '#kernel/http/limiter.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { ExpiringCache } from '#kernel/time/expiring-cache.ts';
import type { Answer } from '../answers.ts';
import type { LookUp } from './look-up.ts';

/** Counters of one look-up since the start of the hub. Instants are epoch milliseconds. */
export interface Counter {
  ok: number;
  fail: number;
  lastOkAt: number | null;
  lastFailAt: number | null;
  lastError: string | null;
}

export interface RoundOptions {
  clock: Clock;
  lookUp: LookUp;
  perSecond: number;
  atOnce: number;
  counter: Counter;
  /** Addresses whose look-up failed recently. */
  failed: ExpiringCache<true>;
  addAnswers(answers: readonly Answer[]): Promise<unknown>;
  /** Checked before each request, also after waiting for a slot. */
  isAllowed(): boolean;
  signal: AbortSignal;
}

export interface RoundOutcome {
  /** Too many failed in a row: the service is left alone for a while. */
  gaveUp: boolean;
}

/** Answers that are stored in one transaction. */
const answersAtOnce = 20;

export async function lookUpDue(addresses: AsyncIterable<string>, options: RoundOptions): Promise<RoundOutcome> {
  const { clock, perSecond, failed, signal } = options;
  const slots = new Semaphore(options.atOnce);
  const running = new Set<Promise<void>>();
  let answers: Answer[] = [];
  let failures = 0;
  const flush = async () => {
    const some = answers;
    answers = [];
    await options.addAnswers(some);
  };
  const ask = async (address: string) => {
    if (signal.aborted || !options.isAllowed()) {
      return;
    }
    try {
      const answer = await askOne(address, options);
      answers.push(answer);
      failures = 0;
    } catch {
      failures += 1;
    }
  };
  for await (const address of addresses) {
    if (signal.aborted || failures >= limits.lookupFailures || !options.isAllowed()) {
      break;
    }
    if (failed.get(address) !== true) {
      await clock.sleep(1000 / perSecond, signal).catch(() => undefined);
      const asked = slots.use(() => ask(address)).finally(() => running.delete(asked));
      running.add(asked);
      if (running.size >= options.atOnce) {
        await Promise.race(running);
      }
      if (answers.length >= answersAtOnce) {
        await flush();
      }
    }
  }
  await Promise.all(running);
  await flush();
  return { gaveUp: failures >= limits.lookupFailures };
}

/** Counts the request; rejects and records the failure when there is no answer. */
async function askOne(address: string, options: RoundOptions): Promise<Answer> {
  const { clock, counter } = options;
  try {
    const { facts, keepMs } = await options.lookUp(address, options.signal);
    const at = clock.now();
    counter.ok += 1;
    counter.lastOkAt = at;
    return { address, at, until: at + keepMs, facts };
  } catch (error) {
    if (!options.signal.aborted) {
      counter.fail += 1;
      counter.lastFailAt = clock.now();
      // Without the address: viewers read this, and it may be copied into reports.
      counter.lastError = messageOf(error).replaceAll(address, 'an address').slice(0, 200);
      options.failed.set(address, true);
    }
    throw error;
  }
}

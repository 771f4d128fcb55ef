// One loop per enabled router: staggered, at most three at once, each cycle bounded, a failing router alone backs off.
import { limits } from '#contract/limits.ts';
import { Semaphore } from '#kernel/http/limiter.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { Marks } from '../../record/connections/privacy/marks.ts';
import { type Cycle, createCycle } from './cycle.ts';
import { createSeries } from './path/series.ts';
import { createPoll, type Polled, type PollOptions } from './poll.ts';
import type { Registry } from './registry.ts';
import { UnseenCounts } from './unseen/counts.ts';

export interface PollerOptions extends PollOptions {
  registry: Registry;
  marks: Marks;
  intervalMs: number;
  /** As in ShellOptions. */
  settleMs?: number | undefined;
}

export type Poller = ReturnType<typeof startPoller>;

/** Tables of two routers that were read within so many intervals are compared. */
const comparedIntervals = 2;

export function startPoller(options: PollerOptions) {
  const { registry, statuses, clock, log, intervalMs } = options;
  const slots = new Semaphore(limits.pollConcurrent);
  const loops = new Map<string, { stop: AbortController; ended: Promise<void> }>();
  const restarts = new Map<string, Promise<void>>();
  const unseen = new Map<string, UnseenCounts>();
  const running = new Set<Promise<void>>();
  const series = createSeries(comparedIntervals * intervalMs);
  const poll = createPoll(options, series);
  const state = { isClosed: false };

  const find = (id: string) => registry.list().find((router) => router.id === id);
  const start = (id: string, index: number) => {
    const stop = new AbortController();
    const ended = pollForever(id, index, stop.signal).catch((error) => {
      log.error({ routerId: id, err: error }, 'the poll loop of a router ended');
    });
    loops.set(id, { stop, ended });
  };

  async function pollForever(id: string, index: number, signal: AbortSignal): Promise<void> {
    const counts = new UnseenCounts(intervalMs);
    unseen.set(id, counts);
    const cycle = createCycle({ registry, clock, settleMs: options.settleMs, unseen: counts, marks: options.marks });
    let failures = 0;
    try {
      await pause(clock, (index * intervalMs) / limits.routers, signal);
      while (!signal.aborted) {
        const startedAt = clock.now();
        const turn = slots.use(() => pollOnce(id, cycle, signal), signal);
        const polled = await untilAborted(signal, tracked(running, turn));
        if (!polled) {
          return;
        }
        failures = polled.outcome === 'ok' ? 0 : failures + 1;
        const waitMs = Math.min(intervalMs * 2 ** failures, Math.max(limits.pollBackOffMaxMs, intervalMs));
        const nextPollAt = failures === 0 ? startedAt + intervalMs : clock.now() + waitMs;
        poll.setStatus(polled.record, signal, (before) => ({ ...before, nextPollAt }));
        // The clock may have been put back during the poll.
        await pause(clock, Math.min(nextPollAt - clock.now(), waitMs), signal);
      }
    } finally {
      await cycle[Symbol.asyncDispose]();
    }
  }

  /** One poll with the present record; null when the loop is to end. */
  async function pollOnce(id: string, cycle: Cycle, signal: AbortSignal): Promise<Polled | null> {
    const record = find(id);
    return record?.enabled ? poll.run(record, cycle, signal) : null;
  }

  const stop = (id: string) => loops.get(id)?.stop.abort(new Error('the poll loop was stopped'));
  /** The record is read after the old loop has ended, so that one restart serves every change made until then. */
  async function restart(id: string): Promise<void> {
    await loops.get(id)?.ended;
    loops.delete(id);
    restarts.delete(id);
    if (!state.isClosed) {
      if (find(id)?.enabled) {
        start(id, 0);
      }
      options.onStatus?.();
    }
  }

  for (const [index, record] of registry.list().entries()) {
    if (record.enabled) {
      start(record.id, index);
    }
  }
  return {
    /**
     * Starts, stops or restarts the loop of a router whose record was created, changed or removed. Aborts the read of the
     * old loop, and resolves when that loop has ended. Starts nothing once the poller is disposed.
     */
    apply(id: string) {
      stop(id);
      statuses.delete(id);
      series.forget(id);
      unseen.delete(id);
      const restarted = restarts.get(id) ?? restart(id);
      restarts.set(id, restarted);
      return restarted;
    },
    /** Counts from the reads of a router since its loop began; null when it has no loop. */
    findUnseenCounts: (id: string) => unseen.get(id) ?? null,
    /** Resolves when no cycle is running. */
    async settled() {
      while (running.size > 0) {
        await Promise.all(running);
      }
    },
    async [Symbol.asyncDispose]() {
      state.isClosed = true;
      for (const id of loops.keys()) {
        stop(id);
      }
      await Promise.all([...restarts.values(), ...[...loops.values()].map(({ ended }) => ended)]);
    },
  };
}

async function tracked<T>(running: Set<Promise<void>>, work: Promise<T>): Promise<T> {
  const entry = work.then(
    () => undefined,
    () => undefined,
  );
  running.add(entry);
  try {
    return await work;
  } finally {
    running.delete(entry);
  }
}

/** Sleeps; an abort ends the sleep, and the caller sees it on the signal. */
async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) {
    await untilAborted(signal, clock.sleep(ms, signal));
  }
}

/** What `work` resolves to; `null` when it rejects because `signal` was aborted. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted && error === signal.reason) {
      return null;
    }
    throw error;
  }
}

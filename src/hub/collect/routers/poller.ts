// One loop per enabled router: staggered, at most three at once, each cycle bounded, a failing router alone backs off.
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import { Semaphore } from '#kernel/http/limiter.ts';
import { fileWithoutRoom } from '#kernel/sqlite/refused-write.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import type { Base } from '../../base/feature.ts';
import type { RouterRecord } from '../../base/settings/schema.ts';
import type { RecordBatch } from '../../record/connections/record/recorder.ts';
import type { Translated } from '../../record/connections/store/flow-link.ts';
import type { CoverPoll, PollReport } from '../../record/coverage/polls.ts';
import { routerSubject } from './coverage.ts';
import { type Collected, type Cycle, createCycle } from './cycle.ts';
import { type Lease, type Neighbour, type RouterKind, ShellError } from './driver.ts';
import { createSeries } from './path/series.ts';
import type { Registry } from './registry.ts';
import { afterFailure, afterSuccess, type RouterStatus, type RouterStatuses } from './runtime.ts';
import { UnseenCounts } from './unseen/counts.ts';

export interface PollerOptions extends Pick<Base, 'clock' | 'log'> {
  registry: Registry;
  statuses: RouterStatuses;
  intervalMs: number;
  /** As in ShellOptions. */
  settleMs?: number | undefined;
  record: RecordBatch;
  /** What each read covers, for the transaction of its batch. */
  coverPoll: CoverPoll;
  /** What each whole table says of translation, for the same transaction. */
  writeTranslated(writer: Writer, translated: Translated): WriteSteps<void>;
  /** After each `record`: what the router shows of its LAN; null where this poll did not ask. */
  reportLan(report: {
    observerId: string;
    kind: RouterKind;
    neighbours: readonly Neighbour[] | null;
    leases: readonly Lease[] | null;
    /** What the ages of the neighbours count from, epoch milliseconds. */
    now: number;
  }): Promise<void>;
  /** The status or the record of a router changed. */
  onStatus?: () => void;
}

export interface Poller extends AsyncDisposable {
  /**
   * Starts, stops or restarts the loop of a router whose record was made, changed or removed. What the old loop is
   * reading is given up at once; resolves when that loop has ended. Starts nothing once the poller is disposed.
   */
  apply(id: string): Promise<void>;
  /** What the reads of a router since its loop began say of the connections between them; null when it has none. */
  findUnseenCounts(id: string): UnseenCounts | null;
  /** Resolves when no cycle is running. */
  settled(): Promise<void>;
}

interface Loop {
  stop: AbortController;
  ended: Promise<void>;
}

/** Tables of two routers that were read within so many intervals are compared. */
const comparedIntervals = 2;
/** Failures that another try can only make worse: locked-out owners, wrong secrets typed again. */
const waitsForEdit = new Set(['auth_failed', 'escalation_failed']);

export function startPoller(options: PollerOptions): Poller {
  const { registry, statuses, clock, log } = options;
  const slots = new Semaphore(limits.pollConcurrent);
  const loops = new Map<string, Loop>();
  const restarts = new Map<string, Promise<void>>();
  const unseen = new Map<string, UnseenCounts>();
  const running = new Set<Promise<void>>();
  const series = createSeries(comparedIntervals * options.intervalMs);
  const state = { isClosed: false };

  const find = (id: string) => registry.list().find((router) => router.id === id);
  /** A loop that was stopped changes nothing: what it read is not what the record names now. */
  const setStatus = (record: RouterRecord, signal: AbortSignal, change: (before: RouterStatus) => RouterStatus) => {
    if (!signal.aborted) {
      statuses.set(record.id, change(statuses.of(record)));
      options.onStatus?.();
    }
  };

  const start = (id: string, index: number) => {
    const stop = new AbortController();
    const ended = pollForever(id, index, stop.signal).catch((error) => {
      log.error({ routerId: id, err: error }, 'the poll loop of a router ended');
    });
    loops.set(id, { stop, ended });
  };

  async function pollForever(id: string, index: number, signal: AbortSignal): Promise<void> {
    const counts = new UnseenCounts(options.intervalMs);
    unseen.set(id, counts);
    const cycle = createCycle({ registry, clock, settleMs: options.settleMs, unseen: counts });
    let failures = 0;
    try {
      await pause(clock, (index * options.intervalMs) / limits.routers, signal);
      while (!signal.aborted) {
        const startedAt = clock.now();
        const turn = slots.use(() => pollOnce(id, cycle, signal), signal);
        const polled = await untilAborted(signal, tracked(running, turn));
        if (!polled) {
          return;
        }
        failures = polled.outcome === 'ok' ? 0 : failures + 1;
        const waitMs = Math.min(
          options.intervalMs * 2 ** failures,
          Math.max(limits.pollBackOffMaxMs, options.intervalMs),
        );
        const nextPollAt = failures === 0 ? startedAt + options.intervalMs : clock.now() + waitMs;
        setStatus(polled.record, signal, (before) => ({ ...before, nextPollAt }));
        // The clock may have been put back during the poll.
        await pause(clock, Math.min(nextPollAt - clock.now(), waitMs), signal);
      }
    } finally {
      await cycle[Symbol.asyncDispose]();
    }
  }

  /** One poll by the record as it is now; `null` when there is to be no other one. */
  async function pollOnce(id: string, cycle: Cycle, signal: AbortSignal): Promise<Polled | null> {
    const record = find(id);
    if (!record?.enabled) {
      return null;
    }
    try {
      const collected = await withDeadline(clock, limits.pollCycleMs, tookTooLong, signal, (inner) =>
        cycle.collect(record, inner),
      );
      signal.throwIfAborted();
      await keep(record, collected);
      if (collected.failure) {
        throw collected.failure;
      }
      setStatus(record, signal, (before) => afterSuccess(before, collected.snapshot, clock.now()));
      return { record, outcome: 'ok' };
    } catch (error) {
      await cycle.drop();
      signal.throwIfAborted();
      const failure = error instanceof ShellError ? error.failure : 'save_failed';
      const again = !waitsForEdit.has(failure);
      const message = failure === 'save_failed' ? notStored(error) : messageOf(error);
      setStatus(record, signal, (before) => afterFailure(before, failure, message, again, clock.now(), error));
      log.warn({ routerId: id, failure, err: error instanceof ShellError ? undefined : error }, message);
      return again ? { record, outcome: 'failed' } : null;
    }
  }

  async function keep(record: RouterRecord, collected: Collected): Promise<void> {
    const { id: observerId, kind } = record;
    const { snapshot, observations, ends, now } = collected;
    const cover = options.coverPoll(pollReport(record, collected, statuses.of(record)));
    const shown = snapshot?.complete ? await series.read(observerId, snapshot.sessions, now) : null;
    const alsoWrite = function* (writer: Writer): WriteSteps<void> {
      yield* cover(writer);
      if (shown) {
        yield* options.writeTranslated(writer, shown.translated);
      }
    };
    await options.record({ routerId: observerId, kind, observations, ends, now, alsoWrite });
    collected.recorded();
    shown?.stored();
    const { neighbours, leases, neighboursAt } = snapshot ?? { neighbours: null, leases: null, neighboursAt: null };
    await options.reportLan({ observerId, kind, neighbours, leases, now: neighboursAt ?? now });
    collected.reported();
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
    apply(id) {
      stop(id);
      statuses.delete(id);
      series.forget(id);
      unseen.delete(id);
      const restarted = restarts.get(id) ?? restart(id);
      restarts.set(id, restarted);
      return restarted;
    },
    findUnseenCounts: (id) => unseen.get(id) ?? null,
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

function pollReport(record: RouterRecord, { snapshot, now }: Collected, { failure }: RouterStatus): PollReport {
  const missed = snapshot ? snapshot.unparsed.count + snapshot.unsupported.count : 0;
  const isComplete = snapshot?.complete ?? false;
  return { router: routerSubject(record), at: now, isComplete, missed, failure };
}

interface Polled {
  record: RouterRecord;
  outcome: 'ok' | 'failed';
}

/** What the state of a router says when the hub could not store what the router showed. */
function notStored(error: unknown): string {
  const file = fileWithoutRoom(error);
  return file === null
    ? `What this router showed could not be stored by this hub: ${messageOf(error)}. The next poll tries again.`
    : `The hub's own disk is full: what this router showed could not be stored in ${file}. Free some space on that disk; the next poll tries again.`;
}

function tookTooLong(): ShellError {
  return new ShellError('timed_out', `the poll took longer than ${limits.pollCycleMs / 1000} s and was given up.`);
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

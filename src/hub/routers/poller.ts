// One loop per enabled router: staggered, at most three at once, each cycle bounded, a failing router alone backs off.
import { limits } from '#contract/limits.ts';
import { type Clock, withDeadline } from '#kernel/clock.ts';
import { messageOf } from '#kernel/errors.ts';
import { Slots } from '#kernel/limiter.ts';
import type { Log } from '#kernel/log.ts';
import type { Observation, Recorded } from '../connections/observation.ts';
import type { RouterRecord } from '../settings/schema.ts';
import { type Collected, type Cycle, createCycle } from './cycle.ts';
import { type Lease, type Neighbour, type RouterKind, ShellError } from './driver.ts';
import type { Registry } from './registry.ts';
import { afterFailure, afterSuccess, firstStatus, type RouterStatus } from './runtime.ts';

export interface PollerOptions {
  registry: Registry;
  clock: Clock;
  log: Log;
  intervalMs: number;
  record(batch: {
    routerId: string;
    kind: RouterKind;
    observations: readonly Observation[];
    now: number;
  }): Promise<Recorded>;
  /** After each `record`: what the router told of its LAN; null where this poll did not ask. */
  reportLan(report: {
    observerId: string;
    kind: RouterKind;
    neighbours: readonly Neighbour[] | null;
    leases: readonly Lease[] | null;
    now: number;
  }): Promise<void>;
  /** The status or the record of a router changed. */
  onStatus?: () => void;
}

export interface Poller extends AsyncDisposable {
  status(id: string): RouterStatus;
  /** Starts, stops or restarts this router's loop after its record was made, changed or removed. */
  apply(id: string): Promise<void>;
  /** Resolves when no cycle is running. */
  settled(): Promise<void>;
}

interface Loop {
  stop: AbortController;
  ended: Promise<void>;
}

/** Failures that another try can only make worse: locked-out owners, wrong secrets typed again. */
const waitsForEdit = new Set(['auth_failed', 'escalation_failed']);

export function startPoller(options: PollerOptions): Poller {
  const { registry, clock, log } = options;
  const slots = new Slots(limits.pollConcurrent);
  const loops = new Map<string, Loop>();
  const statuses = new Map<string, RouterStatus>();
  const running = new Set<Promise<void>>();

  const status = (id: string): RouterStatus => {
    const known = statuses.get(id) ?? firstStatus(registry.get(id));
    statuses.set(id, known);
    return known;
  };
  const setStatus = (id: string, next: RouterStatus) => {
    statuses.set(id, next);
    options.onStatus?.();
  };

  const start = (record: RouterRecord, index: number) => {
    const stop = new AbortController();
    const loop = pollForever(record.id, index, stop.signal).catch((error) => {
      log.error({ routerId: record.id, err: error }, 'the poll loop of a router ended');
    });
    loops.set(record.id, { stop, ended: loop });
  };

  async function pollForever(id: string, index: number, signal: AbortSignal): Promise<void> {
    const cycle = createCycle({ registry, clock });
    let failures = 0;
    try {
      await pause(clock, (index * options.intervalMs) / limits.routers, signal);
      while (!signal.aborted) {
        const startedAt = clock.now();
        const outcome = await tracked(
          running,
          slots.use(() => pollOnce(id, cycle, signal)),
        );
        failures = outcome === 'ok' ? 0 : failures + 1;
        if (outcome === 'stop') {
          return;
        }
        const waitMs = Math.min(
          options.intervalMs * 2 ** failures,
          Math.max(limits.pollBackOffMaxMs, options.intervalMs),
        );
        const nextAt = failures === 0 ? startedAt + options.intervalMs : clock.now() + waitMs;
        setStatus(id, { ...status(id), nextPollAt: nextAt });
        await pause(clock, Math.max(0, nextAt - clock.now()), signal);
      }
    } finally {
      await cycle[Symbol.asyncDispose]();
    }
  }

  async function pollOnce(id: string, cycle: Cycle, signal: AbortSignal): Promise<'ok' | 'again' | 'stop'> {
    if (signal.aborted) {
      return 'stop';
    }
    const record = registry.get(id);
    try {
      const collected = await withDeadline(clock, limits.pollCycleMs, tookTooLong, signal, (inner) =>
        cycle.collect(record, inner),
      );
      await keep(record, collected);
      if (collected.failure) {
        throw collected.failure;
      }
      setStatus(id, afterSuccess(status(id), collected.snapshot, clock.now()));
      return 'ok';
    } catch (error) {
      await cycle.drop();
      if (signal.aborted) {
        return 'stop';
      }
      const failure = error instanceof ShellError ? error.failure : 'save_failed';
      const again = !waitsForEdit.has(failure);
      setStatus(id, afterFailure(status(id), failure, messageOf(error), again, clock.now()));
      log.warn({ routerId: id, failure, err: error instanceof ShellError ? undefined : error }, messageOf(error));
      return again ? 'again' : 'stop';
    }
  }

  async function keep(record: RouterRecord, { snapshot, observations, now }: Collected): Promise<void> {
    const { id: observerId, kind } = record;
    await options.record({ routerId: observerId, kind, observations, now });
    const { neighbours, leases } = snapshot ?? { neighbours: null, leases: null };
    await options.reportLan({ observerId, kind, neighbours, leases, now });
  }

  async function end(id: string): Promise<void> {
    const loop = loops.get(id);
    loops.delete(id);
    loop?.stop.abort(new Error('stopped'));
    await loop?.ended;
  }

  for (const [index, record] of registry.list().entries()) {
    if (record.enabled) {
      start(record, index);
    }
  }
  return {
    status,
    async apply(id) {
      await end(id);
      statuses.delete(id);
      const record = registry.list().find((router) => router.id === id);
      if (record?.enabled) {
        start(record, 0);
      }
      options.onStatus?.();
    },
    async settled() {
      while (running.size > 0) {
        await Promise.all(running);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...loops.keys()].map(end));
    },
  };
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
  if (ms <= 0 || signal.aborted) {
    return;
  }
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}

// Prune jobs: one runs at a time, in a thread; the last ones stay readable
// (docs/reference/wire-contract/3-records.md#39-backup-records).
import type { BackupConfig, PruneJob, PrunePlan, PruneResult, PruneStatus } from '#contract/backup.ts';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import { runTask } from '#kernel/process/task-thread.ts';
import { createId } from '#kernel/text/secret.ts';
import { type Clock, isoTime } from '#kernel/time/clock.ts';
import { describeCause } from '../../refusals.ts';
import { createStatement, type Statement, toFacts } from '../../statements.ts';
import type { Verdicts } from '../backup/inventory.ts';
import type { StorageTasks } from '../tasks.ts';
import { type PruneProgress, type PruneTask, toPruneResult } from './work.ts';

export interface StartPrune {
  execute: boolean;
  source: 'manual' | 'automatic';
  /** Hash of the preview that an execution must match; absent: the last preview. */
  planHash?: string | undefined;
}

export type PruneJobs = ReturnType<typeof createPruneJobs>;

interface Options {
  clock: Clock;
  log: Log;
  /** Folder of the generations. */
  folder: string;
  databaseFile: string;
  config: () => BackupConfig;
  verdicts: Verdicts;
  timeoutMs?: number | undefined;
}

type Progress = Exclude<PruneProgress, { verdict: unknown }>;

/** A job that runs. A change replaces `job`, so that an answer with an earlier `job` does not change. */
class RunningJob {
  readonly deleted: PruneResult['deleted'] = [];
  readonly stop = new AbortController();
  /** Why it is told to stop; null while it is not. */
  reason: Statement | null = null;
  readonly #clock: Clock;
  #job: PruneJob;

  constructor(clock: Clock, options: Pick<StartPrune, 'execute' | 'source'>) {
    const now = isoTime(clock.now());
    this.#clock = clock;
    this.#job = {
      id: createId(),
      operation: options.execute ? 'execute' : 'preview',
      source: options.source,
      status: 'running',
      startedAt: now,
      updatedAt: now,
      finishedAt: null,
      progress: { phase: 'queued', completed: 0, total: 0, verifiedBytes: 0, totalBytes: 0 },
      errorFacts: [],
    };
  }

  get job(): PruneJob {
    return this.#job;
  }

  report(progress: Progress): void {
    const { deleted, ...shown } = { deleted: undefined, ...progress };
    if (deleted) {
      this.deleted.push(deleted);
    }
    this.#change({ progress: { ...this.#job.progress, ...shown } });
  }

  /** Tells the thread to stop. */
  end(status: PruneStatus, reason: Statement): void {
    this.reason = reason;
    this.#change({ status });
    this.stop.abort(new Error(reason.sentence));
  }

  finish(changes: Partial<PruneJob>): PruneJob {
    this.#change({ ...changes, finishedAt: isoTime(this.#clock.now()) });
    return this.#job;
  }

  #change(changes: Partial<PruneJob>): void {
    this.#job = { ...this.#job, ...changes, updatedAt: isoTime(this.#clock.now()) };
  }
}

const module = new URL('../tasks.ts', import.meta.url).href;

export function createPruneJobs(options: Options) {
  const { clock, log, config, verdicts, timeoutMs = limits.pruneTimeoutMs } = options;
  const ended: PruneJob[] = [];
  const state: { running: RunningJob | null; done: Promise<void>; plan: PrunePlan | null } = {
    running: null,
    done: Promise.resolve(),
    plan: null,
  };
  const report = (running: RunningJob, progress: PruneProgress) => {
    if ('verdict' in progress) {
      const { stored, integrity, error } = progress.verdict;
      verdicts.note(stored, integrity, error);
    } else {
      running.report(progress);
    }
  };
  const finish = (running: RunningJob, changes: Partial<PruneJob>) => {
    state.running = null;
    ended.unshift(running.finish(changes));
    ended.splice(limits.pruneJobs);
  };
  const endEarly = (running: RunningJob, { execute }: PruneTask, reason: Statement, cause?: unknown) => {
    const { status: before } = running.job;
    const status = before === 'cancelling' ? 'cancelled' : before === 'timing_out' ? 'timed_out' : 'failed';
    const result = execute === null ? {} : readPruneResult(options, running.deleted);
    finish(running, { status, error: reason.sentence, errorFacts: toFacts(reason), ...result });
    log.warn({ err: cause }, reason.sentence);
  };
  const run = async (running: RunningJob, task: PruneTask) => {
    const timer = new AbortController();
    const end = () => running.end('timing_out', toLate(timeoutMs / 1000));
    void clock.sleep(timeoutMs, timer.signal).then(end, () => undefined);
    try {
      const result = await runTask<StorageTasks, 'prune'>(module, 'prune', task, {
        signal: running.stop.signal,
        report: (progress: never) => report(running, progress),
      });
      if ('sentence' in result) {
        endEarly(running, task, result);
        return;
      }
      if ('planHash' in result) {
        state.plan = result;
      }
      finish(running, { status: 'completed', result });
    } catch (error) {
      endEarly(running, task, running.reason ?? toFailure(error), error);
    } finally {
      timer.abort();
    }
  };
  const find = (id: string) => {
    const job = state.running?.job.id === id ? state.running.job : ended.find((one) => one.id === id);
    if (!job) {
      throw new AppError('not_found', 'there is no cleanup with this id: GET /api/backup/list shows the last one');
    }
    return job;
  };
  return {
    /** Throws AppError `prune_running`, or `prune_preview_required` for an execution by hand without a preview. */
    start({ execute, source, planHash }: StartPrune) {
      if (state.running) {
        const details = { job: state.running.job };
        throw new AppError('prune_running', 'a cleanup is running: wait for its end, or cancel it', { details });
      }
      const bound = execute && source === 'manual' ? checkPreview(state.plan, planHash) : 'any';
      const running = new RunningJob(clock, { execute, source });
      state.running = running;
      // A preview is good for one execution.
      state.plan = null;
      const { folder, databaseFile } = options;
      const now = clock.now();
      state.done = run(running, { folder, databaseFile, config: config(), execute: execute ? bound : null, now });
      return running.job;
    },
    /** Throws AppError `not_found`. */
    read: find,
    /** Throws AppError `not_found`, or `prune_ended`. */
    cancel(id: string) {
      const job = find(id);
      if (state.running?.job.id !== id || job.status !== 'running') {
        const details = { job };
        throw new AppError('prune_ended', 'this cleanup has ended or is ending: there is nothing to cancel', {
          details,
        });
      }
      state.running.end('cancelling', createStatement('prune_cancelled', 'The cleanup was stopped.'));
      return state.running.job;
    },
    /** Returns the running job, else the one that ended last; null before the first. */
    latest: () => state.running?.job ?? ended[0] ?? null,
    isRunning: () => state.running !== null,
    settled: () => state.done,
    async [Symbol.asyncDispose]() {
      if (state.running?.job.status === 'running') {
        const sentence = 'The cleanup was ended because the hub stops.';
        state.running.end('cancelling', createStatement('prune_hub_stops', sentence));
      }
      await state.done;
    },
  };
}

/** Returns what an execution that ended early has deleted, and what is left; nothing when the folder cannot be read. */
function readPruneResult(options: Options, deleted: PruneResult['deleted']): Pick<PruneJob, 'result'> {
  try {
    return { result: toPruneResult(options, deleted) };
  } catch (err) {
    options.log.warn({ err, deleted }, 'The folder of the backups could not be read at the end of a cleanup.');
    return {};
  }
}

function toLate(seconds: number): Statement {
  const sentence = `The cleanup was ended because it took longer than ${seconds} seconds.`;
  return createStatement('prune_late', sentence, { seconds });
}

function toFailure(error: unknown): Statement {
  const about = describeCause(error);
  return createStatement('prune_failed', `The cleanup failed (${about.detail}).`, about);
}

/** Returns the hash of the plan that an execution is bound to. Throws when there is no preview of it. */
function checkPreview(plan: PrunePlan | null, planHash: string | undefined): string {
  if (plan === null || (planHash !== undefined && planHash !== plan.planHash)) {
    const remedy = 'ask for one first, POST /api/backup/prune {"execute": false}';
    throw new AppError('prune_preview_required', `there is no preview of what this would delete: ${remedy}`);
  }
  return plan.planHash;
}

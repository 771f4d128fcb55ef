// Prune jobs: one runs at a time, in a thread; the last ones that ended are remembered
// (docs/reference/wire-contract/3-records.md#39-backup-records).
import type { BackupConfig, PruneJob, PrunePlan, PruneResult, PruneStatus } from '#contract/backup.ts';
import { limits } from '#contract/limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import { runTask } from '#kernel/process/task-thread.ts';
import { createId } from '#kernel/text/secret.ts';
import { type Clock, isoTime } from '#kernel/time/clock.ts';
import type { Verdicts } from '../backup/inventory.ts';
import type { StorageTasks } from '../tasks.ts';
import { type PruneProgress, type PruneTask, resultOf } from './work.ts';

export interface StartPrune {
  execute: boolean;
  source: 'manual' | 'automatic';
  /** Of the preview that an execution is bound to; the last one when absent. */
  planHash?: string | undefined;
}

export interface PruneJobs extends AsyncDisposable {
  /** Throws AppError `prune_running`, or `prune_preview_required` for an execution by hand without a preview. */
  start(options: StartPrune): PruneJob;
  /** Throws AppError `not_found`. */
  read(id: string): PruneJob;
  /** Throws AppError `not_found`, or `prune_ended`. */
  cancel(id: string): PruneJob;
  /** The running one, else the one that ended last. */
  latest(): PruneJob | null;
  isRunning(): boolean;
  settled(): Promise<unknown>;
}

interface Options {
  clock: Clock;
  log: Log;
  /** Of the generations. */
  folder: string;
  databaseFile: string;
  config: () => BackupConfig;
  verdicts: Verdicts;
  timeoutMs?: number | undefined;
}

/** A job as it changes; what it shows is a copy. */
interface Running {
  job: PruneJob;
  deleted: PruneResult['deleted'];
  stop: AbortController;
}

const module = new URL('../tasks.ts', import.meta.url).href;

export function createPruneJobs(options: Options): PruneJobs {
  const { clock, log, config, verdicts, timeoutMs = limits.pruneTimeoutMs } = options;
  const ended: PruneJob[] = [];
  const state: { running: Running | null; done: Promise<void>; plan: PrunePlan | null } = {
    running: null,
    done: Promise.resolve(),
    plan: null,
  };
  const now = () => isoTime(clock.now());
  const change = (running: Running, changed: Partial<PruneJob>) => {
    running.job = { ...running.job, ...changed, updatedAt: now() };
  };
  const noted = (running: Running, progress: PruneProgress) => {
    if ('verdict' in progress) {
      const { stored, integrity, error } = progress.verdict;
      verdicts.note(stored, integrity, error);
      return;
    }
    const { deleted, ...shown } = { deleted: undefined, ...progress };
    if (deleted) {
      running.deleted.push(deleted);
    }
    change(running, { progress: { ...running.job.progress, ...shown } });
  };
  const end = (running: Running, status: PruneStatus, reason: string) => {
    change(running, { status });
    running.stop.abort(new Error(reason));
  };
  const finish = (running: Running, status: PruneStatus, more: Partial<PruneJob>) => {
    change(running, { status, finishedAt: now(), ...more });
    state.running = null;
    ended.unshift(running.job);
    ended.splice(limits.pruneJobs);
  };
  const run = async (running: Running, task: PruneTask) => {
    const timer = new AbortController();
    const late = () => end(running, 'timing_out', `it took longer than ${timeoutMs / 1000} seconds`);
    void clock.sleep(timeoutMs, timer.signal).then(late, () => undefined);
    try {
      const { signal } = running.stop;
      const report = (progress: never) => noted(running, progress);
      const result = await runTask<StorageTasks, 'prune'>(module, 'prune', task, { signal, report });
      if ('planHash' in result) {
        state.plan = result;
      }
      finish(running, 'completed', { result });
    } catch (error) {
      const { status } = running.job;
      const after = status === 'cancelling' ? 'cancelled' : status === 'timing_out' ? 'timed_out' : 'failed';
      const result = task.execute === null ? {} : { result: resultOf(options, running.deleted) };
      finish(running, after, { error: messageOf(error), ...result });
      log.warn({ err: error }, `a cleanup of backups ended early (${messageOf(error)})`);
    } finally {
      timer.abort();
    }
  };
  const found = (id: string) => {
    const job = state.running?.job.id === id ? state.running.job : ended.find((one) => one.id === id);
    if (!job) {
      throw new AppError('not_found', 'there is no cleanup with this id: GET /api/backup/list shows the last one');
    }
    return job;
  };
  return {
    start({ execute, source, planHash }) {
      if (state.running) {
        const details = { job: state.running.job };
        throw new AppError('prune_running', 'a cleanup is running: wait for its end, or cancel it', { details });
      }
      const bound = execute && source === 'manual' ? boundTo(state.plan, planHash) : null;
      const at = now();
      const progress = { phase: 'queued', completed: 0, total: 0, verifiedBytes: 0, totalBytes: 0 } as const;
      const operation = execute ? 'execute' : 'preview';
      const times = { startedAt: at, updatedAt: at, finishedAt: null };
      const job: PruneJob = { id: createId(), operation, source, status: 'running', ...times, progress };
      const running: Running = { job, deleted: [], stop: new AbortController() };
      state.running = running;
      // A preview is good for one execution.
      state.plan = null;
      const { folder, databaseFile } = options;
      state.done = run(running, {
        folder,
        databaseFile,
        config: config(),
        execute: execute ? (bound ?? 'any') : null,
        now: clock.now(),
      });
      return job;
    },
    read: found,
    cancel(id) {
      const job = found(id);
      if (state.running?.job.id !== id || job.status !== 'running') {
        throw new AppError('prune_ended', 'this cleanup is not running any more: there is nothing to cancel', {
          details: { job },
        });
      }
      end(state.running, 'cancelling', 'it was cancelled');
      return state.running.job;
    },
    latest: () => state.running?.job ?? ended[0] ?? null,
    isRunning: () => state.running !== null,
    settled: () => state.done,
    async [Symbol.asyncDispose]() {
      if (state.running?.job.status === 'running') {
        end(state.running, 'cancelling', 'the hub is stopping');
      }
      await state.done;
    },
  };
}

/** The hash of the plan that an execution is bound to. */
function boundTo(plan: PrunePlan | null, planHash: string | undefined): string {
  if (plan === null || (planHash !== undefined && planHash !== plan.planHash)) {
    throw new AppError(
      'prune_preview_required',
      'there is no preview of what this would delete: ask for one first, POST /api/backup/prune {"execute": false}',
    );
  }
  return plan.planHash;
}

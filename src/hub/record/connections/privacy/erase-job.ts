// Runs one erasure at a time. The last one can be read until the hub stops.
import type { EraseJob, PrivacyRule } from '#contract/privacy.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { createId } from '#kernel/text/secret.ts';
import type { Base } from '../../../base/feature.ts';
import { eraseHeldAddresses } from './erase.ts';
import { listHeldAddresses } from './holdings.ts';
import type { Marks } from './marks.ts';

interface Options extends Pick<Base, 'db' | 'clock' | 'log' | 'signals'> {
  marks: Marks;
  /** Number of backups in the folder of this hub. */
  countBackups: () => number;
}

export type EraseJobs = ReturnType<typeof createEraseJobs>;

export function createEraseJobs({ db, clock, log, signals, marks, countBackups }: Options) {
  const stop = new AbortController();
  const state: { job: EraseJob | null; done: Promise<void> } = { job: null, done: Promise.resolve() };
  const change = (changes: Partial<EraseJob>) => {
    state.job = state.job && { ...state.job, ...changes };
  };
  const run = async (rule: PrivacyRule, before: number) => {
    try {
      const erased = await eraseHeldAddresses(db, {
        holdings: listHeldAddresses(db, rule, marks),
        before,
        now: clock.now(),
        enter: (phase) => change({ phase }),
        signal: stop.signal,
      });
      change({ status: 'completed', erased, finishedAt: clock.now() });
    } catch (err) {
      log.error({ err, ruleId: rule.id }, 'an erasure failed; what it erased before stays erased');
      change({ status: 'failed', error: messageOf(err), finishedAt: clock.now() });
    }
    // Also after a failure: parts may be erased.
    signals.emit('logErased');
  };
  return {
    latest: () => state.job,
    /** Throws AppError `erase_running` while another one runs. */
    start(rule: PrivacyRule, before: number): EraseJob {
      if (state.job?.status === 'running') {
        throw new AppError('erase_running', 'an erasure is running: wait for its end, GET /api/privacy/erase shows it');
      }
      const job: EraseJob = {
        id: createId(),
        ruleId: rule.id,
        status: 'running',
        startedAt: clock.now(),
        finishedAt: null,
        phase: 'hours',
        error: null,
        erased: { connections: 0, destinations: 0, alerts: 0 },
        remains: countCopiesLeft(db, countBackups()),
      };
      state.job = job;
      state.done = run(rule, before);
      return job;
    },
    settled: () => state.done,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the hub stops'));
      await state.done;
    },
  };
}

function countCopiesLeft(db: Pick<Base['db'], 'prepare'>, backups: number): EraseJob['remains'] {
  const count = (table: 'sink_hour' | 'ai_conversation' | 'ai_event') =>
    db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  return { backups, clickhouseHours: count('sink_hour'), conversations: count('ai_conversation') + count('ai_event') };
}

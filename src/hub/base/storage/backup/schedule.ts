// Backups by the clock: one is due when the newest generation is older than the interval. A job
// checks this often: a timer for the whole interval may be longer than timers can be.

import type { BackupConfig } from '#contract/backup.ts';
import { limits } from '#contract/limits.ts';
import type { Log } from '#kernel/process/log.ts';
import { type Clock, elapsed } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import { hourMs } from '#kernel/time/time.ts';
import { describeCause } from '../../refusals.ts';
import { createStatement, type Statement } from '../../statements.ts';
import { isFromAhead, readInventory } from './inventory.ts';

interface Options {
  clock: Clock;
  log: Log;
  /** Folder of the generations. */
  folder: string;
  config: () => Pick<BackupConfig, 'intervalHours'>;
  create(): Promise<unknown>;
}

export function startSchedule({ clock, log, folder, config, create }: Options) {
  const state: { warning: Statement | null; failedAt: number } = { warning: null, failedAt: Number.NEGATIVE_INFINITY };
  const isDue = () => {
    const now = clock.now();
    if (elapsed(state.failedAt, now) < limits.backupRetryMs) {
      return false;
    }
    const newest = readInventory(folder, now).findLast(({ kind }) => kind === 'normal');
    return (
      newest === undefined ||
      isFromAhead(newest.createdAt, now) ||
      now - newest.createdAt >= config().intervalHours * hourMs
    );
  };
  const job = startJob(clock, log, {
    name: 'the scheduled backup',
    firstMs: limits.backupDueFirstMs,
    everyMs: limits.backupDueEveryMs,
    async run(signal) {
      if (!isDue()) {
        return;
      }
      try {
        await create();
        state.warning = null;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        state.failedAt = clock.now();
        const about = describeCause(error);
        const sentence = `the scheduled backup failed (${about.detail}): it is tried again in an hour`;
        state.warning = createStatement('backup_not_made', sentence, about);
        log.error({ err: error }, sentence);
      }
    },
  });
  return {
    /** Why the last scheduled backup failed; null when it did not. */
    warning: () => state.warning,
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

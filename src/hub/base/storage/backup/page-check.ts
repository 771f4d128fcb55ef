// Compares the newest generation with its checksums from time to time: a backup that has rotted is found before it is needed.
import { limits } from '#contract/limits.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import { createStatement, type Statement } from '../../statements.ts';
import type { Alarm } from '../damage/alarm.ts';
import { runStorageTask } from '../task.ts';
import { readInventory, type Verdicts } from './inventory.ts';

interface Options {
  clock: Clock;
  log: Log;
  /** Folder of the generations. */
  folder: string;
  verdicts: Verdicts;
  alarm: Alarm;
}

export function startPageCheck({ clock, log, folder, verdicts, alarm }: Options) {
  const state: { damaged: { file: string; warning: Statement } | null } = { damaged: null };
  const job = startJob(clock, log, {
    name: 'the check of the newest generation',
    firstMs: limits.backupCheckFirstMs,
    everyMs: limits.backupCheckEveryMs,
    async run(signal) {
      const newest = readInventory(folder, clock.now()).at(-1);
      if (newest === undefined) {
        return;
      }
      const fault = await runStorageTask('verify', newest, { signal });
      verdicts.note(newest, fault === null ? 'ok' : 'failed', fault);
      state.damaged = null;
      if (fault !== null) {
        const sentence = `the newest generation ${newest.name} is damaged (${fault.sentence}): make a new one, and look at the disk`;
        const values = { file: newest.name, detail: fault.sentence };
        state.damaged = { file: newest.file, warning: createStatement('backup_damaged', sentence, values) };
        await alarm.raise(newest.name, sentence);
      }
    },
  });
  return {
    /** The warning for `/api/status` about damage in the newest backup; null while no damage is known. */
    warning: () =>
      readInventory(folder, clock.now()).at(-1)?.file === state.damaged?.file ? (state.damaged?.warning ?? null) : null,
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

// Backups as a feature: made by hand and by the clock, verified, restored, pruned.
import type { Auth } from '../../auth/auth.ts';
import type { Base, Feature, HubHandlers } from '../../feature.ts';
import type { Alarm } from '../damage/alarm.ts';
import { createPruneJobs } from '../prune/jobs.ts';
import type { ReplaceDatabase } from '../restore/replacement.ts';
import { backupHandlers } from './handlers.ts';
import { createHook } from './hook.ts';
import { readInventory, Verdicts } from './inventory.ts';
import { describeBackups } from './metrics.ts';
import { createOperations } from './operations.ts';
import { startPageCheck } from './page-check.ts';
import { startSchedule } from './schedule.ts';

interface Peers {
  auth: Pick<Auth, 'audit' | 'toActor'>;
  alarm: Alarm;
  replace: ReplaceDatabase;
}

export function startBackupFeature(base: Base, { auth, alarm, replace }: Peers): Feature<Pick<HubHandlers, 'backup'>> {
  const { clock, log, folder, settings, options } = base;
  const config = () => settings.current().backup;
  const stack = new AsyncDisposableStack();
  const verdicts = new Verdicts();
  const hook = stack.use(createHook({ clock, log, program: options.backupHook ?? null }));
  const { databaseFile, backups } = folder;
  const pruning = { clock, log, folder: backups, databaseFile, config, verdicts };
  const jobs = stack.use(createPruneJobs({ ...pruning, timeoutMs: options.pruneTimeoutMs }));
  const made = ({ file }: { file: string }) => {
    hook.run(file);
    if (config().autoPrune && !jobs.isRunning()) {
      jobs.start({ execute: true, source: 'automatic' });
    }
  };
  const due = { clock, log, folder: backups, config };
  const operations = stack.use(createOperations({ base, replace, made, isPruning: () => jobs.isRunning() }));
  const handlers = { backup: backupHandlers({ base, auth, operations, hook, jobs, verdicts }) };
  const schedule =
    options.scheduledBackups === false ? null : stack.use(startSchedule({ ...due, create: operations.create }));
  const check = stack.use(startPageCheck({ clock, log, folder: backups, verdicts, alarm }));
  return {
    handlers,
    metrics: () => describeBackups(readInventory(backups), config(), clock.now()),
    status: () => ({ warnings: [schedule?.warning() ?? null, check.warning(), hook.warning()] }),
    settled: () => Promise.all([operations.settled(), jobs.settled(), hook.settled()]),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

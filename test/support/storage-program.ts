// One piece of the storage in a process of its own, to be killed: `start DIR` opens a data folder as the hub does,
// `prune DIR` deletes what the retention allows.
import { openDataFolder } from '#hub/base/storage/data-folder.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { prune } from '#hub/base/storage/prune/work.ts';
import { prepareStorage } from '#hub/base/storage/start.ts';
import { createLog } from '#kernel/process/log.ts';
import { systemClock } from '#kernel/time/clock.ts';

const [what, dataDir = ''] = process.argv.slice(2);
const log = createLog('hub', 'silent');
using folder = openDataFolder({ dataDir, log });
if (what === 'start') {
  const { replacement } = await prepareStorage({ folder, clock: systemClock, log });
  const db = openDatabase(folder.databaseFile);
  await db.close();
  replacement?.confirm();
} else {
  const config = { intervalHours: 24, maxGenerations: 2, maxBackupBytes: 0, autoPrune: false };
  const { backups, databaseFile } = folder;
  const task = { folder: backups, databaseFile, config, execute: 'any' as const, now: systemClock.now() };
  await prune(task, { signal: new AbortController().signal, report: () => undefined });
}

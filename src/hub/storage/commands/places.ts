// Where the files of a hub lie, for commands: the same variables and option as the hub.
import { readEnv } from '#kernel/env.ts';
import { createLog } from '#kernel/log.ts';
import { hubEnv } from '../../config.ts';
import { type DataFolder, openDataFolder } from '../data-folder.ts';
import { backupFolder, fileNames } from '../file-names.ts';

/** Lines of a usage. */
export const dataOption = "  --data DIR  folder of the hub's data (MONITOR_DATA_DIR; default ./data)";

function places(data: string | undefined) {
  const names = {
    MONITOR_DATA_DIR: true,
    MONITOR_CONFIG_PATH: true,
    MONITOR_DB_PATH: true,
    MONITOR_BACKUP_DIR: true,
  } as const;
  const env = readEnv(hubEnv.pick(names));
  return {
    dataDir: data ?? env.MONITOR_DATA_DIR,
    configPath: env.MONITOR_CONFIG_PATH,
    dbPath: env.MONITOR_DB_PATH,
    backupDir: env.MONITOR_BACKUP_DIR,
  };
}

/** To look only: the hub may run. */
export function lookAt(data: string | undefined) {
  const options = places(data);
  return { ...fileNames(options), backups: backupFolder(options) };
}

/** To change: throws an Error that names the hub that is running. */
export function openStopped(data: string | undefined): DataFolder {
  return openDataFolder({ ...places(data), log: createLog('backup', 'silent') });
}

/** A line of progress, on a terminal only. */
export function progress(step: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`${step} …\n`);
  }
}

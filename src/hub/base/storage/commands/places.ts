// Where the files of a hub lie, for commands: the same variables and option as the hub.
import { existsSync, lchownSync, lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { namesIn } from '#kernel/files/files.ts';
import { readEnv } from '#kernel/process/env.ts';
import { createLog } from '#kernel/process/log.ts';
import { hubEnv } from '../../config.ts';
import { type DataFolder, openDataFolder } from '../data-folder.ts';
import { toBackupFolder, toFileNames } from '../file-names.ts';

/** Lines of a usage. */
export const dataOption = "  --data DIR  folder of the hub's data (MONITOR_DATA_DIR; default ./data)";

function readPlaces(data: string | undefined) {
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

/** For commands that only read: the hub may run. */
export function locateFiles(data: string | undefined) {
  const options = readPlaces(data);
  return { ...toFileNames(options), backups: toBackupFolder(options) };
}

/** Returns the database file. Throws an Error when there is none. */
export function findDatabase(data: string | undefined): string {
  const { databaseFile } = locateFiles(data);
  if (!existsSync(databaseFile)) {
    throw new Error(`${databaseFile} does not exist: name the folder of the hub's data with --data`);
  }
  return databaseFile;
}

/** For commands that write: throws an Error that names a running hub. Files that root creates are given to the user of the hub. */
export function openStopped(data: string | undefined): DataFolder {
  const options = readPlaces(data);
  const folder = openDataFolder({ ...options, log: createLog('backup', 'silent') });
  return {
    ...folder,
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
      giveToOwner(options.dataDir, [options.dataDir, folder.backups]);
    },
  };
}

/** Gives files and folders in `folders` that belong to root to the owner of `dataDir`. */
function giveToOwner(dataDir: string, folders: readonly string[]): void {
  const { uid, gid } = statSync(dataDir);
  if (process.getuid?.() !== 0) {
    return;
  }
  for (const file of folders.flatMap((folder) => [folder, ...namesIn(folder).map((name) => path.join(folder, name))])) {
    if (lstatSync(file, { throwIfNoEntry: false })?.uid === 0) {
      lchownSync(file, uid, gid);
    }
  }
}

/** A line of progress, on a terminal only. */
export function reportProgress(step: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`${step} …\n`);
  }
}

// The folder of the hub's files: made when absent, held by one hub at a time, and private.
import path from 'node:path';
import type { Fact, FactCode } from '#contract/facts.ts';
import { messageOf } from '#kernel/errors.ts';
import { findLockHolder, takeFileLock } from '#kernel/files/file-lock.ts';
import { makeFolder } from '#kernel/files/make-folder.ts';
import { folderWarning, makePrivate, removeStaleTempFiles } from '#kernel/files/private-files.ts';
import type { Log } from '#kernel/process/log.ts';
import type { HubOptions } from '../config.ts';
import { describeCause } from '../refusals.ts';
import { createStatement, type Statement } from '../statements.ts';
import { toBackupFolder, toFileNames } from './file-names.ts';
import { toFlowStoreFile } from './flow-store-file.ts';

export interface DataFolder extends Disposable {
  readonly documentFile: string;
  readonly databaseFile: string;
  readonly keyFile: string;
  readonly notesFile: string;
  /** The folder of the generations. */
  readonly backups: string;
  /** What others than the owner could do here, and a missing backup folder. */
  readonly warnings: readonly Statement[];
}

/**
 * Locks the folder, and the settings and the database when they lie elsewhere; then makes the files private. Throws an
 * Error that names the process which has them, or what keeps the folder from being used.
 */
export function openDataFolder(
  options: Pick<HubOptions, 'dataDir' | 'configPath' | 'dbPath' | 'backupDir' | 'log'>,
): DataFolder {
  const { dataDir, configPath, dbPath, log } = options;
  makeDataFolder(dataDir);
  const backups = toBackupFolder(options);
  const noBackups = createBackupFolder(backups);
  using locks = new DisposableStack();
  takeLock(locks, path.join(dataDir, 'hub'), `the data directory ${path.resolve(dataDir)}`, log);
  for (const file of [configPath, dbPath]) {
    if (file !== undefined) {
      takeLock(locks, file, path.resolve(file), log);
    }
  }
  const files = toFileNames(options);
  // SQLite gives its log and index the mode of the database.
  const { databaseFile } = files;
  const written = [...Object.values(files), toFlowStoreFile(databaseFile)];
  const all = [...written, `${databaseFile}-wal`, `${databaseFile}-shm`];
  for (const file of [...written, path.join(dataDir, 'hub.pid')]) {
    removeStaleTempFiles(file);
  }
  const toWarning = (code: FactCode, sentence: string | null, values: Fact['values']) =>
    sentence === null ? null : createStatement(code, sentence, values);
  const warnings = [
    noBackups,
    toWarning('folder_exposed', folderWarning(dataDir), { folder: path.resolve(dataDir) }),
    ...all.map((file) => toWarning('file_exposed', makePrivate(file), { file })),
  ].filter((warning) => warning !== null);
  const held = locks.move();
  return {
    ...files,
    backups,
    warnings,
    [Symbol.dispose]: () => held.dispose(),
  };
}

function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir);
  } catch (cause) {
    throw new Error(`the data folder ${dataDir} cannot be made (${messageOf(cause)}): name another one with --data`, {
      cause,
    });
  }
}

/** Creates the folder. Returns a warning when it cannot: a missing backup disk must not stop the collection. */
function createBackupFolder(backups: string): Statement | null {
  try {
    makeFolder(backups);
    return null;
  } catch (error) {
    const about = describeCause(error);
    return createStatement(
      'backup_folder_missing',
      `the backup folder ${backups} cannot be made (${about.detail}): there are no backups until it can; see that its disk is there and this user may write to it`,
      { folder: backups, ...about },
    );
  }
}

function takeLock(locks: DisposableStack, name: string, what: string, log: Log): void {
  const taken = takeFileLock(name);
  if (taken === null) {
    const pid = findLockHolder(name);
    const holder = pid === null ? '' : ` (process ${pid})`;
    throw new Error(
      `another gatehouse hub${holder} is using ${what}: end it first, or give this one a folder of its own with --data`,
    );
  }
  locks.use(taken);
  if (taken.pidFileError !== null) {
    log.warn({ err: taken.pidFileError }, `the process id could not be noted in ${name}.pid`);
  }
}

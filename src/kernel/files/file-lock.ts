// A lock that one process holds at a time. The operating system releases it when the process ends.
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { createText, ifThere, removeIfPossible, writeText } from './files.ts';

export interface FileLock extends Disposable {
  /** The error when the process id could not be written, else null. The lock is held anyway. */
  readonly pidFileError: unknown;
}

/**
 * Locks `BASEPATH.lock`. Returns null when the lock is held already. Throws an Error when the file cannot be locked.
 *
 * SQLite locks the empty file, because Node.js offers no system lock. The process id is in `BASEPATH.pid`: to open and
 * close the locked file would end the lock (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
export function takeFileLock(basePath: string): FileLock | null {
  const database = openLocked(`${basePath}.lock`);
  if (database === null) {
    return null;
  }
  return {
    pidFileError: writeProcessId(`${basePath}.pid`),
    [Symbol.dispose]() {
      removeIfPossible(`${basePath}.pid`);
      database.close();
    },
  };
}

/** Returns the process id in `BASEPATH.pid`, or null. A killed process leaves its file, so the process may be gone. */
export function findLockHolder(basePath: string): number | null {
  const text = ifThere(() => readFileSync(`${basePath}.pid`, 'utf8'), '').trim();
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null;
}

/** Whether a process of any user has this id. */
export function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function openLocked(file: string): Database.Database | null {
  try {
    createText(file, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  }
  const database = new Database(file, { timeout: 0 });
  try {
    // A journal on disk would need space, which a full disk lacks.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      return null;
    }
    throw new Error(`${file} cannot be locked (${String(error)}): remove it if it is not empty, and try again`, {
      cause: error,
    });
  }
}

/** Returns the error instead of throwing it: the lock is held on a full disk too. */
function writeProcessId(file: string): unknown {
  try {
    writeText(file, `${process.pid}\n`);
    return null;
  } catch (error) {
    // The id of an earlier holder would name a process that does not hold the lock.
    removeIfPossible(file);
    return error;
  }
}

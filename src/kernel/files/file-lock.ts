// A lock held by one process at a time; the operating system releases it with the process.
import { readFileSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { createText, ifThere, writeText } from './files.ts';

export interface FileLock extends Disposable {
  /** The error when the process id could not be written, else null. The lock is held anyway. */
  readonly pidFileError: unknown;
}

/**
 * Takes the lock `NAME.lock`; null when another process holds it. Throws an Error when it cannot be taken at all.
 *
 * SQLite locks the empty file, because Node.js offers no system lock. The process id is in `NAME.pid`, because opening
 * and closing the locked file would end the lock (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
export function takeFileLock(name: string): FileLock | null {
  const database = openLocked(`${name}.lock`);
  if (database === null) {
    return null;
  }
  return {
    pidFileError: noteProcess(`${name}.pid`),
    [Symbol.dispose]() {
      rmSync(`${name}.pid`, { force: true });
      database.close();
    },
  };
}

/** Returns the process id in `NAME.pid`, or null. A killed process leaves its file, so the process may be gone. */
export function findLockHolder(name: string): number | null {
  const text = ifThere(() => readFileSync(`${name}.pid`, 'utf8'), '').trim();
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

/** Writes the process id. The lock can be taken on a full disk too, so a failure here is only reported. */
function noteProcess(file: string): unknown {
  try {
    writeText(file, `${process.pid}\n`);
    return null;
  } catch (error) {
    rmSync(file, { force: true });
    return error;
  }
}

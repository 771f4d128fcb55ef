// Writes that SQLite refuses: waiting for the lock of another program, and the error for the caller.
// In WAL mode `BEGIN IMMEDIATE` takes the one write lock, so nothing after it waits (https://sqlite.org/wal.html).
import { statfsSync } from 'node:fs';
import path from 'node:path';
import { AppError, messageOf } from '../errors.ts';
import { stopwatch, systemClock } from '../time/clock.ts';

/** How long SQLite waits for the lock in one try. It blocks the event loop meanwhile. */
export const lockTryMs = 10;
/** Pause between two tries, in which the event loop runs. */
const lockPauseMs = 40;
/** How long a write waits for the lock in all; SQLite's callers are used to five seconds. */
const lockWaitMs = 5000;
/** How long a write waits in all while the program ends. */
const lockWaitAtEndMs = 1000;

export interface LockTaker {
  /**
   * Repeats `begin` until it does not meet another program's lock. Throws SQLite's error when the lock was taken for five
   * seconds and `waited`, a stopwatch of the caller, shows as much: writes in a queue do not wait one after the other.
   */
  take(waited: () => number): Promise<void>;
  /** Limits waits to a second from now on. */
  hurry(): void;
}

export function createLockTaker(begin: () => void): LockTaker {
  let sinceTaken: (() => number) | null = null;
  let waitMs = lockWaitMs;
  return {
    async take(waited) {
      for (;;) {
        try {
          begin();
          sinceTaken = null;
          return;
        } catch (error) {
          if (!isBusy(error)) {
            throw error;
          }
          sinceTaken ??= stopwatch();
          if (Math.min(waited(), sinceTaken()) >= waitMs) {
            throw error;
          }
        }
        await systemClock.sleep(lockPauseMs);
      }
    },
    hurry() {
      waitMs = lockWaitAtEndMs;
    },
  };
}

/** Runs a checkpoint. What the disk refuses stays in the write-ahead log, for the next checkpoint or the next start. */
export function checkpointIfPossible(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!isRefused(error)) {
      throw error;
    }
  }
}

/** The checkpoint before a close. A damaged database is closed too: a restore waits until nobody has it open. */
export function checkpointAtEnd(run: () => void): void {
  try {
    checkpointIfPossible(run);
  } catch (error) {
    if (!isDamage(error)) {
      throw error;
    }
  }
}

/** The AppError for what SQLite refused to write to `file`; anything else as it is. */
export function refusedWrite(file: string, error: unknown): unknown {
  const name = path.basename(file);
  if (isBusy(error)) {
    return new AppError(
      'database_busy',
      `another program holds the write lock of ${name}: nothing was changed; end that program or its transaction, and try again`,
      { headers: { 'Retry-After': String(lockWaitMs / 1000) }, cause: new Refusal(file, error) },
    );
  }
  if (isRefused(error)) {
    const cause = new Refusal(file, error);
    const remedy = cause.isFull ? 'the disk is full: make room on it' : 'see that its disk has room and can be written';
    return new AppError(
      'save_failed',
      `${name} could not be written (${messageOf(error)}): nothing was changed; ${remedy}, and try again`,
      { cause },
    );
  }
  return error;
}

class Refusal extends Error {
  readonly file: string;
  readonly isFull: boolean;

  constructor(file: string, error: unknown) {
    super(`${file}: ${messageOf(error)} (${sqliteCode(error)})`, { cause: error });
    this.file = file;
    this.isFull =
      sqliteCode(error) === 'SQLITE_FULL' || (sqliteCode(error).startsWith('SQLITE_IOERR') && !hasRoom(file));
  }
}

/**
 * Whether its disk has room for more than what SQLite makes at once. The index of the write-ahead log grows by 32 KiB, and
 * when there is no room for that SQLite names an I/O error (https://sqlite.org/walformat.html).
 */
function hasRoom(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path.dirname(file));
    return bavail * bsize >= 65_536;
  } catch {
    // The disk is gone: the error of SQLite says more than a guess.
    return true;
  }
}

/** The file for which a refused write found no room, in full; `null` for any other error. */
export function fileWithoutRoom(error: unknown): string | null {
  const cause = error instanceof AppError ? error.cause : null;
  return cause instanceof Refusal && cause.isFull ? cause.file : null;
}

/** Whether SQLite met a damaged page, or a file that is no database: this is the error, or caused it. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(sqliteCode(error)) || (error instanceof Error && isDamage(error.cause));
}

/**
 * Whether SQLite cannot read what is asked for: a damaged page, or a schema that names other columns than the constant
 * statements of the program. For answers alone: a database is not set aside for a statement that does not compile.
 */
export function isUnreadable(error: unknown): boolean {
  const isOtherSchema = sqliteCode(error) === 'SQLITE_ERROR' && /^no such (?:column|table): /.test(messageOf(error));
  return isOtherSchema || isDamage(error) || (error instanceof Error && isUnreadable(error.cause));
}

function isBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_BUSY');
}

/** Whether the system refused SQLite a call, such as an open or a read: nothing is known of the content then. */
export function isRefused(error: unknown): boolean {
  return /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN)/.test(sqliteCode(error));
}

/** SQLite's extended result code, such as `SQLITE_IOERR_WRITE` (https://sqlite.org/rescode.html); empty without one. */
export function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

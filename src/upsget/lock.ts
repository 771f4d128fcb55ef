// Serialises readers of a UPS for each user of this computer: concurrent readers would log each other off.
import { createHash } from 'node:crypto';
import { utimesSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, messageOf } from './failure.ts';
import { runtimeFolder } from './runtime-folder.ts';
import type { Environment } from './settings.ts';

export interface Lock {
  release(): void;
}

/** Delay between attempts, plus up to as much jitter. */
const attemptMs = 30;
/** SQLite's result code for a file that another connection has locked. */
const sqliteBusy = 5;

/**
 * Acquires the lock within `waitMs`. It is SQLite's exclusive lock on an empty file in the user's runtime folder:
 * Node.js has no other operating-system lock, and the system releases it with the process. Throws a Failure when the
 * lock stays busy or cannot be acquired, and the reason of `signal` when that is aborted.
 */
export async function takeLock(name: string, waitMs: number, env: Environment, signal: AbortSignal): Promise<Lock> {
  const id = createHash('sha256').update(name.toLowerCase()).digest('hex').slice(0, 32);
  const file = path.join(runtimeFolder(env), `${id}.lock`);
  const giveUpAt = performance.now() + waitMs;
  const database = openDatabase(file);
  try {
    while (!tryTake(database, file)) {
      if (performance.now() > giveUpAt) {
        throw new Failure(`another upsget has been reading this UPS for ${waitMs / 1000} s; end it or try again later`);
      }
      await pause(attemptMs * (1 + Math.random()), signal);
    }
  } catch (error) {
    database.close();
    throw error;
  }
  return { release: () => database.close() };
}

function openDatabase(file: string): DatabaseSync {
  try {
    return new (loadSqlite().DatabaseSync)(file, { timeout: 0 });
  } catch (error) {
    throw createLockFailure(file, error);
  }
}

/** False while another process holds it. */
function tryTake(database: DatabaseSync, file: string): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    // Refreshes the modification time, so that cleaners of temporary files do not delete it.
    const nowSeconds = (performance.timeOrigin + performance.now()) / 1000;
    utimesSync(file, nowSeconds, nowSeconds);
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) {
      return false;
    }
    throw createLockFailure(file, error);
  }
}

function createLockFailure(file: string, error: unknown): Failure {
  return new Failure(
    `the lock ${file}, which serialises runs of upsget, cannot be taken: ${messageOf(error)}; set XDG_RUNTIME_DIR to a folder of your own with mode 700`,
    { cause: error },
  );
}

/** Suppresses the warning of early Node.js 24 versions that the module is experimental. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

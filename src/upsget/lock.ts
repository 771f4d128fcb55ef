// One reader of a UPS at a time for each user of this computer: two would log each other off.
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

/** Between two attempts, with as much again by chance: two that wait do not stay in step. */
const attemptMs = 30;
/** SQLite's result code for a file that another connection has locked. */
const sqliteBusy = 5;

/**
 * Waits at most `waitMs` for the others. The lock is SQLite's exclusive lock on an empty file in the user's runtime
 * folder: Node.js has no other lock of the operating system's, and the system ends it with its process. Throws a Failure
 * when it does not come free, or cannot be taken at all; the reason of `signal` when that aborts.
 */
export async function takeLock(name: string, waitMs: number, env: Environment, signal: AbortSignal): Promise<Lock> {
  const id = createHash('sha256').update(name.toLowerCase()).digest('hex').slice(0, 32);
  const file = path.join(runtimeFolder(env), `${id}.lock`);
  const giveUpAt = performance.now() + waitMs;
  const database = opened(file);
  try {
    while (!isTaken(database, file)) {
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

function opened(file: string): DatabaseSync {
  try {
    return new (sqlite().DatabaseSync)(file, { timeout: 0 });
  } catch (error) {
    throw unavailable(file, error);
  }
}

/** False while somebody else has it. */
function isTaken(database: DatabaseSync, file: string): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    // What clears away old temporary files leaves it alone while it is in use.
    const nowSeconds = (performance.timeOrigin + performance.now()) / 1000;
    utimesSync(file, nowSeconds, nowSeconds);
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) {
      return false;
    }
    throw unavailable(file, error);
  }
}

function unavailable(file: string, error: unknown): Failure {
  return new Failure(
    `the lock ${file}, which keeps two upsget apart, cannot be taken: ${messageOf(error)}; set XDG_RUNTIME_DIR to a folder of your own with mode 700`,
    { cause: error },
  );
}

/** Early versions of Node.js 24 print a warning that the module is experimental; one statement is all that is used of it. */
function sqlite(): typeof import('node:sqlite') {
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

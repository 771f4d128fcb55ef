// Before the database is opened: ends an interrupted restore, recovers a damaged file, brings an older one to this schema.

import { AppError, messageOf } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import { readStranger, rollBackInterrupted } from '#kernel/sqlite/database-copy.ts';
import { DamagedDatabase, UnknownFile } from '#kernel/sqlite/database-file.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { readDocuments } from './backup/documents.ts';
import { removeTemporaries } from './backup/inventory.ts';
import { measureDatabase } from './backup/snapshot.ts';
import { correctHeader } from './damage/header.ts';
import { recoverDamaged } from './damage/recover.ts';
import type { DataFolder } from './data-folder.ts';
import { hasHubData } from './database.ts';
import { readNewestSchema } from './product.ts';
import { type Replacement, recoverReplacement } from './restore/replacement.ts';
import { requireRoom } from './room.ts';
import { runStorageTask } from './task.ts';

export interface StorageStart {
  /** The database has data of an earlier start. */
  hasData: boolean;
  /** To be confirmed when the hub has started with it, or undone. */
  replacement: Replacement | null;
}

interface Options {
  folder: DataFolder;
  clock: Clock;
  log: Log;
}

/** Throws an Error that names the file, what is wrong and what to do; nothing is changed then. */
export async function prepareStorage(options: Options): Promise<StorageStart> {
  const { folder, clock, log } = options;
  const file = folder.databaseFile;
  try {
    removeTemporaries(folder.backups);
  } catch (error) {
    log.warn({ err: error }, `what an earlier run left in ${folder.backups} cannot be removed (${messageOf(error)})`);
  }
  const interrupted = recoverReplacement(file, ({ sentence }) => log.warn({}, sentence));
  if (interrupted) {
    log.warn({}, `the restore of ${interrupted.source} was interrupted: this start finishes it`);
    if (interrupted.missing !== null) {
      log.warn({}, interrupted.missing);
    }
    return { hasData: true, replacement: interrupted };
  }
  let hasData: boolean;
  try {
    rollBackInterrupted(file);
    await correctHeader({ databaseFile: file, now: clock.now(), log });
    hasData = tryTwice(() => hasHubData(file));
  } catch (error) {
    if (!(error instanceof DamagedDatabase || error instanceof UnknownFile)) {
      throw error;
    }
    const replacement = await recoverDamaged({ ...folder, now: clock.now(), log }, error instanceof UnknownFile);
    if (replacement === null && error instanceof UnknownFile) {
      throw error;
    }
    return { hasData: replacement !== null, replacement };
  }
  if (hasData) {
    await migrateWithCopy(options);
  }
  return { hasData, replacement: null };
}

/** A failed read of the disk looks like damage: only a second failure counts. */
function tryTwice<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof DamagedDatabase || error instanceof UnknownFile) {
      return look();
    }
    throw error;
  }
}

/** Makes a verified copy of a database with data before its schema is changed. */
async function migrateWithCopy({ folder, clock, log }: Options): Promise<void> {
  const file = folder.databaseFile;
  const schema = readStranger(file, (reader) => Number(reader.prepare('PRAGMA user_version').pluck().get()));
  if (schema === 0 || schema >= readNewestSchema()) {
    return;
  }
  const toFailure = (error: unknown) =>
    new Error(
      `the database could not be brought from schema ${schema} to ${readNewestSchema()} (${messageOf(error)}): it is what it was; do what this says, or go on with the program that you had`,
      { cause: error },
    );
  try {
    requireRoom(folder.backups, 2 * measureDatabase(file), 'a migration');
    const documents = readDocuments(folder);
    const task = { file, folder: folder.backups, at: clock.now(), migration: schema, documents };
    const copy = await runStorageTask('snapshot', task);
    await runStorageTask('migrate', { file });
    log.info({ schema, copy: copy.name }, `the database has schema ${readNewestSchema()} now`);
  } catch (error) {
    throw error instanceof AppError && error.code === 'database_busy' ? error : toFailure(error);
  }
}

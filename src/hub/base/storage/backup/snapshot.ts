// Makes a generation: a copy under a temporary name, verified, described in its manifest, and only then named.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { AppError, messageOf } from '#kernel/errors.ts';
import { removeIfPossible } from '#kernel/files/files.ts';
import { renameDurably, syncFile } from '#kernel/files/large-files.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { changeClosed, copyDatabase, databaseFaults } from '#kernel/sqlite/database-copy.ts';
import { readDatabaseHeader } from '#kernel/sqlite/database-header.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { createFact, createRefusal } from '../../refusals.ts';
import { requireRoom, toStorageFailure } from '../room.ts';
import { type GenerationDocuments, writeDocuments } from './documents.ts';
import { createGenerationName } from './generation-name.ts';
import { describeFile, toManifestFile, writeManifest } from './manifest.ts';

export interface SnapshotTask {
  /** The database, which may be in use. */
  file: string;
  folder: string;
  at: number;
  /** The version of its schema when it is a copy from before a migration. */
  migration: number | null;
  documents: GenerationDocuments;
}

export interface Snapshot {
  name: string;
  file: string;
  size: number;
  sha256: string;
}

/**
 * Leaves nothing when it fails: throws AppError `disk_full` when there is no room, `backup_failed` when the copy is not
 * whole, and what SQLite says of a damaged database. `report` is called with the step that begins.
 */
export function makeSnapshot({ file, ...about }: SnapshotTask, report: (step: string) => void): Promise<Snapshot> {
  requireRoom(about.folder, measureDatabase(file), 'a backup');
  return makeGeneration(about, report, (temporary) => {
    report('copying');
    copyDatabase(file, temporary);
  });
}

/** As `makeSnapshot`, of what `fill` writes into a new file: a whole database without a write-ahead log. */
export async function makeGeneration(
  { folder, at, migration, documents }: Omit<SnapshotTask, 'file'>,
  report: (step: string) => void,
  fill: (temporary: string) => void,
): Promise<Snapshot> {
  const name = createGenerationName(at, migration);
  const file = path.join(folder, name);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    fill(temporary);
    changeClosed(temporary, (writer) => writeDocuments(writer, documents));
    report('verifying');
    const header = checkWhole(temporary);
    const about = { name, created: isoTime(at), schema: header.userVersion, version: packageVersion() };
    const manifest = await describeFile(temporary, { ...about, pageSize: header.pageSize });
    syncFile(temporary);
    writeManifest(file, manifest);
    renameDurably(temporary, file);
    return { name, file, size: manifest.size, sha256: manifest.sha256 };
  } catch (error) {
    // `file` exists when the rename succeeded and only the sync of the folder failed.
    for (const left of [temporary, `${temporary}-journal`, file, toManifestFile(file)]) {
      removeIfPossible(left);
    }
    throw error instanceof AppError
      ? error
      : toStorageFailure(
          `the backup could not be made (${messageOf(error)}): nothing was stored`,
          'backup_not_written',
          error,
        );
  }
}

function checkWhole(file: string) {
  const header = readDatabaseHeader(file);
  const fault = typeof header === 'string' ? `it is ${header}` : databaseFaults(file, 'whole')[0];
  if (fault !== undefined || typeof header === 'string') {
    throw createRefusal(
      'backup_failed',
      `the copy of the database is not whole (${fault}): nothing was stored; try again`,
      [createFact('backup_copy_damaged')],
    );
  }
  return header;
}

/** Bytes of all pages, with those in the write-ahead log as far as the header counts them. */
export function measureDatabase(file: string): number {
  const header = readDatabaseHeader(file);
  return typeof header === 'string' ? 0 : Math.max(header.size, header.pages * header.pageSize);
}

// Makes a database that can replace the present one out of a generation or an uploaded file, next to it under another name.
// The source is verified first and never changed; nothing of its schema runs before that is known to be this product's.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { AppError, messageOf } from '#kernel/errors.ts';
import { isSystemError } from '#kernel/files/files.ts';
import { copyChecked, syncFile } from '#kernel/files/large-files.ts';
import { changeClosed, migrateClosed } from '#kernel/sqlite/database-copy.ts';
import { type GenerationDocuments, takeDocuments } from '../backup/documents.ts';
import { type Manifest, readManifest } from '../backup/manifest.ts';
import { measureDatabase } from '../backup/snapshot.ts';
import { inspectUnknownFile } from '../backup/verify.ts';
import { findDamage, findForeignSchema, migrationsFolder, readProductHeader, type Unusable } from '../product.ts';
import { requireRoom, toStorageFailure } from '../room.ts';

export interface PrepareTask {
  source: string;
  /** What it is called when it is refused, and how. */
  refusal: { code: 'generation_damaged' | 'upload_rejected'; what: string };
  /** Where the database is prepared: `incoming` of `toReplacementFiles`. */
  target: string;
}

export interface Prepared {
  /** Version of the schema of the source. */
  schema: number;
  documents: GenerationDocuments;
}

/** Throws AppError with the code of the refusal when the source cannot be used; nothing is left then. */
export async function prepareDatabase(task: PrepareTask, report: (step: string) => void): Promise<Prepared> {
  const { source, target, refusal } = task;
  const refuse = createRefusal(refusal);
  const schema = readUsableSchema(source, refusal);
  requireRoom(path.dirname(target), 2 * measureDatabase(source), 'a restore');
  removeWhole(target);
  try {
    report('copying');
    const manifest = readSourceManifest(source, refuse);
    const copied = await copyChecked(source, target);
    report('verifying');
    if (manifest && (manifest.sha256 !== copied.sha256 || manifest.size !== copied.size)) {
      refuse('its content is not what it was when it was made');
    }
    const found = manifest ? checkQuickly(target) : inspectUnknownFile(target);
    if (found !== null && 'cause' in found) {
      refuse(found.sentence);
    }
    report('bringing to the schema of this program');
    migrateClosed(target, migrationsFolder);
    const documents = changeClosed(target, (writer) => {
      // Rows may be missing that its log of changes does not name: nothing kept beside another database belongs to this one.
      writer.exec('DELETE FROM flow_change_run');
      return takeDocuments(writer);
    });
    syncFile(target);
    return { schema, documents };
  } catch (error) {
    removeWhole(target);
    throw error instanceof AppError ? error : toPrepareFailure(error);
  }
}

function toPrepareFailure(error: unknown): AppError {
  const message = `the restore could not be prepared (${messageOf(error)}): nothing was changed`;
  return toStorageFailure(message, 'restore_not_prepared', error);
}

type Refusal = PrepareTask['refusal'];

function createRefusal({ code, what }: Refusal): (reason: string) => never {
  return (reason) => {
    throw new AppError(code, `${what} cannot be restored: ${reason}; nothing was changed`);
  };
}

/**
 * The version of the schema of a file whose header this program can work with; throws AppError as the refusal says, or
 * `backup_failed` when the file cannot be read now.
 */
export function readUsableSchema(source: string, refusal: Refusal): number {
  const refuse = createRefusal(refusal);
  try {
    const header = readProductHeader(source);
    return 'cause' in header ? refuse(header.sentence) : header.userVersion;
  } catch (error) {
    throw error instanceof AppError ? error : toPrepareFailure(error);
  }
}

/** Returns null for a file without a manifest. A read error is not a refusal: the manifest may be whole. */
function readSourceManifest(source: string, refuse: (reason: string) => never): Manifest | null {
  try {
    return readManifest(source);
  } catch (error) {
    if (isSystemError(error)) {
      throw error;
    }
    return refuse(messageOf(error));
  }
}

/** For a file whose bytes are known to be right: checks its schema and its structure. */
function checkQuickly(file: string): Unusable | null {
  return findForeignSchema(file) ?? findDamage(file, 'quick');
}

function removeWhole(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) {
    rmSync(file + end, { force: true });
  }
}

// A damaged database at a start: set aside, and the newest generation that is whole takes its place.
import { AppError, messageOf } from '#kernel/errors.ts';
import { isThere } from '#kernel/files/files.ts';
import { renameDurably } from '#kernel/files/large-files.ts';
import type { Log } from '#kernel/process/log.ts';
import { readInventory, type StoredGeneration } from '../backup/inventory.ts';
import { toNotesChange } from '../restore/notes.ts';
import { type Replacement, replaceDatabase, toReplacementFiles } from '../restore/replacement.ts';
import { runStorageTask } from '../task.ts';
import { createSetAsideName } from './set-aside.ts';

export interface RecoverOptions {
  databaseFile: string;
  notesFile: string;
  backups: string;
  now: number;
  log: Log;
}

/**
 * Resolves to the replacement by the newest usable generation; to null when there is none: then the database is set aside
 * and an empty one may begin, or, with `needsGeneration`, nothing is changed. Throws an Error when one that may be whole
 * could not be read or put in place, as on a full disk; nothing is changed then.
 */
export async function recoverDamaged(options: RecoverOptions, needsGeneration: boolean): Promise<Replacement | null> {
  const { databaseFile, backups, now, log } = options;
  const setAside = createSetAsideName(databaseFile, now);
  let hindered: unknown;
  for (const stored of readInventory(backups, now).toReversed()) {
    try {
      const replacement = await replaceByGeneration(stored, options, setAside);
      log.error(
        {},
        `${databaseFile} is damaged: it is set aside as ${setAside}, the generation ${stored.name} is used`,
      );
      if (replacement.missing !== null) {
        log.error({}, replacement.missing);
      }
      return replacement;
    } catch (error) {
      log.error(
        { err: error },
        `the generation ${stored.name} cannot be used (${messageOf(error)}): the one before is tried`,
      );
      hindered ??= isGenerationDamaged(error) ? undefined : error;
    }
  }
  if (hindered !== undefined) {
    throw new Error(
      `${databaseFile} is damaged, and no generation could be put in its place (${messageOf(hindered)}): see that the disk has room and can be read and written, and start the hub again`,
      { cause: hindered },
    );
  }
  if (!needsGeneration) {
    for (const end of ['-wal', '-shm', '']) {
      if (isThere(databaseFile + end)) {
        renameDurably(databaseFile + end, setAside + end);
      }
    }
    log.error({}, `${databaseFile} is damaged and there is no whole generation: it is set aside as ${setAside}`);
  }
  return null;
}

/** Whether the generation itself is what is wrong. */
function isGenerationDamaged(error: unknown): boolean {
  return error instanceof AppError && error.code === 'generation_damaged';
}

async function replaceByGeneration(
  stored: StoredGeneration,
  options: RecoverOptions,
  setAside: string,
): Promise<Replacement> {
  const { databaseFile, notesFile, now } = options;
  const { documents } = await runStorageTask('prepare', {
    source: stored.file,
    refusal: { code: 'generation_damaged', what: `the generation ${stored.name}` },
    target: toReplacementFiles(databaseFile).incoming,
  });
  const notes = toNotesChange(notesFile, documents);
  return replaceDatabase({ file: databaseFile, now, source: `the generation ${stored.name}`, setAside, notes });
}

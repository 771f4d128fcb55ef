// `gatehouse backup restore`: also on another machine, from the files alone.
import path from 'node:path';
import { AppError, messageOf } from '#kernel/errors.ts';
import { isThere } from '#kernel/files/files.ts';
import { runProgram, UsageError } from '#kernel/process/program.ts';
import { isoTime, systemClock } from '#kernel/time/clock.ts';
import { type GenerationDocuments, readDocuments } from '../backup/documents.ts';
import { findGeneration } from '../backup/inventory.ts';
import { makeSnapshot } from '../backup/snapshot.ts';
import { createSetAsideName } from '../damage/set-aside.ts';
import type { DataFolder } from '../data-folder.ts';
import { openDatabase } from '../database.ts';
import { toNotesChange } from '../restore/notes.ts';
import { prepareDatabase } from '../restore/prepare.ts';
import { discardIncoming, recoverReplacement, replaceDatabase, toReplacementFiles } from '../restore/replacement.ts';
import { dataOption, openStopped, reportProgress } from './places.ts';
import { prepareSettings, writeSettings } from './restored-settings.ts';

const usage = `Usage: gatehouse backup restore NAME|FILE [--with-settings] [--without-secrets] [--data DIR]

Replaces the database of a stopped hub by a generation (NAME, see gatehouse backup list) or by a FILE, after it was
verified. What was there is saved as a generation first; a damaged database is set aside. Notes come back with it.
Sessions end; API identities and Agents that were revoked since stay revoked.

Settings come back too when the folder has none, or with --with-settings; not the password and the admin token: the next
start makes new ones. Their secrets (passwords of routers, keys) need the secret.key of the hub that made the backup.

Options
  --with-settings    replace settings that are there
  --without-secrets  leave secrets empty that no secret.key here opens
${dataOption}
  --help             this text
  --version          the version
`;

const options = {
  data: { type: 'string' },
  'with-settings': { type: 'boolean' },
  'without-secrets': { type: 'boolean' },
} as const;

export function runRestore(argv: readonly string[]): Promise<number> {
  const program = { name: 'backup restore', usage, options, operands: { name: 'backup', most: 1 } };
  return runProgram(argv, program, async (given, [what]) => {
    if (what === undefined) {
      throw new UsageError('needs the NAME of a generation or a FILE');
    }
    using folder = openStopped(given.data);
    const choice = { replaces: given['with-settings'] ?? false, blanks: given['without-secrets'] ?? false };
    process.stdout.write(`${await restore(folder, what, choice)}\n`);
  });
}

async function restore(
  folder: DataFolder,
  what: string,
  choice: { replaces: boolean; blanks: boolean },
): Promise<string> {
  const file = folder.databaseFile;
  const now = systemClock.now();
  say(recoverReplacement(file, ({ sentence }) => say(sentence))?.confirm() ?? null);
  const stored = findGeneration(folder.backups, what);
  const source = stored?.file ?? path.resolve(what);
  const name = stored ? `the generation ${what}` : source;
  const refusal = { code: 'generation_damaged', what: name } as const;
  const { documents } = await prepareDatabase(
    { source, refusal, target: toReplacementFiles(file).incoming },
    reportProgress,
  );
  const hasFormer = isThere(file);
  let settings: ReturnType<typeof prepareSettings>;
  let safety: string | null;
  try {
    settings = prepareSettings(folder, documents, choice);
    safety = hasFormer ? await saveCurrent(folder, now) : null;
  } catch (error) {
    discardIncoming(file);
    throw error;
  }
  reportProgress('replacing');
  const setAside = hasFormer && safety === null ? createSetAsideName(file, now) : null;
  const notes = toNotesChange(folder.notesFile, documents);
  const replacement = replaceDatabase({ file, now, source: name, setAside, notes });
  try {
    const db = openDatabase(file);
    await db.close();
    writeSettings(folder.documentFile, settings);
  } catch (error) {
    replacement.undo();
    throw new Error(`${name} cannot be opened (${messageOf(error)}): the database from before is back`);
  }
  try {
    say(replacement.confirm());
  } catch (error) {
    throw new Error(
      `${name} is in place, but that could not be noted (${messageOf(error)}): the next start of the hub does that`,
    );
  }
  const created = stored ? ` of ${isoTime(stored.createdAt)}` : '';
  return [
    `${file} was restored from ${name}${created}.`,
    safety && `The previous database is kept as the generation ${safety}.`,
    setAside && `The damaged database is set aside as ${setAside}: gatehouse salvage reads what is left of it.`,
    replacement.missing,
    hasFormer ? null : 'API identities and Agents are those of the backup: revoke again what was revoked since then.',
    settings && 'The settings came with it; the next start of the hub makes a new password and admin token.',
    settings?.blanked ? `Enter these secrets again: ${settings.blanked.join(', ')}.` : null,
  ]
    .filter((line) => line !== null)
    .join('\n');
}

function say(sentence: string | null): void {
  if (sentence !== null) {
    process.stderr.write(`${sentence}\n`);
  }
}

/** Saves the current database as a generation and returns its name; null when it is damaged. */
async function saveCurrent(folder: DataFolder, now: number): Promise<string | null> {
  const documents: GenerationDocuments = readDocuments(folder);
  const task = { file: folder.databaseFile, folder: folder.backups, at: now, migration: null, documents };
  try {
    return (await makeSnapshot(task, (step) => reportProgress(`${step} what is there`))).name;
  } catch (error) {
    if (error instanceof AppError && error.code === 'database_damaged') {
      return null;
    }
    throw error;
  }
}

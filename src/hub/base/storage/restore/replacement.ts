// Puts a prepared database where the old one was. A marker file makes a crash at any step end, at the next start, with one
// of them whole: the old one until both renames are done, the new one after.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { AppError, messageOf } from '#kernel/errors.ts';
import { isThere, readJson, writeJson, writeText } from '#kernel/files/files.ts';
import { removeDurably, renameDurably, syncFile } from '#kernel/files/large-files.ts';
import { removeStaleTempFiles } from '#kernel/files/private-files.ts';
import { changeClosed, closeLog } from '#kernel/sqlite/database-copy.ts';
import { readDatabaseHeader } from '#kernel/sqlite/database-header.ts';
import { createFact, createRefusal } from '../../refusals.ts';
import { createStatement, type Statement } from '../../statements.ts';
import { carryOver, carryThreatLists, type FormerState, formerStates, notCarriedOver } from './carry-over.ts';

const marker = z.object({
  /** What is restored, for people. */
  source: z.string(),
  /** Whether there was a database to replace, and whether it could be read. */
  former: z.enum(formerStates),
  /** Where the old database is set aside; null: it is removed. */
  setAside: z.string().nullable(),
  /** Content of the file of notes, before and after; null: there is none, or it does not change. */
  notes: z.object({ file: z.string(), before: z.string().nullable(), after: z.string().nullable() }).nullable(),
});
type Marker = z.output<typeof marker>;
export type NotesChange = Marker['notes'];

export function toReplacementFiles(file: string) {
  return {
    marker: `${file}.restore.json`,
    upload: `${file}.upload`,
    incoming: `${file}.incoming`,
    former: `${file}.former`,
  };
}

/** Removes a prepared database that is not wanted, because of an error that the caller is to hear of. */
export function discardIncoming(file: string): void {
  try {
    removeWhole(toReplacementFiles(file).incoming);
  } catch {
    // The next start removes it, and an error here would hide the one before.
  }
}

/** A replacement that is done and not yet decided. */
export interface Replacement {
  source: string;
  /** A sentence for people when the old database could not be read: what is missing now, and what to do. */
  missing: string | null;
  /**
   * The new database stays; the old one is removed or set aside. Throws when that could not be decided: `undo` leads back
   * then. Returns a sentence when it is decided and something of the old one is left, which the next start removes.
   */
  confirm(): string | null;
  /** The old database is put back; nothing may have either open. */
  undo(): void;
}

/** Replaces the database by what `swap` does while nothing has it open. Rejects with an AppError; then it is what it was. */
export type ReplaceDatabase = (swap: () => Replacement) => Promise<void>;

export interface ReplaceOptions extends Omit<Marker, 'former'> {
  /** The database; closed by everybody. */
  file: string;
  now: number;
}

/**
 * Replaces `file` by the prepared `incoming` database. Throws an Error when any step fails; then `file` is the old
 * database.
 */
export function replaceDatabase({ file, now, ...given }: ReplaceOptions): Replacement {
  const files = toReplacementFiles(file);
  const about: Marker = { ...given, former: isThere(file) ? 'unreadable' : 'none' };
  // What an earlier one could not remove must not be taken for the database that goes now.
  removeWhole(files.former);
  try {
    const closed = about.former === 'none' ? 'none' : about.setAside === null ? closeWhole(file) : tryClose(file);
    about.former = carryOverFrom(files.incoming, closed, file, now);
    writeJson(files.marker, about);
    moveWhole(file, files.former);
    renameDurably(files.incoming, file);
    writeNotes(about, 'after');
    return createReplacement(file, about);
  } catch (error) {
    undoAll(file, about);
    throw error;
  }
}

type Say = (outcome: Statement) => void;

/**
 * What a crash or a failure left. Null when nothing was under way or it is settled; else the replacement, done and not yet
 * decided. `say` is told which database is there.
 */
export function recoverReplacement(file: string, say: Say): Replacement | null {
  const files = toReplacementFiles(file);
  removeStaleTempFiles(files.marker);
  const stored = readJson(files.marker);
  if (stored === undefined) {
    removeLeft(file, say);
    return null;
  }
  removeWhole(files.upload);
  const about = marker.parse(stored);
  if (isThere(file) && !isThere(files.incoming)) {
    if (isThere(files.former) || about.former === 'none') {
      writeNotes(about, 'after');
      return createReplacement(file, about);
    }
    if (about.setAside !== null && isThere(about.setAside)) {
      // All of the restore was confirmed except for the marker.
      removeDurably(files.marker);
      say(stays(`the restore of ${about.source} was interrupted at its end: the database is the restored one`));
      return null;
    }
  }
  undoAll(file, about);
  say(kept(`the restore of ${about.source} was interrupted: the database is what it was before`));
  return null;
}

const stays = (sentence: string) => createStatement('restore_stays', sentence);
const kept = (sentence: string) => createStatement('restore_kept', sentence);

/** Without a marker the restore was confirmed, or had changed nothing yet. */
function removeLeft(file: string, say: Say): void {
  const { former, incoming, upload } = toReplacementFiles(file);
  if (isThere(former) && !isThere(incoming)) {
    say(stays('a restore was interrupted at its end: the database is the restored one'));
  } else if (isThere(incoming) || isThere(upload)) {
    say(kept('a restore was interrupted before it changed anything: the database is what it was before'));
  }
  for (const left of [former, incoming, upload]) {
    removeWhole(left);
  }
}

function createReplacement(file: string, about: Marker): Replacement {
  const files = toReplacementFiles(file);
  return {
    source: about.source,
    missing: about.former === 'unreadable' ? notCarriedOver : null,
    confirm() {
      if (about.setAside !== null) {
        moveWhole(files.former, about.setAside);
      }
      rmSync(files.marker, { force: true });
      // From here on the restore cannot be undone: the next start finishes what fails now.
      try {
        syncFile(path.dirname(file));
        removeWhole(files.former);
        return null;
      } catch (error) {
        return `the database that ${about.source} replaced could not be removed (${messageOf(error)}): the next start does that`;
      }
    },
    undo: () => undoAll(file, about),
  };
}

/** Goes back from any step; the marker is removed last. */
function undoAll(file: string, about: Marker): void {
  const files = toReplacementFiles(file);
  const places = [files.former, about.setAside].filter((place) => place !== null);
  const former = places.find((place) => isThere(place));
  if (about.former === 'none') {
    removeWhole(file);
  } else if (former !== undefined) {
    for (const end of sidecars) {
      rmSync(file + end, { force: true });
    }
    renameDurably(former, file);
  }
  for (const [place, end] of places.flatMap((one) => sidecars.map((each) => [one, each] as const))) {
    if (isThere(place + end)) {
      renameDurably(place + end, file + end);
    }
  }
  removeWhole(files.incoming);
  if (isThere(files.marker)) {
    writeNotes(about, 'before');
    removeDurably(files.marker);
  }
}

/** Writes the log into the database and removes it. Fails while another connection has the database open. */
function closeWhole(file: string): FormerState {
  try {
    closeLog(file);
    return 'readable';
  } catch (error) {
    if (error instanceof AppError && error.code === 'database_busy') {
      const message = 'the database is still open somewhere: nothing was changed; try again';
      throw createRefusal('restore_failed', message, [createFact('database_open')], { cause: error });
    }
    throw error;
  }
}

/** As `closeWhole`, of a database that may be damaged. */
function tryClose(file: string): FormerState {
  const header = readDatabaseHeader(file);
  if (typeof header === 'string' || !header.hasKnownFormats) {
    return 'unreadable';
  }
  try {
    return closeWhole(file);
  } catch (error) {
    if (error instanceof AppError) {
      throw error;
    }
    return 'unreadable';
  }
}

/** Carries over from the former database, or treats it as unreadable. Returns which of both. */
function carryOverFrom(incoming: string, former: FormerState, file: string, now: number): FormerState {
  if (former === 'readable') {
    try {
      changeClosed(incoming, (writer) => carryOver(writer, now, former), file);
      carryThreatListsFrom(incoming, file);
      return former;
    } catch (error) {
      if (error instanceof AppError) {
        throw error;
      }
    }
  }
  const taken = former === 'none' ? 'none' : 'unreadable';
  changeClosed(incoming, (writer) => carryOver(writer, now, taken));
  return taken;
}

/** Threat lists that cannot be read stay those of the generation, and are fetched when they are due by its times. */
function carryThreatListsFrom(incoming: string, file: string): void {
  try {
    changeClosed(incoming, carryThreatLists, file);
  } catch (error) {
    if (error instanceof AppError) {
      throw error;
    }
  }
}

/** What SQLite has next to a database; a rollback journal only when a transaction was interrupted. */
const sidecars = ['-wal', '-shm', '-journal'] as const;

/**
 * Moves a database with its logs: a new database next to an old log would show old rows. The logs move first, so that no
 * other database ever has them.
 */
function moveWhole(from: string, to: string): void {
  for (const end of [...sidecars, '']) {
    if (isThere(from + end)) {
      renameDurably(from + end, to + end);
    }
  }
}

function removeWhole(file: string): void {
  for (const end of ['', ...sidecars]) {
    if (isThere(file + end)) {
      removeDurably(file + end);
    }
  }
}

function writeNotes({ notes }: Marker, which: 'before' | 'after'): void {
  const text = notes?.[which] ?? null;
  if (notes && text !== null) {
    writeText(notes.file, text);
  }
}

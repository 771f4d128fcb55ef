// Puts a prepared database where the old one was. A marker file makes a crash at any step end, at the next start, with one
// of them whole: the old one until both renames are done, the new one after.
import { existsSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { changeClosed, closeLog } from '#kernel/database-copy.ts';
import { AppError } from '#kernel/errors.ts';
import { readJson, writeJson, writeText } from '#kernel/files.ts';
import { removeDurably, renameDurably } from '#kernel/large-files.ts';
import { removeLeftovers } from '#kernel/private-files.ts';
import { carryOver, type Former } from './carry-over.ts';

const marker = z.object({
  /** What is restored, for people. */
  source: z.string(),
  /** There was a database to replace. */
  hasFormer: z.boolean(),
  /** Where the old database goes in the end; null: it is removed. */
  setAside: z.string().nullable(),
  /** Content of the file of notes, before and after; null: there is none, or it does not change. */
  notes: z.object({ file: z.string(), before: z.string().nullable(), after: z.string().nullable() }).nullable(),
});
export type Marker = z.output<typeof marker>;

/** The files of a replacement, next to the database. */
export function replacementFiles(file: string) {
  return {
    marker: `${file}.restore.json`,
    /** What is being uploaded. */
    upload: `${file}.upload`,
    incoming: `${file}.incoming`,
    former: `${file}.former`,
  };
}

/** Removes a prepared database that is not wanted. */
export function discardIncoming(file: string): void {
  removeTriple(replacementFiles(file).incoming);
}

/** A replacement that is done and not yet decided. */
export interface Replacement {
  source: string;
  /** The new database stays; the old one is removed or set aside. */
  confirm(): void;
  /** The old database is put back; nothing may have either open. */
  undo(): void;
}

/** Replaces the database by what `swap` does while nothing has it open. Rejects with an AppError; then it is what it was. */
export type ReplaceDatabase = (swap: () => Replacement) => Promise<void>;

export interface ReplaceOptions extends Omit<Marker, 'hasFormer'> {
  /** The database; closed by everybody. */
  file: string;
  now: number;
  /** Called before each step, with its name. */
  step?: (name: string) => void;
}

/**
 * Replaces `file` by the prepared `replacementFiles(file).incoming`. Throws an Error when any step fails; then `file` is
 * the old database.
 */
export function replaceDatabase({ file, now, step = () => undefined, ...given }: ReplaceOptions): Replacement {
  const files = replacementFiles(file);
  const about: Marker = { ...given, hasFormer: existsSync(file) };
  try {
    step('close the old database');
    const former = !about.hasFormer ? 'none' : about.setAside === null ? closeWhole(file) : tryClose(file);
    step('carry over');
    carryFrom(files.incoming, former, file, now);
    step('write the marker');
    writeJson(files.marker, about);
    step('move the old database away');
    moveTriple(file, files.former);
    step('move the new database in');
    requireAlone(file);
    renameDurably(files.incoming, file);
    step('write the notes');
    writeNotes(about, 'after');
    return replacementOf(file, about);
  } catch (error) {
    undoAll(file, about);
    throw error;
  }
}

/**
 * At a start: what a crash left. Null when nothing was under way or the old database is back (`undone` is then called with
 * what was to be restored); else the replacement, done and not yet decided.
 */
export function recoverReplacement(file: string, undone: (source: string) => void): Replacement | null {
  const files = replacementFiles(file);
  removeLeftovers(files.marker);
  const stored = readJson(files.marker);
  if (stored === undefined) {
    // Confirmed, or not begun.
    for (const left of [files.former, files.incoming, files.upload]) {
      removeTriple(left);
    }
    return null;
  }
  const about = marker.parse(stored);
  if (existsSync(file) && !existsSync(files.incoming)) {
    if (existsSync(files.former) || !about.hasFormer) {
      writeNotes(about, 'after');
      return replacementOf(file, about);
    }
    if (about.setAside !== null && existsSync(about.setAside)) {
      // Confirmed but for this.
      removeDurably(files.marker);
      return null;
    }
  }
  undoAll(file, about);
  undone(about.source);
  return null;
}

function replacementOf(file: string, about: Marker): Replacement {
  const files = replacementFiles(file);
  return {
    source: about.source,
    confirm() {
      if (about.setAside !== null) {
        moveTriple(files.former, about.setAside);
      }
      removeDurably(files.marker);
      removeTriple(files.former);
    },
    undo: () => undoAll(file, about),
  };
}

/** Leads back from every step; the marker goes last. */
function undoAll(file: string, about: Marker): void {
  const files = replacementFiles(file);
  if (!about.hasFormer) {
    removeTriple(file);
  } else if (existsSync(files.former)) {
    for (const end of ['-wal', '-shm', '-journal']) {
      rmSync(file + end, { force: true });
    }
    renameDurably(files.former, file);
  }
  for (const end of ['-wal', '-shm']) {
    if (existsSync(files.former + end)) {
      renameDurably(files.former + end, file + end);
    }
  }
  removeTriple(files.incoming);
  if (existsSync(files.marker)) {
    writeNotes(about, 'before');
    removeDurably(files.marker);
  }
}

/** Its log written into it and removed. Another connection that has it open refuses that. */
function closeWhole(file: string): Former {
  try {
    closeLog(file);
    return 'readable';
  } catch (error) {
    if (error instanceof AppError && error.code === 'database_busy') {
      throw new AppError('restore_failed', 'the database is still open somewhere: nothing was changed; try again', {
        cause: error,
      });
    }
    throw error;
  }
}

/** As `closeWhole`, of a database that may be damaged. */
function tryClose(file: string): Former {
  try {
    return closeWhole(file);
  } catch (error) {
    if (error instanceof AppError) {
      throw error;
    }
    return 'unreadable';
  }
}

/** A former database whose credentials cannot be read stands for one that nobody knows. */
function carryFrom(incoming: string, former: Former, file: string, now: number): void {
  if (former === 'readable') {
    try {
      changeClosed(incoming, (writer) => carryOver(writer, now, former), file);
      return;
    } catch (error) {
      if (error instanceof AppError) {
        throw error;
      }
    }
  }
  changeClosed(incoming, (writer) => carryOver(writer, now, former === 'none' ? 'none' : 'unreadable'));
}

/**
 * The log and its index go with their database: a new database next to an old log shows old rows. They go first: what has
 * the database's name then is alone.
 */
function moveTriple(from: string, to: string): void {
  for (const end of ['-wal', '-shm', '']) {
    if (existsSync(from + end)) {
      renameDurably(from + end, to + end);
    }
  }
}

function removeTriple(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) {
    if (existsSync(file + end)) {
      removeDurably(file + end);
    }
  }
}

function requireAlone(file: string): void {
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(file + end)) {
      throw new Error(`${file}${end} is still there`);
    }
  }
}

function writeNotes({ notes }: Marker, which: 'before' | 'after'): void {
  const text = notes?.[which] ?? null;
  if (notes && text !== null) {
    writeText(notes.file, text);
  }
}

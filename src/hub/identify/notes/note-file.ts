// The file of notes: a map of texts, mode 0600, replaced atomically. A failed save leaves it unchanged.
import { z } from 'zod';
import { AppError, messageOf } from '#kernel/errors.ts';
import { readJson, writeJson } from '#kernel/files/files.ts';
import { readInput } from '#kernel/text/problem.ts';

export type NoteFile = ReturnType<typeof openNoteFile>;

const stored = z.record(z.string(), z.string());

/** Reads `file`, or starts with no notes. Throws when the file is damaged. */
export function openNoteFile(file: string) {
  const parsed = readInput(stored, readJson(file) ?? {});
  if (!parsed.success) {
    throw new Error(`${file} does not hold notes (texts by key): restore it from a backup, or move it away`);
  }
  let current: ReadonlyMap<string, string> = new Map(Object.entries(parsed.data));
  return {
    /** Returns the text of each note by its key. */
    current: () => current,
    /** Throws AppError `save_failed` and changes nothing when it cannot be saved. */
    replace(notes: ReadonlyMap<string, string>) {
      try {
        writeJson(file, Object.fromEntries(notes));
      } catch (cause) {
        const message = `the note could not be saved (${messageOf(cause)}): nothing was changed`;
        throw new AppError('save_failed', message, { cause });
      }
      current = notes;
    },
  };
}

// Restores the device notes of a generation (a backup). Undoing the restore writes the former notes back.
import { readFileSync } from 'node:fs';
import { isThere } from '#kernel/files/files.ts';
import type { GenerationDocuments } from '../backup/documents.ts';
import type { NotesChange } from './replacement.ts';

/** Returns null when the generation has no notes: `file` then stays as it is. A missing file counts as empty. */
export function toNotesChange(file: string, { notes }: GenerationDocuments): NotesChange {
  return notes === null ? null : { file, before: isThere(file) ? readFileSync(file, 'utf8') : '{}\n', after: notes };
}

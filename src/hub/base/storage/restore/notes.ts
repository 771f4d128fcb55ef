// The file of notes in a restore: it gets the notes of the generation, and its old notes when the restore is undone.
import { readFileSync } from 'node:fs';
import { isThere } from '#kernel/files/files.ts';
import type { Documents } from '../backup/documents.ts';
import type { Marker } from './replacement.ts';

/** Returns null when the generation has no notes: then the file does not change. */
export function toNotesChange(file: string, { notes }: Documents): Marker['notes'] {
  return notes === null ? null : { file, before: isThere(file) ? readFileSync(file, 'utf8') : '{}\n', after: notes };
}

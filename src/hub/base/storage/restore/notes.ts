// What a restore does with the file of notes: it gets the notes of the generation, and its old ones back when that is undone.
import { readFileSync } from 'node:fs';
import { isThere } from '#kernel/files/files.ts';
import type { Documents } from '../backup/documents.ts';
import type { Marker } from './replacement.ts';

/** Null when the generation has no notes with it: then they stay as they are. */
export function notesChange(file: string, { notes }: Documents): Marker['notes'] {
  return notes === null ? null : { file, before: isThere(file) ? readFileSync(file, 'utf8') : '{}\n', after: notes };
}

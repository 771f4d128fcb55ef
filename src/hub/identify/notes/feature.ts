// Notes of devices as a feature.
import { limits } from '#contract/limits.ts';
import type { Base, Feature, RouteHandlers } from '../../base/feature.ts';
import type { Live } from '../../notify/live/live.ts';
import { createNoteHandlers, type NoteRoutes } from './handlers.ts';
import { openNoteFile } from './note-file.ts';
import { createNotes, type Notes } from './notes.ts';

export type NotesFeature = Notes & Feature<{ notes: RouteHandlers<'notes', NoteRoutes> }>;

/** Resolves when waiting notes are attached to the devices that have appeared. */
export async function startNotesFeature(
  { db, log, folder, signals }: Base,
  live: Pick<Live, 'publish'>,
): Promise<NotesFeature> {
  const notes = createNotes({ db, file: openNoteFile(folder.notesFile) });
  let published = notes.all();
  const publishChanges = () => {
    const all = notes.all();
    const changed = findChanges(published, all);
    published = all;
    if (Object.keys(changed).length > 0) {
      const isSmall = Buffer.byteLength(JSON.stringify(all)) <= limits.liveNotesBytes;
      live.publish('notes-update', isSmall ? { changed, notes: all } : { changed });
    }
  };
  const attach = async () => {
    await notes.attach();
    publishChanges();
  };
  signals.on('devicesChanged', () => {
    attach().catch((error: unknown) => log.error({ err: error }, 'a note could not be given to its device'));
  });
  await attach();
  return { ...notes, handlers: { notes: createNoteHandlers({ notes, onWritten: publishChanges }) } };
}

/** The notes of `after` that are not those of `before`, and null for each that is no longer there. */
function findChanges(before: Record<string, string>, after: Record<string, string>): Record<string, string | null> {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const different = keys.filter((key) => before[key] !== after[key]);
  return Object.fromEntries(different.map((key) => [key, after[key] ?? null]));
}

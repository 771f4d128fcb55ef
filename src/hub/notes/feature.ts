// Notes of devices as a feature.
import { onlyChanges } from '#kernel/changes.ts';
import type { Base, Feature, RouteHandlers } from '../feature.ts';
import type { Live } from '../live/live.ts';
import { type NoteRoutes, noteHandlers } from './handlers.ts';
import { openNoteFile } from './note-file.ts';
import { createNotes, type Notes } from './notes.ts';

export type NotesFeature = Notes & Feature<{ notes: RouteHandlers<'notes', NoteRoutes> }>;

/** Resolves when waiting notes are attached to the devices that have appeared. */
export async function startNotesFeature(
  { db, log, folder, signals }: Base,
  live: Pick<Live, 'publish'>,
): Promise<NotesFeature> {
  const notes = createNotes({ db, file: openNoteFile(folder.notesFile) });
  const publish = onlyChanges(
    (all: Record<string, string>) => live.publish('notes-update', { notes: all }),
    notes.all(),
  );
  const publishChanges = () => publish(notes.all());
  const attach = async () => {
    await notes.attach();
    publishChanges();
  };
  signals.on('devicesChanged', () => {
    attach().catch((error: unknown) => log.error({ err: error }, 'a note could not be given to its device'));
  });
  await attach();
  return { ...notes, handlers: { notes: noteHandlers({ notes, onWritten: publishChanges }) } };
}

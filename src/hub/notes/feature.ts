// Notes of devices as a feature.
import { onlyChanges } from '#kernel/changes.ts';
import type { Base, Feature, HubHandlers } from '../feature.ts';
import type { Live } from '../live/live.ts';
import { writeLocally } from './draft.ts';
import { noteHandlers } from './handlers.ts';
import { openNoteFile } from './note-file.ts';
import { createNotes, type Notes } from './notes.ts';

export type NotesFeature = Notes & Feature<Pick<HubHandlers, 'notes'>>;

/** Resolves when waiting notes are attached to the devices that have appeared. */
export async function startNotesFeature(
  { db, log, folder, readers, signals }: Base,
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
  const peers = { onWritten: publishChanges, reads: readers.reads, writeDraft: writeLocally };
  return { ...notes, handlers: { notes: noteHandlers({ notes, ...peers }) } };
}

// Handlers of notes.
import type { RouteHandlers } from '../../base/feature.ts';
import type { Notes } from './notes.ts';

export type NoteRoutes = 'list' | 'write';

export interface NoteHandlersOptions {
  notes: Notes;
  /** Called after each write. */
  onWritten: () => void;
}

export function createNoteHandlers({ notes, onWritten }: NoteHandlersOptions): RouteHandlers<'notes', NoteRoutes> {
  return {
    list: () => ({ notes: notes.all() }),
    async write({ body }) {
      const written = await notes.write(body);
      onWritten();
      return { success: true, ...written };
    },
  };
}

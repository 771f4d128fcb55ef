// Publishes the notes whenever they differ from those published last.
import type { Notes } from './notes.ts';

/** To be called whenever a note may have changed. */
export function createNotesFeed(notes: Notes, publish: (all: Record<string, string>) => void): () => void {
  const state = { published: JSON.stringify(notes.all()) };
  return () => {
    const all = notes.all();
    const text = JSON.stringify(all);
    if (text !== state.published) {
      state.published = text;
      publish(all);
    }
  };
}

// Tells of notes: whenever what is shown differs from what was told last.
import type { Notes } from './notes.ts';

/** To be called whenever a note may be another one. */
export function createNotesFeed(notes: Notes, publish: (all: Record<string, string>) => void): () => void {
  const state = { told: JSON.stringify(notes.all()) };
  return () => {
    const all = notes.all();
    const text = JSON.stringify(all);
    if (text !== state.told) {
      state.told = text;
      publish(all);
    }
  };
}

// What the hub says of a router. Its sentences are English; another language makes its own from the codes and values.
import type { RouterNote } from '#contract/router-notes.ts';
import { createDictionary } from '../text.ts';
import { en, type RouterWords } from './en.ts';

export const routerWords = createDictionary<RouterWords>(en, { ja: async () => (await import('./ja.ts')).ja });

/** `sentence`: the same note in English. */
export function describeNote(note: RouterNote, sentence: string): string {
  const describe = routerWords.value.notes[note.code] as ((one: RouterNote) => string) | undefined;
  return describe?.(note) ?? sentence;
}

// The dictionary of the chosen language. English comes with the page, others when they are chosen.
import { effect, type Signal, signal } from '@preact/signals';
import { type Language, language } from '../state/preferences.ts';
import { type Dictionary, en } from './en.ts';

/** A dictionary that follows the chosen language. It is `english` until another one has loaded. */
export function createDictionary<D>(
  english: D,
  others: Readonly<Record<Exclude<Language, 'en'>, () => Promise<D>>>,
): Signal<D> {
  const words = signal(english);
  effect(() => {
    const chosen = language.value;
    const loading = chosen === 'en' ? Promise.resolve(english) : others[chosen]();
    void loading.then((dictionary) => {
      if (language.value === chosen) {
        words.value = dictionary;
      }
    });
  });
  return words;
}

export const text = createDictionary<Dictionary>(en, { ja: async () => (await import('./ja.ts')).ja });

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
        words.value = withKeys(english, dictionary);
      }
    });
  });
  return words;
}

/** `translated` with the keys of `english`: the build leaves only its values, in their order (scripts/keyless-texts.ts). */
export function withKeys<D>(english: D, translated: D): D {
  if (!Array.isArray(translated) || Array.isArray(english)) {
    return translated;
  }
  const entries = Object.entries(english as object);
  return Object.fromEntries(entries.map(([key, value], at) => [key, withKeys(value, translated[at])])) as D;
}

export const text = createDictionary<Dictionary>(en, { ja: async () => (await import('./ja.ts')).ja });

// The dictionary of the chosen language. English comes with the page, others when they are chosen.
import { effect, signal } from '@preact/signals';
import { language } from '../state/preferences.ts';
import { type Dictionary, en } from './en.ts';

const loaders = { en: async () => en, ja: async () => (await import('./ja.ts')).ja } satisfies Record<
  typeof language.value,
  () => Promise<Dictionary>
>;

export const text = signal<Dictionary>(en);

effect(() => {
  const chosen = language.value;
  void loaders[chosen]().then((dictionary) => {
    if (language.value === chosen) {
      text.value = dictionary;
    }
  });
});

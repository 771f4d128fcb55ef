// Maps the English status text to states.
import type { Reading } from './items.ts';

export const states = ['online', 'on_battery', 'boost', 'trim', 'other'] as const;
export type State = (typeof states)[number];

/** `On Line, AVR Boost Active` is online and boost; a text that says none of these is `other`. Empty without status. */
export function toStates(readings: readonly Reading[]): State[] {
  const text = readings.find(({ item }) => item.name === 'status')?.text;
  if (text === undefined) {
    return [];
  }
  const words: [State, RegExp][] = [
    ['online', /\bon ?line\b/i],
    ['on_battery', /\bon battery\b/i],
    ['boost', /\bboost\b/i],
    ['trim', /\btrim\b/i],
  ];
  const found = words.flatMap(([state, word]) => (word.test(text) ? [state] : []));
  return found.length > 0 ? found : ['other'];
}

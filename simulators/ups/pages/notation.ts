// How a language writes what the UPS measures.

import { type Item, itemDecimals, unitStates } from '../values.ts';
import type { Language } from './locales.ts';

/** The text of a value in the words and the notation of a language; a text that is no unit state stays as it is. */
export function formatValue(item: Item, value: number | string, words: Language, grouping: boolean): string {
  if (typeof value === 'string') {
    const state = item === 'DeviceStatus' ? unitStates.find((one) => one === value) : undefined;
    return state ? words.states[state].text : value;
  }
  if (item === 'InternalTemp') {
    return `${decimal(value, 1, words, false)}°C / ${decimal((value * 9) / 5 + 32, 1, words, false)}°F`;
  }
  return decimal(value, itemDecimals[item], words, grouping);
}

function decimal(value: number, decimals: number, { decimalMark, groupMark }: Language, grouping: boolean): string {
  const [whole = '', fraction] = value.toFixed(decimals).split('.');
  const grouped = grouping ? whole.replace(/\B(?=(\d{3})+$)/g, groupMark) : whole;
  return fraction === undefined ? grouped : `${grouped}${decimalMark}${fraction}`;
}

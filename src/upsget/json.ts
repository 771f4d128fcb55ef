// Formats all values as one JSON object: texts by item name, or numbers with units.
import { findMissing, parseNumber, type Reading } from './items.ts';

export interface JsonForm {
  /** Numeric items are numbers, or `null` when the text has no number, and `units` has the unit of each. */
  typed: boolean;
  /** `missing` names those of the six items that the page does not have, unless it has them all. */
  all: boolean;
}

/** Texts are unchanged, in the order of the items. */
export function formatJson(readings: readonly Reading[], { typed, all }: JsonForm): string {
  const names = all ? findMissing(readings).map(({ name }) => name) : [];
  const missing = names.length === 0 ? {} : { missing: names };
  if (!typed) {
    return JSON.stringify({ ...Object.fromEntries(readings.map(({ item, text }) => [item.name, text])), ...missing });
  }
  const values = readings.map((reading) => {
    const { item, text } = reading;
    return [item.name, item.unit === 'string' ? text : parseNumber(reading)];
  });
  const units = readings.filter(({ item }) => item.unit !== 'string').map(({ item }) => [item.name, item.unit]);
  return JSON.stringify({ ...Object.fromEntries(values), units: Object.fromEntries(units), ...missing });
}

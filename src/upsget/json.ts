// Formats all values as one JSON object: texts by item name, or numbers with units.
import { parseNumber, type Reading } from './items.ts';

/**
 * Texts are unchanged, in the order of the items. With `typed`, numeric items are numbers, or `null` when the text has
 * no number, and `units` has the unit of each.
 */
export function formatJson(readings: readonly Reading[], typed: boolean): string {
  if (!typed) {
    return JSON.stringify(Object.fromEntries(readings.map(({ item, text }) => [item.name, text])));
  }
  const values = readings.map((reading) => {
    const { item, text } = reading;
    return [item.name, item.unit === 'string' ? text : parseNumber(reading)];
  });
  const units = readings.filter(({ item }) => item.unit !== 'string').map(({ item }) => [item.name, item.unit]);
  return JSON.stringify({ ...Object.fromEntries(values), units: Object.fromEntries(units) });
}

// All values as one JSON object: texts under the item names, or numbers with their units.
import { numberOf, type Reading } from './items.ts';

/**
 * Texts exactly as the page has them, in the order of the items. `typed`: numbers where the value is one, `null` where
 * it should be and is not, and `units` by name.
 */
export function jsonOf(readings: readonly Reading[], typed: boolean): string {
  if (!typed) {
    return JSON.stringify(Object.fromEntries(readings.map(({ item, text }) => [item.name, text])));
  }
  const values = readings.map((reading) => {
    const { item, text } = reading;
    return [item.name, item.unit === 'string' ? text : numberOf(reading)];
  });
  const units = readings.filter(({ item }) => item.unit !== 'string').map(({ item }) => [item.name, item.unit]);
  return JSON.stringify({ ...Object.fromEntries(values), units: Object.fromEntries(units) });
}

// The values of the UPS: the six items of docs/reference/ups-reader.md#2-items-and-configuration-file, and
// those that larger models show.
import type { Page } from './page.ts';

export type Unit = 'string' | '%' | 'min' | 'VAC' | 'VDC' | '°C' | 'Hz' | 'A';

export interface Item {
  /** Name on the command line and in the JSON. */
  name: string;
  /** Id of its element, in each version of the product; a page has one of them. */
  elementIds: readonly string[];
  unit: Unit;
  label: string;
}

/** One item as the page shows it. */
export interface Reading {
  item: Item;
  text: string;
}

/** The six items, in the order in which they are printed. */
export const items: readonly Item[] = [
  { name: 'status', elementIds: ['value_DeviceStatus'], unit: 'string', label: 'Status' },
  { name: 'load', elementIds: ['value_RealPowerPct'], unit: '%', label: 'Load' },
  { name: 'runtime', elementIds: ['value_RuntimeRemaining'], unit: 'min', label: 'Runtime remaining' },
  { name: 'voltage', elementIds: ['value_InputVoltage'], unit: 'VAC', label: 'Input voltage' },
  { name: 'battery', elementIds: ['value_BatteryCharge'], unit: '%', label: 'Battery charge' },
  { name: 'batteryvoltage', elementIds: ['value_VoltageDC'], unit: 'VDC', label: 'Battery voltage' },
];

/** Shown by larger models; read with --all. */
const more: readonly Item[] = [
  { name: 'temperature', elementIds: ['value_InternalTemp'], unit: '°C', label: 'Internal temperature' },
  { name: 'apparentload', elementIds: ['value_ApparentPowerPct'], unit: '%', label: 'Apparent load' },
  { name: 'current', elementIds: ['value_LoadCurrent'], unit: 'A', label: 'Load current' },
  { name: 'outputvoltage', elementIds: ['value_OutputVoltage'], unit: 'VAC', label: 'Output voltage' },
  { name: 'inputfrequency', elementIds: ['value_InputFrequency'], unit: 'Hz', label: 'Input frequency' },
  { name: 'outputfrequency', elementIds: ['value_OutputFrequency'], unit: 'Hz', label: 'Output frequency' },
];

/** `all`: every value of the page; unknown ones are named by their element id. */
export function toReadings(page: Page, all: boolean): Reading[] {
  const known = [...items, ...(all ? more : [])];
  const named = known.flatMap((item) => {
    const id = item.elementIds.find((one) => page.values.has(one));
    const text = page.values.get(id ?? '');
    return text === undefined ? [] : [{ item, text: stripUnit(text, item.unit) }];
  });
  return all ? [...named, ...toUnnamedReadings(page, new Set(known.flatMap(({ elementIds }) => elementIds)))] : named;
}

/** Which of the six items the page does not have. */
export function findMissing(readings: readonly Reading[]): Item[] {
  return items.filter((item) => !readings.some((reading) => reading.item === item));
}

function toUnnamedReadings(page: Page, known: ReadonlySet<string>): Reading[] {
  return [...page.values]
    .filter(([id]) => !known.has(id))
    .map(([id, text]) => {
      const outlet = /^status(\d+)$/.exec(id)?.[1];
      const name = outlet === undefined ? id : `outlet${outlet}`;
      return { item: { name, elementIds: [id], unit: 'string', label: outlet ? `Outlet group ${outlet}` : id }, text };
    });
}

const unitWords: Partial<Record<Unit, RegExp>> = {
  '%': /\s*%$/,
  min: /\s*min(?:utes?)?$/i,
  VAC: /\s*V(?:AC)?$/i,
  VDC: /\s*V(?:DC)?$/i,
  Hz: /\s*Hz$/i,
  A: /\s*A(?:mps?)?$/i,
};

/** Removes the unit when the page shows it in the value: `19.0 %` is 19.0. */
function stripUnit(text: string, unit: Unit): string {
  const word = unitWords[unit];
  const bare = word ? text.replace(word, '') : text;
  return /^[-+]?[\d.,]+$/.test(bare) ? bare : text;
}

/** Parses the number in an English text (`1,234` minutes, `28.3°C / 82.9°F`); null when there is none (`N/A`). */
export function parseNumber({ item, text }: Reading): number | null {
  if (item.unit === 'string') {
    return null;
  }
  const found = /^([-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?)(?:\s*°C\b.*)?$/.exec(text);
  return found ? Number(found[1]?.replaceAll(',', '')) : null;
}

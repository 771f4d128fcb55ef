// The pages besides the status page that the product's predecessor is known to have: battery and diagnostics, in English.

import type { Item, Values } from '../values.ts';
import { getLanguage } from './locales.ts';
import { escapeHtml } from './markup.ts';
import { formatValue } from './notation.ts';
import { framePage, type Look, type Row, writeRow } from './pages.ts';

/** Paths with their title and rows; an id is as readers of the predecessor have it, a text is ours. */
const pages: Readonly<Record<string, { title: string; items: readonly Item[]; texts: readonly Omit<Row, 'unit'>[] }>> =
  {
    '/batterymanagement': {
      title: 'Battery Management',
      items: ['BatteryCharge', 'VoltageDC', 'RuntimeRemaining'],
      texts: [{ id: 'value_BatteryStatus', label: 'Battery Status', text: 'Good' }],
    },
    '/diagnostics': {
      title: 'Diagnostics',
      items: [],
      texts: [
        { id: 'SelfTestDate', label: 'Last Self-Test', text: '01/02/2026' },
        { id: 'LastReplaceBatteryTestStatus', label: 'Self-Test Result', text: 'Passed' },
        { id: 'RuntimeCalibDate', label: 'Last Calibration', text: 'Never' },
        { id: 'LastRunTimeCalibrationStatus', label: 'Calibration Result', text: 'Not Available' },
      ],
    },
  };

export const morePaths: readonly string[] = Object.keys(pages);

/** The page at one of `morePaths`, in the notation of `locale`. */
export function writeMorePage(path: string, locale: string, values: Values, look: Look): string {
  const { title = '', items = [], texts = [] } = pages[path] ?? {};
  const words = getLanguage(locale);
  const measured = items.flatMap((item) => {
    const value = values[item];
    return value === null
      ? []
      : writeRow(
          {
            id: `value_${item}`,
            label: words.labels[item].text,
            text: formatValue(item, value, words, false),
            unit: words.units[item]?.text,
          },
          look,
        );
  });
  return framePage(locale, title, look, [
    '<body>',
    `<div id="header"><h1>UPS Management</h1><a href="/logoff" id="logoff">${escapeHtml(words.logOff.text)}</a></div>`,
    '<div id="content">',
    `<h2>${escapeHtml(title)}</h2>`,
    ...texts.flatMap((row) => writeRow({ ...row, unit: undefined }, look)),
    ...measured,
    '</div>',
    '</body>',
  ]);
}

// Saves the rules as a file.
import { saveFile } from '../parts/save-file.ts';
import { exact } from '../text/format.ts';
import type { Rule } from './rule-words.ts';

const columns = ['id', 'effect', 'scope', 'kind', 'target', 'device', 'until', 'reason', 'by', 'createdAt'] as const;

export function exportRules(rules: readonly Rule[], format: 'CSV' | 'JSON'): void {
  const [content, type] =
    format === 'CSV' ? [toCsv(rules), 'text/csv'] : [JSON.stringify({ rules }, null, 2), 'application/json'];
  saveFile(new Blob([content], { type: `${type};charset=utf-8` }), `alert-rules.${format.toLowerCase()}`);
}

function toCsv(rules: readonly Rule[]): string {
  const lines = rules.map((rule) =>
    columns.map((name) => {
      const value = rule[name];
      const isInstant = (name === 'until' || name === 'createdAt') && typeof value === 'number';
      return isInstant ? exact(value) : String(value ?? '');
    }),
  );
  return [[...columns], ...lines].map((line) => `${line.map(toCell).join()}\r\n`).join('');
}

/** An apostrophe is put before what a spreadsheet would take for a formula, as in the export of the log. */
function toCell(value: string): string {
  const guarded = /^(?:\s*[=+\-@]|[\t\r])/.test(value) ? `'${value}` : value;
  return `"${guarded.replaceAll('"', '""')}"`;
}

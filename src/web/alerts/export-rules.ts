// Saves the rules as a file.
import { toCsv } from '../parts/csv.ts';
import { saveFile } from '../parts/save-file.ts';
import { exact } from '../text/format.ts';
import type { Rule } from './rule-words.ts';

const columns = ['id', 'effect', 'scope', 'kind', 'target', 'device', 'until', 'reason', 'by', 'createdAt'] as const;

export function exportRules(rules: readonly Rule[], format: 'CSV' | 'JSON'): void {
  const [content, type] =
    format === 'CSV'
      ? [toCsv(columns, rules.map(listCells)), 'text/csv']
      : [JSON.stringify({ rules }, null, 2), 'application/json'];
  saveFile(new Blob([content], { type: `${type};charset=utf-8` }), `alert-rules.${format.toLowerCase()}`);
}

function listCells(rule: Rule): unknown[] {
  return columns.map((name) => {
    const value = rule[name];
    return (name === 'until' || name === 'createdAt') && typeof value === 'number' ? exact(value) : value;
  });
}

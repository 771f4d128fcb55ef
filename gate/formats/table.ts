// The table that people read: one line per check; below a failed check, the reason and the remedy.
import { type Finding, holds } from '../check.ts';
import { toRemarks } from '../remarks.ts';
import type { Report } from '../report.ts';
import { formatVerdict, toRows } from './rows.ts';

const marks: Record<Finding['outcome'], string> = {
  pass: 'pass      ',
  'not-required': 'not needed',
  fail: 'FAIL      ',
  untestable: 'UNTESTABLE',
};

export function formatTable(report: Report, reportPath: string): string {
  const lines = toRows(report).flatMap(({ id, outcome, because, asks, remedy }) => {
    const head = `${marks[outcome]}  ${id.padEnd(30)} ${asks}`;
    if (outcome === 'not-required') {
      return [head, `${' '.repeat(12)}${because}`];
    }
    return holds({ outcome }) ? [head] : [head, `${' '.repeat(12)}${because}`, `${' '.repeat(12)}→ ${remedy}`];
  });
  return `${[...lines, '', formatVerdict(report), ...toRemarks(report), `Report: ${reportPath}`].join('\n')}\n`;
}

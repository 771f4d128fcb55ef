// A summary in GitHub's Markdown: the verdict, the checks that do not hold, those that were not needed, the remarks.
import { type Finding, holds } from '../check.ts';
import { toRemarks } from '../remarks.ts';
import type { Report } from '../report.ts';
import { countRows, formatVerdict, type Row, toPlainLine, toRows } from './rows.ts';

/** The first characters of a report in this format, by which an earlier report is recognised. */
export const markdownHead = '## gatehouse gate: ';

const words: Record<Finding['outcome'], string> = {
  pass: 'holds',
  'not-required': 'not needed',
  fail: '❌ fails',
  untestable: '⚠️ untestable',
};

export function formatMarkdown(report: Report): string {
  const rows = toRows(report);
  const counts = (Object.keys(words) as Finding['outcome'][]).map((outcome) => countRows(rows, outcome));
  const open = rows.filter((row) => !holds(row));
  const skipped = rows.filter(({ outcome }) => outcome === 'not-required');
  return `${[
    `${markdownHead}${escapeMarkdown(report.status)}`,
    escapeMarkdown(formatVerdict(report)),
    [
      ...toTable(['Endpoint', 'Hold', 'Not needed', 'Fail', 'Untestable']),
      toLine([report.endpoint, ...counts.map(String)]),
    ].join('\n'),
    ...(open.length === 0 ? [] : [toFindings(open)]),
    ...(skipped.length === 0 ? [] : [toFindings(skipped)]),
    toRemarks(report)
      .map((remark) => `- ${escapeMarkdown(remark)}`)
      .join('\n'),
  ].join('\n\n')}\n`;
}

function toFindings(rows: readonly Row[]): string {
  return [
    ...toTable(['Check', 'Result', 'Why', 'What to do']),
    ...rows.map((row) =>
      toLine([`${row.id}: ${row.asks}`, words[row.outcome], row.because ?? '', holds(row) ? '' : row.remedy]),
    ),
  ].join('\n');
}

function toTable(heads: readonly string[]): string[] {
  return [toLine(heads), toLine(heads).replace(/[^|]+/g, ' --- ')];
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.map(escapeMarkdown).join(' | ')} |`;
}

/** One line of text without markup: no table cell, link, address, mention, HTML or formula begins or ends in it. */
function escapeMarkdown(text: string): string {
  return toPlainLine(text).replace(/[\\`*_{}[\]<>()#!|~&:@$.]/g, '\\$&');
}

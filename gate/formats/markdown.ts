// A summary in GitHub's Markdown: the verdict, the checks that do not hold, those that were not needed, the remarks.
import { type Finding, holds } from '../check.ts';
import { toRemarks } from '../remarks.ts';
import type { Report } from '../report.ts';
import { countRows, formatVerdict, type Row, toPlainLine, toRows } from './rows.ts';

/** The first characters of each output in this format. */
export const markdownHead = '## gatehouse gate: ';

const outcomeWords: Record<Finding['outcome'], string> = {
  pass: 'holds',
  'not-required': 'not needed',
  fail: '❌ fails',
  untestable: '⚠️ untestable',
};

export function formatMarkdown(report: Report): string {
  const rows = toRows(report);
  const counts = (Object.keys(outcomeWords) as Finding['outcome'][]).map((outcome) => countRows(rows, outcome));
  const open = rows.filter((row) => !holds(row));
  const skipped = rows.filter(({ outcome }) => outcome === 'not-required');
  return `${[
    `${markdownHead}${escapeMarkdown(report.status)}`,
    escapeMarkdown(formatVerdict(report)),
    [
      ...formatTableHead(['Endpoint', 'Hold', 'Not needed', 'Fail', 'Untestable']),
      formatTableLine([report.endpoint, ...counts.map(String)]),
    ].join('\n'),
    ...(open.length === 0 ? [] : [formatFindings(open)]),
    ...(skipped.length === 0 ? [] : [formatFindings(skipped)]),
    toRemarks(report)
      .map((remark) => `- ${escapeMarkdown(remark)}`)
      .join('\n'),
  ].join('\n\n')}\n`;
}

function formatFindings(rows: readonly Row[]): string {
  return [
    ...formatTableHead(['Check', 'Result', 'Why', 'What to do']),
    ...rows.map((row) =>
      formatTableLine([
        `${row.id}: ${row.asks}`,
        outcomeWords[row.outcome],
        row.because ?? '',
        holds(row) ? '' : row.remedy,
      ]),
    ),
  ].join('\n');
}

function formatTableHead(heads: readonly string[]): string[] {
  return [formatTableLine(heads), formatTableLine(heads).replace(/[^|]+/g, ' --- ')];
}

function formatTableLine(cells: readonly string[]): string {
  return `| ${cells.map(escapeMarkdown).join(' | ')} |`;
}

/** One line of text without markup: no table cell, link, address, mention, HTML or formula begins or ends in it. */
function escapeMarkdown(text: string): string {
  return toPlainLine(text).replace(/[\\`*_{}[\]<>()#!|~&:@$.]/g, '\\$&');
}

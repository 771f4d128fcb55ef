// Work on a closed database file: it is whole afterwards, or what it was, and nothing stays open.
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyChecked, removeDurably } from '#kernel/files/large-files.ts';
import {
  changeClosed,
  copyDatabase,
  migrateClosed,
  rollBackInterrupted,
  schemaDifferences,
} from '#kernel/sqlite/database-copy.ts';
import { applyMigrations } from '#kernel/sqlite/migrations.ts';
import { openFilesBelow } from '../support/open-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: ReturnType<typeof temporaryFolder>;
const at = (name: string) => path.join(folder.path, name);
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(at('steps'));
  writeFileSync(
    at('steps/001-first.sql'),
    'CREATE TABLE t(name TEXT UNIQUE, n INTEGER) STRICT; CREATE INDEX by_n ON t(n);',
  );
});
afterEach(() => {
  expect(openFilesBelow(folder.path)).toEqual([]);
  folder[Symbol.dispose]();
});

function createDatabase(rows = 1000): string {
  const file = at('one.db');
  const db = new Database(file);
  applyMigrations(db, at('steps'));
  const insert = db.prepare('INSERT INTO t VALUES (?, ?)');
  db.transaction(() => {
    for (let n = 0; n < rows; n += 1) {
      insert.run(`row ${n}`, n);
    }
  })();
  db.close();
  return file;
}

const sumOf = (file: string) => changeClosed(file, (writer) => writer.prepare('SELECT sum(n) FROM t').pluck().get());

test('a transaction that a crash interrupted is undone', () => {
  const file = createDatabase();
  const before = sumOf(file);
  const db = new Database(file);
  db.pragma('cache_size = 1');
  db.pragma('cache_spill = 1');
  db.exec('BEGIN; UPDATE t SET n = n + 1');
  cpSync(file, at('crashed.db'));
  cpSync(`${file}-journal`, at('crashed.db-journal'));
  db.exec('ROLLBACK');
  db.close();
  expect(readFileSync(at('crashed.db')).equals(readFileSync(file))).toBe(false);
  rollBackInterrupted(at('crashed.db'));
  expect(existsSync(at('crashed.db-journal'))).toBe(false);
  expect(readFileSync(at('crashed.db')).equals(readFileSync(file))).toBe(true);
  expect(sumOf(at('crashed.db'))).toBe(before);
  rollBackInterrupted(at('absent.db'));
});

test('the schema of a file is compared with that of its version: statistics and indexes of constraints are none of it', () => {
  const file = createDatabase();
  changeClosed(file, (writer) => writer.exec('ANALYZE'));
  expect(schemaDifferences(file, at('steps'))).toEqual([]);
  changeClosed(file, (writer) => writer.exec('DROP INDEX by_n; CREATE INDEX other ON t(n)'));
  expect(schemaDifferences(file, at('steps'))).toEqual([
    'index by_n is missing or changed',
    'index other is not of this product',
  ]);
});

test('a step that finds damaged pages leaves the file as it was', () => {
  const file = createDatabase(50_000);
  const before = readFileSync(file);
  before.subarray(-8192, -4096).fill(0xa5);
  writeFileSync(file, before);
  writeFileSync(at('steps/002-second.sql'), 'CREATE TABLE other(n INTEGER) STRICT;');
  expect(() => migrateClosed(file, at('steps'))).toThrow(/damaged after migration 002-second\.sql/);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a folder without steps brings a database to version 0', () => {
  mkdirSync(at('none'));
  const db = new Database(':memory:');
  expect(applyMigrations(db, at('none'))).toBe(0);
  db.close();
});

test('a database that is locked is not damaged: its copy says so and leaves nothing open', () => {
  const file = createDatabase();
  const holder = new Database(file);
  holder.exec('BEGIN EXCLUSIVE');
  expect(() => copyDatabase(file, at('copy.db'))).toThrow(expect.not.objectContaining({ code: 'database_damaged' }));
  holder.close();
  copyDatabase(file, at('copy2.db'));
  expect(sumOf(at('copy2.db'))).toBe(sumOf(file));
});

test('a file is copied with its checksum, and one that is absent may be removed', async () => {
  const file = createDatabase();
  const { size } = await copyChecked(file, at('copy.db'));
  expect([size, readFileSync(at('copy.db')).equals(readFileSync(file))]).toEqual([statSync(file).size, true]);
  removeDurably(at('copy.db'));
  removeDurably(at('copy.db'));
  expect(existsSync(at('copy.db'))).toBe(false);
});

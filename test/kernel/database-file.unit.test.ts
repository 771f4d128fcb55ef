// Whose database a file is: one of this kind, none yet, another program's, or a damaged one.
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { DamagedDatabase, inspectDatabase, markDatabase } from '#kernel/sqlite/database-file.ts';
import { parseDatabaseHeader } from '#kernel/sqlite/database-header.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const kind = { applicationId: 0x1234, table: 'flow' };

function made(file: string, sql: string): void {
  new Database(file).exec(sql).close();
}

/** Replaces bytes of `file` from `at` on. */
function overwrite(file: string, at: number, bytes: readonly number[]): void {
  const content = readFileSync(file);
  content.set(bytes, at);
  writeFileSync(file, content);
}

const idOf = (file: string) => {
  const db = new Database(file, { readonly: true });
  const id = db.pragma('application_id', { simple: true });
  db.close();
  return id;
};

test.each<[what: string, make: (file: string) => void, isOurs: boolean]>([
  ['a missing file', () => undefined, false],
  ['an empty file', (file) => writeFileSync(file, ''), false],
  ['a database without tables', (file) => made(file, 'PRAGMA user_version = 1'), false],
  ['one that bears the id', (file) => made(file, 'PRAGMA application_id = 0x1234'), true],
  [
    'one with other tables that bears the id',
    (file) => made(file, 'PRAGMA application_id=0x1234; CREATE TABLE a(n)'),
    true,
  ],
  ['one from before the id', (file) => made(file, 'CREATE TABLE a(n); CREATE TABLE flow(n)'), true],
  ['one with large pages', (file) => made(file, 'PRAGMA page_size = 65536; CREATE TABLE flow(n)'), true],
  [
    'one that goes on in its write-ahead log',
    (file) => {
      const writer = new Database(`${file}-other`);
      writer.pragma('journal_mode = WAL');
      writer.exec('CREATE TABLE flow(n)');
      copyFileSync(writer.name, file);
      copyFileSync(`${writer.name}-wal`, `${file}-wal`);
      writer.close();
      // The count of pages.
      overwrite(file, 28, [0, 0, 0, 100]);
    },
    true,
  ],
])('%s', (_what, make, isOurs) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'test.db');
  make(file);
  expect(inspectDatabase(file, kind)).toBe(isOurs);
});

test.each<[what: string, make: (file: string) => void, says: RegExp]>([
  ['other tables', (file) => made(file, 'CREATE TABLE album(n)'), /is the database of another program: move it away/],
  [
    'another id, although it has the table',
    (file) => made(file, 'PRAGMA application_id = 0x4321; CREATE TABLE flow(n)'),
    /is the database of another program/,
  ],
  ['another id and no table', (file) => made(file, 'PRAGMA application_id = 0x4321'), /is the database of another/],
  [
    '99 bytes',
    (file) => writeFileSync(file, 'SQLite format 3\0'.padEnd(99, '\0')),
    /is not an SQLite database, or its/,
  ],
  ['other text', (file) => writeFileSync(file, 'x'.repeat(8192)), /is not an SQLite database, or its beginning/],
  [
    'fewer bytes than it had',
    (file) => {
      made(file, 'PRAGMA page_size = 65536; CREATE TABLE flow(n)');
      truncateSync(file, 70_000);
    },
    /is damaged: its 70000 bytes are shorter than the 131072 it had: put a backup back/,
  ],
  [
    'a first page that SQLite cannot read',
    (file) => {
      made(file, 'CREATE TABLE flow(n)');
      overwrite(file, 100, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    },
    /is damaged \(.*(?:malformed|not a database).*\): put a backup back/,
  ],
])('a file with %s is refused, and closed', (_what, make, says) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'test.db');
  make(file);
  const before = readFileSync(file);
  const handle = openSync(folder.path, 'r');
  closeSync(handle);
  for (let round = 0; round < 20; round += 1) {
    expect(() => inspectDatabase(file, kind)).toThrow(says);
    expect(() => inspectDatabase(file, kind)).toThrow(`${file} is `);
  }
  const after = openSync(folder.path, 'r');
  closeSync(after);
  expect(after).toBeLessThan(handle + 20);
  expect(readFileSync(file)).toEqual(before);
});

test.each<[what: string, make: (file: string) => void]>([
  ['a folder', (file) => mkdirSync(file)],
  ['a link into a folder that is not there', (file) => symlinkSync('/nowhere/test.db', file)],
])('%s in its place is named', (_what, make) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'test.db');
  make(file);
  expect(() => inspectDatabase(file, kind)).toThrow(`${file} cannot be read (`);
});

test.each([
  ['format to write', 18, [3]],
  ['format to read', 19, [3]],
  ['schema format', 44, [0, 0, 0, 5]],
])('a %s that SQLite has not is damage', (_what, at, bytes) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'test.db');
  made(file, `PRAGMA application_id = ${kind.applicationId}; CREATE TABLE flow(n)`);
  // https://sqlite.org/fileformat.html, section 1.3.
  overwrite(file, at, bytes);
  expect(() => inspectDatabase(file, kind)).toThrow(DamagedDatabase);
});

test('a file without an id gets one, another id stays', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'test.db');
  made(file, 'CREATE TABLE flow(n)');
  markDatabase(file, kind);
  expect(idOf(file)).toBe(0x1234);
  markDatabase(file, { ...kind, applicationId: 0x4321 });
  expect(idOf(file)).toBe(0x1234);
});

test('an id that cannot be written is said', () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'test.db');
  made(file, 'CREATE TABLE flow(n)');
  // Where SQLite wants to write its rollback journal.
  mkdirSync(`${file}-journal`);
  expect(() => markDatabase(file, kind)).toThrow(
    expect.objectContaining({ code: 'save_failed', message: expect.stringMatching(/^test\.db could not be written/) }),
  );
  const other = path.join(folder.path, 'other');
  writeFileSync(other, 'x'.repeat(8192));
  expect(() => markDatabase(other, kind)).toThrow('file is not a database');
  expect(existsSync(`${other}-journal`)).toBe(false);
});

test('a header is that of SQLite when its page size is a power of two from 512 to 65,536', () => {
  const header = Buffer.alloc(100);
  header.write('SQLite format 3\0', 0, 'latin1');
  const sizes = Array.from({ length: 65_536 }, (_, stored) => {
    header.writeUInt16BE(stored, 16);
    const parsed = parseDatabaseHeader(header, 4096);
    return parsed === 'not SQLite' ? [] : [parsed.pageSize];
  });
  expect(sizes.flat()).toEqual([65_536, 512, 1024, 2048, 4096, 8192, 16_384, 32_768]);
});

// Connections that only read: what they keep, for how long, and that they change nothing. And what a migration may leave.
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Db, migrate, ReadConnection, type Reader } from '#kernel/sqlite/sqlite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function open(migration = 'CREATE TABLE t(n INTEGER) STRICT;') {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'test.db');
  const step = (name: string, sql: string) => writeFileSync(path.join(folder.path, name), sql);
  step('001-first.sql', migration);
  migrate(file, folder.path);
  const db = new Db(file);
  const reader = new ReadConnection(file, 1024);
  return {
    ...{ file, db, reader, step },
    migrate: () => migrate(file, folder.path),
    insert: (n: number) => db.write((writer) => void writer.prepare('INSERT INTO t VALUES (?)').run(BigInt(n))),
    async [Symbol.asyncDispose]() {
      reader.close();
      await db.close();
      folder[Symbol.dispose]();
    },
  };
}

const count = (reader: Pick<Reader, 'prepare'>) => reader.prepare('SELECT count(*) FROM t').pluck().get();

test('what was read is remembered until the file changes, 64 keys at most', async () => {
  await using scene = open();
  const { reader, insert } = scene;
  const read: string[] = [];
  const ask = (key: string) =>
    reader.remembered(key, () => {
      read.push(key);
      return count(reader);
    });
  const reads = (...keys: string[]) => {
    read.length = 0;
    keys.forEach(ask);
    return read.slice();
  };
  expect([ask('a'), ask('a'), read]).toEqual([0, 0, ['a']]);
  await insert(1);
  expect([ask('a'), ask('a')]).toEqual([1, 1]);
  expect(read).toEqual(['a', 'a']);
  const keys = Array.from({ length: 63 }, (_, at) => `key ${at}`);
  expect(reads(...keys.slice(1), 'a')).toEqual(keys.slice(1));
  expect(reads(...keys.slice(1), 'a')).toEqual([]);
  expect(reads('key 0', 'one more', 'a')).toEqual(['key 0', 'one more', 'a']);
  expect(reads('one more', 'a')).toEqual([]);
});

test('between begin and end every read sees the same, and ending twice is harmless', async () => {
  await using scene = open();
  const { reader, insert } = scene;
  reader.begin();
  expect(count(reader)).toBe(0);
  await insert(1);
  expect(count(reader)).toBe(0);
  reader.end();
  expect(count(reader)).toBe(1);
  reader.end();
  expect(count(reader)).toBe(1);
});

test('a connection that reads cannot write', async () => {
  await using scene = open();
  const { db, reader } = scene;
  for (const one of [db, reader]) {
    expect(() => one.prepare('INSERT INTO t VALUES (1)').run()).toThrow(/readonly/);
  }
  expect(count(db)).toBe(0);
});

test('statements are kept prepared, the newest 256', async () => {
  await using scene = open();
  const { db } = scene;
  const text = (n: number) => `SELECT ${n} FROM t`;
  const [first, second] = [db.prepare(text(1)), db.prepare(text(2))];
  for (let n = 3; n <= 256; n += 1) {
    db.prepare(text(n));
  }
  expect(db.prepare(text(1))).toBe(first);
  db.prepare(text(257));
  expect(db.prepare(text(2))).toBe(second);
  expect(db.prepare(text(1))).not.toBe(first);
});

test('what a write returns is its own: lists and nothing too; a reference to nowhere is refused', async () => {
  await using scene = open(`CREATE TABLE p(id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE t(n INTEGER REFERENCES p(id)) STRICT;`);
  const { db, insert } = scene;
  for (const value of [[1, 2], null, undefined, 'text', { next: 1 }, new Map([[1, 2]])]) {
    expect(await db.write(() => value)).toBe(value);
  }
  await expect(insert(7)).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
  expect(await db.save((writer) => writer.prepare('SELECT count(*) FROM t').pluck().get())).toBe(0);
});

test('what is written is in the file itself once it is closed, though others have it open', async () => {
  await using scene = open();
  const other = new Db(scene.file);
  await other.write((writer) => void writer.prepare('INSERT INTO t VALUES (1)').run());
  const logged = () => statSync(`${scene.file}-wal`).size;
  expect(logged()).toBeGreaterThan(0);
  await other.close();
  expect([logged(), count(scene.reader)]).toEqual([0, 1]);
});

test('a migration may write a table anew, but leaves no row without the one it refers to; other files are no steps', async () => {
  await using scene = open(`CREATE TABLE p(id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE t(n INTEGER REFERENCES p(id)) STRICT;
    INSERT INTO p VALUES (1); INSERT INTO t VALUES (1);`);
  for (const name of ['2-two.sql', '900-notes.txt', '0020-two.sql']) {
    scene.step(name, 'this is not SQL');
  }
  const anew = 'DROP TABLE p; CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT) STRICT;';
  scene.step('002-anew.sql', anew);
  expect(scene.migrate).toThrow('migration 002-anew.sql would leave rows of t without their p');
  expect(scene.db.schemaVersion()).toBe(1);
  // Only what is left after the last step counts.
  scene.step('003-filled.sql', 'INSERT INTO p VALUES (1, NULL);');
  expect(scene.migrate()).toBe(3);
  expect(scene.db.schemaVersion()).toBe(3);
  expect(scene.migrate()).toBe(3);
});

// Writes are alone, whole or not at all, and leave the event loop its turns; a newer file is refused.
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const shared = { folder: '' };
beforeEach(() => {
  shared.folder = makeFolder('db');
  writeFileSync(path.join(shared.folder, '001-first.sql'), 'CREATE TABLE t(n INTEGER) STRICT;');
});
afterEach(() => rmSync(shared.folder, { recursive: true }));

function open(): Db {
  const file = path.join(shared.folder, 'test.db');
  migrate(file, shared.folder);
  return new Db(file);
}
const count = (db: Db) => (db.prepare('SELECT count(*) AS n FROM t').get() as { n: number }).n;

test('a generator write gives the loop turns, and readers see it whole or not at all', async () => {
  const db = open();
  const seen: number[] = [];
  const writing = db.write(function* (writer) {
    const insert = writer.prepare('INSERT INTO t VALUES (?)');
    for (let n = 0; n < 20_000; n += 1) {
      insert.run(BigInt(n));
      yield;
    }
    return 'done';
  });
  let turns = 0;
  const looking = (async () => {
    while (seen.at(-1) !== 20_000) {
      seen.push(count(db));
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  expect(await writing).toBe('done');
  await looking;
  expect(turns).toBeGreaterThan(2);
  expect(new Set(seen)).toEqual(new Set([0, 20_000]));
  await db.close();
});

test('a long write is committed in a turn of its own: its last rows and its pages do not hold the loop together', async () => {
  const db = open();
  const seen: number[] = [];
  await db.write(function* (writer) {
    const insert = writer.prepare('INSERT INTO t VALUES (?)');
    for (let n = 0; n < 20_000; n += 1) {
      insert.run(BigInt(n));
      yield;
    }
    setImmediate(() => seen.push(count(db)));
  });
  expect(seen).toEqual([0]);
  await db.close();
});

test('many short generator writes in a row give the loop turns too', async () => {
  const db = open();
  const progress = { turns: 0, isDone: false };
  const turning = (async () => {
    while (!progress.isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      progress.turns += 1;
    }
  })();
  for (let write = 0; write < 2000; write += 1) {
    await db.write(function* (writer) {
      writer.prepare('INSERT INTO t VALUES (1)').run();
      yield;
    });
  }
  progress.isDone = true;
  await turning;
  expect(progress.turns).toBeGreaterThan(3);
  await db.close();
});

test('a write that throws, at once or after some turns, leaves nothing; the next one works', async () => {
  const db = open();
  const failing = db.write(function* (writer) {
    writer.prepare('INSERT INTO t VALUES (1)').run();
    yield;
    throw new Error('half way');
  });
  await expect(failing).rejects.toThrow('half way');
  await expect(
    db.write((writer) => {
      writer.prepare('INSERT INTO t VALUES (2)').run();
      throw new Error('at once');
    }),
  ).rejects.toThrow('at once');
  expect(count(db)).toBe(0);
  await db.write((writer) => writer.prepare('INSERT INTO t VALUES (3)').run());
  expect(count(db)).toBe(1);
  await db.close();
});

test('writes run one after the other in the order they were asked for', async () => {
  const db = open();
  const order: string[] = [];
  const slow = db.write(function* () {
    for (let step = 0; step < 1000; step += 1) {
      yield;
    }
    order.push('slow');
  });
  const quick = db.write(() => {
    order.push('quick');
  });
  await Promise.all([slow, quick]);
  expect(order).toEqual(['slow', 'quick']);
  await db.close();
});

test('close waits for the writes that were asked for before it, long ones too', async () => {
  const db = open();
  const written = [
    db.write(function* (writer) {
      for (let n = 0; n < 5000; n += 1) {
        writer.prepare('INSERT INTO t VALUES (1)').run();
        yield;
      }
    }),
    db.save((writer) => void writer.prepare('INSERT INTO t VALUES (2)').run()),
  ];
  const [closed, ...outcomes] = await Promise.allSettled([db.close(), ...written]);
  expect([closed.status, ...outcomes.map(({ status }) => status)]).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  const again = open();
  expect(count(again)).toBe(5001);
  await again.close();
});

test('migrations run once each, a failing one leaves the version before, a newer file is refused', async () => {
  const db = open();
  expect(db.schemaVersion()).toBe(1);
  await db.close();
  writeFileSync(
    path.join(shared.folder, '002-second.sql'),
    'ALTER TABLE t ADD COLUMN m INTEGER; CREATE TABLE broken(;',
  );
  expect(() => open()).toThrow(/syntax error/);
  writeFileSync(path.join(shared.folder, '002-second.sql'), 'ALTER TABLE t ADD COLUMN m INTEGER;');
  const upgraded = open();
  expect(upgraded.schemaVersion()).toBe(2);
  await upgraded.close();
  rmSync(path.join(shared.folder, '002-second.sql'));
  expect(() => open()).toThrow(/newer than this program/);
});

test('the database and what SQLite keeps beside it are readable by the owner alone', async () => {
  const db = open();
  await db.write((writer) => writer.prepare('INSERT INTO t VALUES (1)').run());
  const files = readdirSync(shared.folder).filter((name) => name.startsWith('test.db'));
  expect(files.length).toBeGreaterThan(1);
  for (const name of files) {
    expect([name, statSync(path.join(shared.folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  await db.close();
});

test('two migrations of one number are refused, and the database is what it was', () => {
  const db = open();
  writeFileSync(path.join(shared.folder, '002-one.sql'), 'CREATE TABLE one(n INTEGER) STRICT;');
  writeFileSync(path.join(shared.folder, '002-two.sql'), 'CREATE TABLE two(n INTEGER) STRICT;');
  expect(() => migrate(path.join(shared.folder, 'test.db'), shared.folder)).toThrow(
    /two migrations of .* have the number of 002-one\.sql/,
  );
  expect(db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()).toEqual(['t']);
});

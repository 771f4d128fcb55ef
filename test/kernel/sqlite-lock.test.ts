// Another program holds the write lock: writes wait without stopping the event loop, and are refused after a while.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { stopwatch, systemClock } from '#kernel/time/clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function open(folder: string): Db {
  writeFileSync(path.join(folder, '001-first.sql'), 'CREATE TABLE t(n INTEGER) STRICT;');
  const file = path.join(folder, 'test.db');
  migrate(file, folder);
  return new Db(file);
}

const insert = (db: Db, n: number) => db.write((writer) => writer.prepare('INSERT INTO t VALUES (?)').run(BigInt(n)));
const rows = (db: Db) => db.prepare('SELECT n FROM t ORDER BY rowid').pluck().all();

test('a write waits for the lock, the event loop goes on, and writes keep their order', async () => {
  using folder = temporaryFolder();
  const db = open(folder.path);
  const other = new Database(db.file);
  other.exec('BEGIN IMMEDIATE');
  const seen = { turns: 0, ended: 0 };
  const writes = [1, 2, 3].map((n) => insert(db, n).finally(() => (seen.ended += 1)));
  while (seen.turns < 20) {
    await systemClock.sleep(10);
    seen.turns += 1;
    expect(seen.ended).toBe(0);
  }
  other.exec('ROLLBACK');
  await Promise.all(writes);
  expect(rows(db)).toEqual([1, 2, 3]);
  other.close();
  await db.close();
});

test('writes that wait together are refused together, with a sentence; the next one works', async () => {
  using folder = temporaryFolder();
  const db = open(folder.path);
  const other = new Database(db.file);
  other.exec('BEGIN IMMEDIATE');
  const elapsed = stopwatch();
  const writes = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => insert(db, n)));
  // One after the other, each with a wait of its own, would take a minute.
  expect(elapsed()).toBeLessThan(30_000);
  for (const write of writes) {
    expect(write).toMatchObject({
      status: 'rejected',
      reason: { code: 'database_busy', status: 503, headers: { 'Retry-After': expect.stringMatching(/^\d+$/) } },
    });
  }
  expect(String((writes[0] as PromiseRejectedResult).reason)).toMatch(
    /another program holds the write lock of test\.db: .*try again/,
  );
  // It waits as long as any other, however long the lock was held before.
  const next = insert(db, 13);
  await systemClock.sleep(100);
  other.exec('ROLLBACK');
  await next;
  expect(rows(db)).toEqual([13]);
  other.close();
  await db.close();
});

test('a write that waited behind a long one of this program still waits for the lock', async () => {
  using folder = temporaryFolder();
  const db = open(folder.path);
  const other = new Database(db.file);
  const long = db.write(function* () {
    for (const elapsed = stopwatch(); elapsed() < 5_500; ) {
      yield;
    }
  });
  const behind = insert(db, 1);
  await long.then(() => other.exec('BEGIN IMMEDIATE'));
  await systemClock.sleep(200);
  other.exec('ROLLBACK');
  await behind;
  expect(rows(db)).toEqual([1]);
  other.close();
  await db.close();
});

test('when the program ends, a write gives up soon', async () => {
  using folder = temporaryFolder();
  const db = open(folder.path);
  const other = new Database(db.file);
  other.exec('BEGIN IMMEDIATE');
  const elapsed = stopwatch();
  const writes = Promise.allSettled([insert(db, 1), insert(db, 2)]);
  await systemClock.sleep(100);
  db.hurry();
  expect((await writes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(elapsed()).toBeLessThan(4_500);
  other.close();
  await db.close();
});

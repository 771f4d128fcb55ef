// A disk without room: a write is refused with a sentence and leaves nothing, and what follows works when there is room.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { messageOf } from '#kernel/errors.ts';
import { createCheckpointer } from '#kernel/sqlite/checkpoint.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { smallDisk } from '../support/mounted-disk.ts';
import { withSmallDisk } from '../support/small-disk.ts';

function open(folder: string): Db {
  writeFileSync(path.join(folder, '001-first.sql'), 'CREATE TABLE t(n INTEGER, text TEXT) STRICT;');
  const file = path.join(folder, 'test.db');
  migrate(file, folder);
  return new Db(file);
}

const insert = (db: Db, count: number) =>
  db.write(function* (writer) {
    for (let n = 0; n < count; n += 1) {
      writer.prepare('INSERT INTO t VALUES (?, hex(zeroblob(1000)))').run(BigInt(n));
      yield;
    }
  });
/** Makes a database and writes to it; what it says when there is no room, or nothing. */
async function firstStart(folder: string): Promise<string> {
  try {
    const file = path.join(folder, 'test.db');
    migrate(file, folder);
    const db = new Db(file);
    try {
      await insert(db, 40);
    } finally {
      await db.close();
    }
    return '';
  } catch (error) {
    return messageOf(error);
  }
}

const countIn = (db: Db) => db.prepare('SELECT count(*) FROM t').pluck().get();

withSmallDisk(() => {
  test('refuses writes, in whatever step, and takes the next one when it has room', async () => {
    using disk = smallDisk(2048);
    const db = open(disk.path);
    await insert(db, 1);
    disk.fill();
    for (const count of [1, 1, 500, 12_000]) {
      await expect(insert(db, count)).rejects.toMatchObject({
        code: 'save_failed',
        status: 500,
        message: expect.stringMatching(
          /^test\.db could not be written \(.+\): nothing was changed; .*room.*try again$/,
        ),
      });
      expect(countIn(db)).toBe(1);
    }
    disk.empty();
    await insert(db, 1);
    expect(countIn(db)).toBe(2);
    await db.close();
  });

  test('is said to be full, whichever step of a first start finds no room', async () => {
    using disk = smallDisk(2048);
    const said = new Set<string>();
    for (let roomKb = 0; roomKb <= 160; roomKb += 4) {
      const folder = path.join(disk.path, String(roomKb));
      mkdirSync(folder);
      writeFileSync(path.join(folder, '001-first.sql'), 'CREATE TABLE t(n INTEGER, text TEXT) STRICT;');
      disk.fill(roomKb);
      said.add(await firstStart(folder));
      disk.empty();
    }
    expect([...said].filter((text) => !/^$|disk is full|no space left/.test(text))).toEqual([]);
    expect(said.size).toBeGreaterThan(1);
  });

  test('holds up a checkpoint, not the thread that makes it, nor the end of the program', async () => {
    using disk = smallDisk(4096);
    const db = open(disk.path);
    await insert(db, 500);
    disk.fill();
    let failures = 0;
    const checkpointer = createCheckpointer(db.file, () => {
      failures += 1;
    });
    checkpointer.ask();
    await checkpointer[Symbol.asyncDispose]();
    expect(failures).toBe(0);
    await db.close();
    disk.empty();
    const after = new Db(db.file);
    expect(countIn(after)).toBe(500);
    await after.close();
  });
});

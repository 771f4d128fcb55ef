// The write-ahead log is carried over into the database file by a thread, while the database is in use.
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createCheckpointer } from '#kernel/sqlite/checkpoint.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { eventually } from '../support/eventually.ts';
import { root, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function open(folder: string): Db {
  writeFileSync(path.join(folder, '001-first.sql'), 'CREATE TABLE t(n INTEGER) STRICT;');
  const file = path.join(folder, 'test.db');
  migrate(file, folder);
  return new Db(file);
}

function insertRows(db: Db, count: number): Promise<void> {
  return db.write((writer) => {
    const insert = writer.prepare('INSERT INTO t VALUES (?)');
    for (let n = 0; n < count; n += 1) {
      insert.run(BigInt(n));
    }
  });
}

/** Rows in the database file as it stands, without its write-ahead log; `null` for a copy made in mid-checkpoint. */
async function rowsInFile(db: Db): Promise<number | null> {
  const copy = `${db.file}.copy`;
  copyFileSync(db.file, copy);
  const alone = new Database(copy);
  try {
    return Number(alone.prepare('SELECT count(*) FROM t').pluck().get());
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_CORRUPT') {
      return null;
    }
    throw error;
  } finally {
    alone.close();
  }
}

test('many changed rows reach the file while the database stays open, write after write', async () => {
  using folder = temporaryFolder();
  const db = open(folder.path);
  for (const total of [5_000, 10_000, 15_000]) {
    await insertRows(db, 5_000);
    await eventually(
      () => rowsInFile(db),
      (rows) => rows === total || undefined,
    );
  }
  await db.close();
});

test('writes that come faster than checkpoints are carried over too', async () => {
  using folder = temporaryFolder();
  const db = open(folder.path);
  const reaches = (count: number) =>
    eventually(
      () => rowsInFile(db),
      (rows) => rows === count || undefined,
    );
  await insertRows(db, 2_000);
  await reaches(2_000);
  await Promise.all(Array.from({ length: 19 }, () => insertRows(db, 2_000)));
  await reaches(40_000);
  await db.close();
});

test('a file is closed when its thread has ended', async () => {
  using folder = temporaryFolder();
  const db = open(folder.path);
  const seen: string[] = [];
  process.once('worker', (worker) => {
    seen.push('started');
    worker.once('exit', () => seen.push('ended'));
  });
  await insertRows(db, 2000);
  await db.close();
  expect(seen).toEqual(['started', 'ended']);
});

test('a thread that cannot work says so once, and ending it afterwards is harmless', async () => {
  using folder = temporaryFolder();
  let failures = 0;
  const failed = Promise.withResolvers<void>();
  const checkpointer = createCheckpointer(path.join(folder.path, 'no-such.db'), () => {
    failures += 1;
    failed.resolve();
  });
  checkpointer.ask();
  checkpointer.ask();
  await failed.promise;
  checkpointer.ask();
  await checkpointer[Symbol.asyncDispose]();
  expect(failures).toBe(1);
});

/** A program of its own that makes a checkpointer of `file` and goes on with `rest`. */
function programWith(file: string, rest: string) {
  const kernel = pathToFileURL(path.join(root, 'src/kernel/sqlite/checkpoint.ts')).href;
  const script = `import { createCheckpointer } from '${kernel}';
    const checkpointer = createCheckpointer(process.argv[2], () => console.log('failed'));
    checkpointer.ask();
    ${rest}`;
  const program = `${file}.mjs`;
  writeFileSync(program, script);
  return runProgram([program, file]);
}

test('the thread keeps no program from ending, and a program waits for the thread that it ends', async () => {
  using folder = temporaryFolder();
  const db = open(folder.path);
  await db.close();
  expect(await programWith(db.file, '')).toMatchObject({ code: 0, stdout: '' });
  const ending = `await checkpointer[Symbol.asyncDispose]();
    console.log('ended');
    checkpointer.ask();
    checkpointer.ask();`;
  expect(await programWith(db.file, ending)).toMatchObject({ code: 0, stdout: 'ended\n' });
});

test('without an ask there is no thread, neither before its end nor after it', async () => {
  using folder = temporaryFolder();
  const started: unknown[] = [];
  const note = (worker: unknown) => void started.push(worker);
  process.on('worker', note);
  try {
    const checkpointer = createCheckpointer(path.join(folder.path, 'no-such.db'), () => started.push('failed'));
    await checkpointer[Symbol.asyncDispose]();
    checkpointer.ask();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('worker', note);
  }
  expect(started).toEqual([]);
});

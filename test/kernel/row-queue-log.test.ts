// What the log says of rows that are refused or lost: once each time it begins, how many, and when they are written.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createRowQueue } from '#kernel/sqlite/row-queue.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { eventually } from '../support/eventually.ts';
import { collectLog } from '../support/log-lines.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const retryMs = 5000;
const [warning, error] = [40, 50];

/** SQLite says that it is full when an AUTOINCREMENT has no number left (https://sqlite.org/autoinc.html). */
const table = 'CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER CHECK (n >= 0)) STRICT;';
const numbers = {
  use: "INSERT INTO sqlite_sequence(name, seq) VALUES ('t', 9223372036854775807)",
  free: "DELETE FROM sqlite_sequence WHERE name = 't'",
};

function open(most = 1000) {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder.path, '001-first.sql'), table);
  const file = path.join(folder.path, 'test.db');
  migrate(file, folder.path);
  const db = new Db(file);
  const clock = new ManualClock();
  const { log, lines } = collectLog('warn');
  const queue = createRowQueue<{ n: number }>({
    ...{ db, clock, log, what: 'rows', insert: 'INSERT INTO t(n) VALUES (@n)' },
    ...{ most, retryMs, reportEvery: 3 },
  });
  const run = (sql: string) => db.write((writer) => void writer.prepare(sql).run());
  return {
    ...{ clock, queue },
    add: (n: number) => queue.add({ n }),
    written: () => db.prepare('SELECT n FROM t ORDER BY rowid').pluck().all(),
    async refuse() {
      await run(numbers.free);
      await run(numbers.use);
    },
    accept: () => run(numbers.free),
    /** Level, text and counts of the lines since the last call. */
    said: () =>
      (lines.splice(0) as unknown as Record<string, unknown>[]).map(({ level, msg, waiting, written, lost }) => [
        level,
        msg,
        ...[waiting, written, lost].filter((count) => count !== undefined),
      ]),
    async [Symbol.asyncDispose]() {
      await queue[Symbol.asyncDispose]();
      await db.close();
      folder[Symbol.dispose]();
    },
  };
}

const wait = 'rows cannot be written: they wait';
const waited = 'rows that waited are written';
const lost = 'rows are lost: they cannot be written';

test('rows that are refused are said once, tried again by themselves, and said when they are written', async () => {
  await using scene = open();
  const { clock, queue, add, written, said, refuse, accept } = scene;
  await add(0);
  expect(said()).toEqual([]);
  for (const round of [1, 2]) {
    await refuse();
    await add(10 * round);
    await add(10 * round + 1);
    expect(said()).toEqual([[error, wait, 1]]);
    await clock.advance(retryMs);
    await queue.settled();
    expect([said(), written().at(-1)]).toEqual([[], round === 1 ? 0 : 11]);
    expect(queue.behindMs()).toBe(retryMs);
    await accept();
    await clock.advance(retryMs);
    // Nobody asks for it.
    await eventually(
      async () => written().at(-1),
      (n) => n === 10 * round + 1 || undefined,
    );
    await queue.settled();
    expect(said()).toEqual([[warning, waited, 2, 0]]);
    expect([queue.behindMs(), clock.sleeping]).toEqual([0, 0]);
  }
  expect(written()).toEqual([0, 10, 11, 20, 21]);
  await add(5);
  expect(said()).toEqual([]);
});

test('rows that the table does not take are lost; the first is said, then every so many, and the end of it', async () => {
  await using scene = open();
  const { queue, add, written, said } = scene;
  for (const times of [1, 2]) {
    const counts: unknown[] = [];
    for (let n = 1; n <= 7; n += 1) {
      await add(-n);
      counts.push(...said());
    }
    expect(counts).toEqual([1, 3, 6].map((count) => [error, lost, count]));
    await add(times);
    expect(said()).toEqual([[warning, waited, 1, 7]]);
    await add(times);
    expect(said()).toEqual([]);
  }
  expect([written(), queue.behindMs()]).toEqual([[1, 1, 2, 2], 0]);
});

test('a row too many is lost at once, and counted to the end', async () => {
  const scene = open(2);
  const { queue, add, said, refuse } = scene;
  await refuse();
  await Promise.all([add(1), add(2)]);
  expect(said()).toEqual([[error, wait, 2]]);
  await add(3);
  expect(said()).toEqual([[error, lost, 1]]);
  expect(queue.isFull()).toBe(true);
  await scene[Symbol.asyncDispose]();
  expect(said()).toEqual([[error, 'rows are lost: the program ends, and they cannot be written', 3]]);
  expect(scene.clock.sleeping).toBe(0);
});

test('at the end what waits is tried once more, before the next try is due', async () => {
  await using scene = open();
  const { clock, queue, add, written, said, refuse, accept } = scene;
  await refuse();
  await add(1);
  await expect.poll(() => clock.sleeping).toBe(1);
  await accept();
  said();
  await queue[Symbol.asyncDispose]();
  expect(written()).toEqual([1]);
  expect(said()).toEqual([[warning, waited, 1, 0]]);
  expect(clock.sleeping).toBe(0);
});

test('who waits for the queue is not held up by rows that keep coming while the database refuses', async () => {
  await using scene = open();
  const { queue, add, refuse } = scene;
  await refuse();
  let isSettled = false;
  void add(0);
  void queue.settled().then(() => {
    isSettled = true;
  });
  for (let n = 1; n <= 50; n += 1) {
    void add(n);
    await yieldToEventLoop();
  }
  expect(isSettled).toBe(true);
});

test('a row that is added after the end is tried once, and nobody waits for it forever', async () => {
  await using scene = open();
  const { queue, add, written, said, refuse } = scene;
  await queue[Symbol.asyncDispose]();
  await add(1);
  expect(written()).toEqual([1]);
  await refuse();
  await add(2);
  await queue.settled();
  expect(said()).toEqual([[error, wait, 1]]);
});

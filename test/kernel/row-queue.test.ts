// Rows of an audit on their way to the disk: their order, how late they are, and the next try, when the disk refuses them.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '#kernel/process/log.ts';
import { createRowQueue } from '#kernel/sqlite/row-queue.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { smallDisk } from '../support/mounted-disk.ts';
import { withSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const retryMs = 5000;

/** Each row takes so long that the write gives the event loop a turn after it. */
const slowTable = `CREATE TABLE t(n INTEGER) STRICT;
  CREATE TRIGGER slow AFTER INSERT ON t BEGIN SELECT length(randomblob(5000000)); END;`;

function open(folder: string, most = 1000) {
  writeFileSync(path.join(folder, '001-first.sql'), slowTable);
  const file = path.join(folder, 'test.db');
  migrate(file, folder);
  const db = new Db(file);
  const clock = new ManualClock();
  const queue = createRowQueue<{ n: number }>({
    ...{ db, clock, log: createLog('test', 'silent'), what: 'rows', insert: 'INSERT INTO t VALUES (@n)' },
    ...{ most, retryMs, reportEvery: 100 },
  });
  return {
    clock,
    queue,
    add: (...rows: number[]) => rows.map((n) => queue.add({ n })),
    written: () => db.prepare('SELECT n FROM t ORDER BY rowid').pluck().all(),
    async close() {
      await queue[Symbol.asyncDispose]();
      await db.close();
    },
  };
}

/** Then a transaction is under way: it goes on for about as many turns as it has rows. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    await yieldToEventLoop();
  }
}

const eight = [1, 2, 3, 4, 5, 6, 7, 8];

test('a row that is added while others are written is late from then on, until it is written too', async () => {
  using folder = temporaryFolder();
  const { clock, queue, add, written, close } = open(folder.path);
  const [first] = add(...eight);
  await someTurns();
  clock.jump(clock.now() + 2000);
  expect(queue.behindMs()).toBe(2000);
  const [second] = add(9);
  clock.jump(clock.now() + 3000);
  await first;
  expect(queue.behindMs()).toBe(3000);
  await second;
  expect([queue.behindMs(), written()]).toEqual([0, [...eight, 9]]);
  await close();
});

test('what waits when it is disposed of is written first', async () => {
  using folder = temporaryFolder();
  const { queue, add, close } = open(folder.path);
  const rows = add(...eight);
  await someTurns();
  rows.push(...add(9, 10));
  await close();
  expect(queue.behindMs()).toBe(0);
  await Promise.all(rows);
});

test('beyond as many rows as may wait, the newest are lost', async () => {
  using folder = temporaryFolder();
  const { queue, add, written, close } = open(folder.path, 2);
  const rows = add(1);
  expect(queue.isFull()).toBe(false);
  rows.push(...add(2));
  expect(queue.isFull()).toBe(true);
  await Promise.all([...rows, ...add(3)]);
  expect(queue.isFull()).toBe(false);
  await Promise.all(add(4));
  expect(written()).toEqual([1, 2, 4]);
  await close();
});

withSmallDisk(() => {
  test('refuses rows: they are tried again, in order, each time it happens', async () => {
    using disk = smallDisk(2048);
    const { clock, add, written, close } = open(disk.path);
    await Promise.all(add(0));
    for (const round of [1, 2]) {
      const rows = eight.map((n) => 10 * round + n);
      disk.fill();
      const refused = add(...rows.slice(0, 5));
      await someTurns();
      refused.push(...add(...rows.slice(5)));
      await Promise.all(refused);
      expect(written()).not.toContain(rows[0]);
      disk.empty();
      // A row that came during a try is tried once more at once: that try may find room already.
      await eventually(
        async () => clock.sleeping === 1 || written().includes(rows[0]),
        (isDone) => isDone || undefined,
      );
      await clock.advance(retryMs);
      const last = await eventually(
        async () => written().slice(-8),
        (found) => (found.includes(rows[0]) ? found : undefined),
      );
      expect(last).toEqual(rows);
    }
    await close();
  });
});

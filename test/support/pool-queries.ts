// Queries for the test of the reader pool: answers, streams, failures, and work that takes a while.
import { threadId } from 'node:worker_threads';
import { AppError } from '#kernel/errors.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';

const counting = `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?) SELECT sum(x) AS sum FROM n`;

export const queries = {
  thread: () => threadId,
  rows: (reader: Reader) => reader.prepare('SELECT count(*) AS rows FROM item').get(),
  /** SQLite counts to `to`: a million takes about a tenth of a second. */
  count: (reader: Reader, { to }: { to: number }) => reader.prepare(counting).get(to),
  refuse: () => {
    throw new AppError('invalid_query', 'src is wrong');
  },
  fail: () => {
    throw new TypeError('a mistake');
  },
  write: (reader: Reader) => reader.prepare('DELETE FROM item').run(),
  *items(reader: Reader, { pieces }: { pieces: number }) {
    for (let piece = 0; piece < pieces; piece += 1) {
      yield `${JSON.stringify(reader.prepare('SELECT count(*) AS rows FROM item').get())}\n`;
    }
  },
  *brokenOff(_: Reader, { pieces }: { pieces: number }) {
    yield* Array.from({ length: pieces }, String);
    throw new Error(`a mistake after ${pieces}`);
  },
  forever(reader: Reader) {
    for (;;) {
      reader.prepare(counting).get(1000);
    }
  },
  end: () => process.exit(7),
};

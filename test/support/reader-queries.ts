// Queries that show what happens at the edges of a reader thread: texts that are thrown, codes, chunks nobody asked for.
import { threadId } from 'node:worker_threads';
import type { Reader } from '#kernel/sqlite/sqlite.ts';

export const queries = {
  thread: () => threadId,
  rows: (reader: Reader) => reader.prepare('SELECT count(*) AS rows FROM item').get(),
  nothing: () => null,
  list: () => [1, 'two', null],
  page: () => ({ next: 'a cursor' }),
  throwText() {
    throw 'a text, no error';
  },
  failWith(_: Reader, { code }: { code: unknown }) {
    throw Object.assign(new Error('a mistake'), { code });
  },
  /** Counts in shared memory how many chunks it has produced. */
  *counted(_: Reader, { made, chunks }: { made: Int32Array; chunks: number }) {
    for (let chunk = 1; chunk <= chunks; chunk += 1) {
      made[0] = chunk;
      yield String(chunk);
    }
  },
  *brokenOff(_: Reader) {
    yield 'one';
    throw new Error('a mistake after one');
  },
  end: () => process.exit(7),
};

// How many flows match, counted once for each state of the file.
import type { Reader } from '#kernel/sqlite.ts';
import type { Condition } from './filter.ts';

export function countOf(reader: Reader, { sql, values }: Condition): number {
  return reader.remembered(`count ${JSON.stringify([sql, values])}`, () => {
    const row = reader.prepare(`SELECT count(*) AS total FROM flow f WHERE ${sql}`).get(...values);
    return (row as { total: number }).total;
  });
}

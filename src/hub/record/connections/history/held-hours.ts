// From which hour to which ClickHouse holds rows of this hub.
import { z } from 'zod';
import { hourMs } from '#kernel/time/time.ts';
import { rowWhole } from '../../../base/clickhouse-rows.ts';
import type { tableName } from '../../sink/schema.ts';
import type { Ask } from './ask.ts';

/** Epoch milliseconds: the beginning of the oldest hour, the end of the newest. */
export interface HeldHours {
  from: number;
  until: number;
}

const table: typeof tableName = 'flow_hour';
/** As of its DateTime. */
const seconds = rowWhole.pipe(z.int().max(4_294_967_295));
const ends = z.object({ rows: rowWhole, oldest: seconds, newest: seconds });

/** Null when it holds none. */
export async function heldHours(ask: Ask): Promise<HeldHours | null> {
  const [row] = await ask(
    `SELECT count() AS rows, toUnixTimestamp(min(hour)) AS oldest, toUnixTimestamp(max(hour)) AS newest
     FROM ${table} WHERE hub = {hub:String}`,
    ends,
  );
  if (row === undefined) {
    throw new Error('the answer has no row: does ClickHouse stand at this address?');
  }
  return row.rows === 0 ? null : { from: row.oldest * 1000, until: row.newest * 1000 + hourMs };
}

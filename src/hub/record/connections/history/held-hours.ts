// From which hour to which ClickHouse holds rows of this hub.
import { z } from 'zod';
import { hourMs } from '#kernel/time/time.ts';
import { rowWhole } from '../../../base/clickhouse-rows.ts';
import type { tableName } from '../../sink/schema.ts';
import { type Ask, askRow } from './ask.ts';

/** Epoch milliseconds: the beginning of the oldest hour, the end of the newest. */
export interface HeldHours {
  from: number;
  until: number;
}

const table: typeof tableName = 'flow_hour';
/** The range of a ClickHouse DateTime. */
const seconds = rowWhole.pipe(z.int().max(4_294_967_295));
const ends = z.object({ rows: rowWhole, oldest: seconds, newest: seconds });

/** Returns null when ClickHouse holds no rows of this hub. */
export async function readHeldHours(ask: Ask): Promise<HeldHours | null> {
  const { rows, oldest, newest } = await askRow(
    ask,
    `SELECT count() AS rows, toUnixTimestamp(min(hour)) AS oldest, toUnixTimestamp(max(hour)) AS newest
     FROM ${table} WHERE hub = {hub:String}`,
    ends,
  );
  return rows === 0 ? null : { from: oldest * 1000, until: newest * 1000 + hourMs };
}

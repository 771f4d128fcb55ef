// How many rows of a hub each hour has in ClickHouse.
import { z } from 'zod';
import { hourMs } from '#kernel/time/time.ts';
import { askRows, type RowsClient, rowWhole } from '../../base/clickhouse-rows.ts';
import { tableName } from './schema.ts';

/** Hour since the epoch → rows. */
export type HourCounts = ReadonlyMap<number, number>;

const question = `SELECT intDiv(toUnixTimestamp(t.hour), 3600) AS hour_number, toUInt32(count()) AS hour_rows
  FROM ${tableName} AS t FINAL
  WHERE t.hub = {hub:String} AND t.hour >= toDateTime({from:UInt32}, 'UTC') AND t.hour < toDateTime({to:UInt32}, 'UTC')
  GROUP BY hour_number ORDER BY hour_number`;

const row = z.object({ hour_number: rowWhole, hour_rows: rowWhole });

/** Hours of one query: FINAL merges replaced rows while the query runs. */
const windowHours = 744;

/** Hours from `from` to `to`, both inclusive. Rejects with what the client rejects with. */
export async function readHourCounts(
  client: RowsClient,
  { hub, from, to }: { hub: string; from: number; to: number },
  signal: AbortSignal,
): Promise<HourCounts> {
  const counts = new Map<number, number>();
  const seconds = hourMs / 1000;
  for (let first = from; first <= to; first += windowHours) {
    const end = Math.min(first + windowHours, to + 1);
    const params = { hub, from: first * seconds, to: end * seconds };
    for (const { hour_number, hour_rows } of await askRows(client, { query: question, row, params, signal })) {
      counts.set(hour_number, hour_rows);
    }
  }
  return counts;
}

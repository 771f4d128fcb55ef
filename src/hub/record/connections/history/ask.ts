// One question to ClickHouse, bounded in time and rows. The server cancels it when the client disconnects.

import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { askRows, type RowsClient, type RowsQuery } from '../../../base/clickhouse-rows.ts';

export type HistoryClient = RowsClient;

/** Rows of a query, each of the form `row`. */
export type Ask = <Row>(query: string, row: z.ZodType<Row>) => Promise<Row[]>;

/** Seconds of one query, and rows of its answer. */
const bounds = { seconds: 20, rows: 100_000 };

export function createAsk(client: HistoryClient, params: RowsQuery<unknown>['params'], signal: AbortSignal): Ask {
  return (query, row) =>
    askRows(client, {
      query,
      row,
      params,
      signal,
      queryId: randomUUID(),
      settings: {
        max_execution_time: bounds.seconds,
        max_result_rows: String(bounds.rows),
        result_overflow_mode: 'throw',
        // The server ends the query with its connection.
        cancel_http_readonly_queries_on_client_close: 1,
        // The hour is in the key and decides the partition: no row has another version elsewhere.
        do_not_merge_across_partitions_select_final: 1,
      },
    });
}

/** Asks an aggregate without groups, which has one row, also for no flows. */
export async function askRow<Row>(ask: Ask, query: string, form: z.ZodType<Row>): Promise<Row> {
  const [row] = await ask(query, form);
  if (row === undefined) {
    throw new Error('the answer has no row: does ClickHouse stand at this address?');
  }
  return row;
}

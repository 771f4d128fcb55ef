// One query or one insert of ClickHouse. Another server at its address may answer anything: the bytes of an answer are
// bounded, and each line must be a row of the expected form.
import { addAbortSignal, Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';
import { readBounded } from '#kernel/http/bounded-fetch.ts';
import { parseJson } from '#kernel/text/json.ts';
import { readInput } from '#kernel/text/problem.ts';
import { visibleText } from '#kernel/text/visible-text.ts';

export type RowsClient = Pick<ClickHouseClient, 'exec'>;
type Exec = Parameters<RowsClient['exec']>[0];

export interface RowsQuery<Row> {
  query: string;
  row: z.ZodType<Row>;
  params: NonNullable<Exec['query_params']>;
  signal: AbortSignal;
  settings?: Exec['clickhouse_settings'];
  queryId?: string;
}

/** Bytes of an answer with rows, decompressed, and of one that has none: a refusal, the answer to an insert. */
const bounds = { rows: 33_554_432, noRows: 65_536 };

/** A text of an answer, without invisible characters and of bounded length. */
export const rowText = z.string().transform((text) => visibleText(text, 2048));

/** A count or an instant; the server writes 64 bits as text. */
export const rowWhole = z
  .union([z.number(), z.string().regex(/^\d{1,16}$/)])
  .transform(Number)
  .pipe(z.int().min(0));

/**
 * Resolves to the rows of an answer. Rejects with the error of the server, with an Error for an answer that is malformed or
 * too long, and when `signal` is aborted; then the connection is closed.
 */
export async function askRows<Row>(client: RowsClient, asked: RowsQuery<Row>): Promise<Row[]> {
  const { query, row, params, signal, settings, queryId } = asked;
  const { text } = await exchange(
    client,
    {
      query: `${query}\nFORMAT JSONEachRow`,
      query_params: params,
      abort_signal: signal,
      ...(settings && { clickhouse_settings: settings }),
      ...(queryId !== undefined && { query_id: queryId }),
    },
    bounds.rows,
  );
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseRow(line, row));
}

export interface RowsInsert {
  table: string;
  columns: readonly string[];
  /** Lines of tab-separated values. */
  bytes: Uint8Array;
  signal: AbortSignal;
  settings: NonNullable<Exec['clickhouse_settings']>;
}

/**
 * Inserts rows. Resolves when ClickHouse has confirmed them with an empty answer. Rejects as `askRows`, and when something
 * else answered.
 */
export async function insertRows(client: RowsClient, { table, columns, bytes, signal, settings }: RowsInsert) {
  const { text, headers } = await exchange(
    client,
    {
      query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT TabSeparated`,
      values: Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)], { objectMode: false }),
      abort_signal: signal,
      clickhouse_settings: settings,
    },
    bounds.noRows,
  );
  // An engine in this process has no headers.
  const isOther = Object.keys(headers).length > 0 && !Object.keys(headers).some((name) => /^x-clickhouse-/i.test(name));
  if (text.trim() !== '' || isOther) {
    throw new Error(`the answer to an insert is not that of ClickHouse: ${notClickHouse}`);
  }
}

const notClickHouse = 'does ClickHouse stand at this address, with this table?';

/** The text of an answer and its headers. Rejects as `askRows`. */
async function exchange(
  client: RowsClient,
  asked: Exec & { abort_signal: AbortSignal; values?: Readable },
  longest: number,
): Promise<{ text: string; headers: Readonly<Record<string, unknown>> }> {
  const { abort_signal: signal } = asked;
  signal.throwIfAborted();
  const answer = await client.exec({ ...asked, ignore_error_response: true });
  const { stream, http_status_code: status = 0, response_headers: headers } = answer;
  // The loop below reports read errors. Without a listener, an error event would end the process.
  stream.on('error', () => undefined);
  addAbortSignal(signal, stream);
  const isRefusal = status !== 200;
  const most = isRefusal ? bounds.noRows : longest;
  const tooLong = () => new Error(`the answer is longer than ${most} bytes (HTTP ${status})`);
  const text = (await readBounded(stream, most, tooLong)).toString('utf8');
  if (isRefusal) {
    const { ClickHouseError, parseError } = await import('@clickhouse/client');
    const error = parseError(text);
    // The page of a proxy does not belong in a message.
    throw error instanceof ClickHouseError ? error : new Error(`it answered HTTP ${status}, not as ClickHouse does`);
  }
  return { text, headers };
}

function parseRow<Row>(line: string, row: z.ZodType<Row>): Row {
  const { success, data } = readInput(row, parseJson(line));
  if (!success) {
    throw new Error(`the answer is not what was asked for: ${notClickHouse}`);
  }
  return data;
}

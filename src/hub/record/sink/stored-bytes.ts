// What the table takes on the disk of the server, as its reader may see it.
import { z } from 'zod';
import { askRows } from '../../base/clickhouse-rows.ts';
import type { SinkSettings } from '../../base/settings/sink.ts';
import { openClient } from './client.ts';
import { localTableName, tableName } from './schema.ts';

export interface Stored {
  /** Rows of all hubs. A replaced row counts until ClickHouse merges it away. */
  rows: number;
  bytes: number;
}

const question = `SELECT toFloat64(sum(rows)) AS rows, toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts
  WHERE active AND database = {database:String} AND table IN ({table:String}, {local:String})`;

const stored = z.object({ rows: z.number().min(0), bytes: z.number().min(0) });

/** Resolves to null when the reader may not see it or the server does not answer: it is only shown. */
export async function readStored(settings: SinkSettings, signal: AbortSignal): Promise<Stored | null> {
  if (settings.reader === null) {
    return null;
  }
  const client = await openClient(settings, settings.reader);
  try {
    const params = { database: settings.database, table: tableName, local: localTableName };
    const [row] = await askRows(client, { query: question, row: stored, params, signal });
    return row ?? null;
  } catch {
    return null;
  } finally {
    await client.close();
  }
}

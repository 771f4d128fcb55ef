// The engine of ClickHouse in this process, behind the official client: no server is needed and nothing is imitated.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { createSchemaStatements } from '#hub/record/sink/schema-statements.ts';

const folder = path.join(import.meta.dirname, 'install');

/** Why there is no engine here; null when there is. */
export const engineMissing: string | null = existsSync(path.join(folder, 'node_modules/chdb'))
  ? null
  : 'the engine is not installed: npm run test:engine installs it into test/engine/install';

export const database = 'gatehouse';

interface Engine {
  createChdbConnection(options: { path: string }): never;
}

/** A client of the one engine that a process may have; its table is empty. */
export async function openEngine(): Promise<ClickHouseClient> {
  const require = createRequire(path.join(folder, 'package.json'));
  const { createChdbConnection } = require('chdb/connection') as Engine;
  const client = createClient({ connection: createChdbConnection({ path: ':memory:' }), database });
  // It has no users: the statements after the table are those of rights.
  const [createDatabase = '', createTable = ''] = createSchemaStatements({
    database,
    ttlDays: null,
    writer: 'writer',
    reader: 'reader',
  });
  await client.command({ query: createDatabase });
  await client.command({ query: `DROP TABLE IF EXISTS ${database}.flow_hour` });
  await client.command({ query: createTable });
  await client.command({ query: `USE ${database}` });
  return client;
}

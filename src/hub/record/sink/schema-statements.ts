// The statements that make database, table, users and rights in ClickHouse.
import { type Column, columns, localTableName, tableName } from './schema.ts';

export interface SchemaOptions {
  database: string;
  /** Days after which a row may be removed, counted from its hour; null keeps all. */
  ttlDays: number | null;
  /** Name of the user that may only insert; `reader`: of the user that may only read. */
  user: string;
  reader: string;
  /** Name of the cluster: Replicated tables on each of its servers and a Distributed table over them. */
  cluster?: string | undefined;
}

/** The server remembers the tokens of this many batches, and does not insert a batch with one of them again. */
const rememberedBatches = 1000;

/** Quotes a name: https://clickhouse.com/docs/sql-reference/syntax#identifiers. */
export const quoteName = (name: string): string => `\`${name.replaceAll(/[\\`]/g, (character) => `\\${character}`)}\``;

const quoteText = (value: string): string => `'${value.replaceAll(/[\\']/g, (character) => `\\${character}`)}'`;

/** Statements in the order in which they are run, without semicolons. Passwords are placeholders in angle brackets. */
export function createSchemaStatements(options: SchemaOptions): string[] {
  const { database, cluster } = options;
  const everywhere = cluster === undefined ? '' : ` ON CLUSTER ${quoteName(cluster)}`;
  return [
    `CREATE DATABASE IF NOT EXISTS ${quoteName(database)}${everywhere}`,
    ...createTables(options, everywhere),
    ...createUsers(options, everywhere),
  ];
}

function createTables({ database, ttlDays, cluster }: SchemaOptions, everywhere: string): string[] {
  const name = (table: string) => `${quoteName(database)}.${quoteName(table)}`;
  const lines = columns.map(({ name, type, comment, ...column }: Column) => {
    const said = comment === '' ? '' : ` COMMENT ${quoteText(comment)}`;
    return `  ${quoteName(name)} ${type}${said}${column.codec === undefined ? '' : ` CODEC(${column.codec})`}`;
  });
  const table = (where: string, engine: string, settings: string) =>
    [
      `CREATE TABLE IF NOT EXISTS ${name(where)}${everywhere} (`,
      `${lines.join(',\n')}`,
      `) ENGINE = ${engine}`,
      'PARTITION BY toYYYYMM(hour)',
      'ORDER BY (hub, hour, flow)',
      ...(ttlDays === null ? [] : [`TTL hour + INTERVAL ${ttlDays} DAY`]),
      `SETTINGS ${settings} = ${rememberedBatches}`,
    ].join('\n');
  if (cluster === undefined) {
    return [table(tableName, 'ReplacingMergeTree(version)', 'non_replicated_deduplication_window')];
  }
  const path = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'";
  return [
    table(localTableName, `ReplicatedReplacingMergeTree(${path}, version)`, 'replicated_deduplication_window'),
    `CREATE TABLE IF NOT EXISTS ${name(tableName)}${everywhere} AS ${name(localTableName)}\n` +
      `ENGINE = Distributed(${quoteText(cluster)}, ${quoteText(database)}, ${quoteText(localTableName)}, flow)`,
  ];
}

function createUsers({ database, user, reader, cluster }: SchemaOptions, everywhere: string): string[] {
  const made = (name: string) =>
    `CREATE USER IF NOT EXISTS ${quoteName(name)}${everywhere} IDENTIFIED WITH sha256_password BY '<password of ${name}>'`;
  const table = (name: string) => `${quoteName(database)}.${quoteName(name)}`;
  const written = cluster === undefined ? [tableName] : [tableName, localTableName];
  return [
    made(user),
    ...written.map((name) => `GRANT${everywhere} INSERT ON ${table(name)} TO ${quoteName(user)}`),
    made(reader),
    ...written.map((name) => `GRANT${everywhere} SELECT ON ${table(name)} TO ${quoteName(reader)}`),
    `GRANT${everywhere} SELECT(database, table, active, rows, bytes_on_disk) ON system.parts TO ${quoteName(reader)}`,
  ];
}

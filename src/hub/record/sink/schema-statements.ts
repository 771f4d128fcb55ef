// The SQL that an administrator of ClickHouse runs once for the hub: database, tables, users and their grants.
import { type Column, columns, localTableName, tableName } from './schema.ts';

export interface SchemaOptions {
  database: string;
  /** ClickHouse removes a row so many days after the hour that it describes; null keeps all. */
  ttlDays: number | null;
  /** Name of the user that may only insert. */
  writer: string;
  /** Name of the user that may only read. */
  reader: string;
  /** Name of the cluster: Replicated tables on each of its servers and a Distributed table over them. */
  cluster?: string | undefined;
}

/** ClickHouse recognises a repeated insert by its `insert_deduplication_token`; it stores this many of them. */
const storedTokens = 1000;

/** Quotes a name: https://clickhouse.com/docs/sql-reference/syntax#identifiers. */
export const quoteName = (name: string): string => `\`${name.replaceAll(/[\\`]/g, (character) => `\\${character}`)}\``;

const quoteText = (value: string): string => `'${value.replaceAll(/[\\']/g, (character) => `\\${character}`)}'`;

/** Statements in the order in which they are run, without semicolons. Passwords are placeholders in angle brackets. */
export function createSchemaStatements(options: SchemaOptions): string[] {
  const { database, cluster } = options;
  const onCluster = cluster === undefined ? '' : ` ON CLUSTER ${quoteName(cluster)}`;
  return [
    `CREATE DATABASE IF NOT EXISTS ${quoteName(database)}${onCluster}`,
    ...createTableStatements(options, onCluster),
    ...createUserStatements(options, onCluster),
  ];
}

function createTableStatements({ database, ttlDays, cluster }: SchemaOptions, onCluster: string): string[] {
  const name = (table: string) => `${quoteName(database)}.${quoteName(table)}`;
  const lines = columns.map(({ name, type, comment, ...column }: Column) => {
    const commentClause = comment === '' ? '' : ` COMMENT ${quoteText(comment)}`;
    return `  ${quoteName(name)} ${type}${commentClause}${column.codec === undefined ? '' : ` CODEC(${column.codec})`}`;
  });
  const createTable = (table: string, engine: string, settings: string) =>
    [
      `CREATE TABLE IF NOT EXISTS ${name(table)}${onCluster} (`,
      `${lines.join(',\n')}`,
      `) ENGINE = ${engine}`,
      'PARTITION BY toYYYYMM(hour)',
      'ORDER BY (hub, hour, flow)',
      ...(ttlDays === null ? [] : [`TTL hour + INTERVAL ${ttlDays} DAY`]),
      `SETTINGS ${settings} = ${storedTokens}`,
    ].join('\n');
  if (cluster === undefined) {
    return [createTable(tableName, 'ReplacingMergeTree(version)', 'non_replicated_deduplication_window')];
  }
  const replica = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'";
  return [
    createTable(localTableName, `ReplicatedReplacingMergeTree(${replica}, version)`, 'replicated_deduplication_window'),
    `CREATE TABLE IF NOT EXISTS ${name(tableName)}${onCluster} AS ${name(localTableName)}\n` +
      `ENGINE = Distributed(${quoteText(cluster)}, ${quoteText(database)}, ${quoteText(localTableName)}, flow)`,
  ];
}

function createUserStatements({ database, writer, reader, cluster }: SchemaOptions, onCluster: string): string[] {
  const createUser = (name: string) =>
    `CREATE USER IF NOT EXISTS ${quoteName(name)}${onCluster} IDENTIFIED WITH sha256_password BY '<password of ${name}>'`;
  const table = (name: string) => `${quoteName(database)}.${quoteName(name)}`;
  const tables = cluster === undefined ? [tableName] : [tableName, localTableName];
  return [
    createUser(writer),
    ...tables.map((name) => `GRANT${onCluster} INSERT ON ${table(name)} TO ${quoteName(writer)}`),
    createUser(reader),
    ...tables.map((name) => `GRANT${onCluster} SELECT ON ${table(name)} TO ${quoteName(reader)}`),
    // The hub shows how much disk the tables take.
    `GRANT${onCluster} SELECT(database, table, active, rows, bytes_on_disk) ON system.parts TO ${quoteName(reader)}`,
  ];
}

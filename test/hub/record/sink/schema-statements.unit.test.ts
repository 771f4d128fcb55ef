// The statements for an administrator of ClickHouse: every column, quoted names, rights of two users, one server or a cluster.
import { expect, test } from 'vitest';
import { hourColumns } from '#hub/record/connections/closed-hours/row-text.ts';
import { createSchemaStatements, quoteName, type SchemaOptions } from '#hub/record/sink/schema-statements.ts';

const plain: SchemaOptions = { database: 'log', ttlDays: null, writer: 'writer', reader: 'looker' };
const heads = (statements: readonly string[]) => statements.map((statement) => statement.split('\n')[0]);

test('one server gets a database, a table, a user that inserts and a user that reads, in this order', () => {
  expect(heads(createSchemaStatements(plain))).toEqual([
    'CREATE DATABASE IF NOT EXISTS `log`',
    'CREATE TABLE IF NOT EXISTS `log`.`flow_hour` (',
    "CREATE USER IF NOT EXISTS `writer` IDENTIFIED WITH sha256_password BY '<password of writer>'",
    'GRANT INSERT ON `log`.`flow_hour` TO `writer`',
    "CREATE USER IF NOT EXISTS `looker` IDENTIFIED WITH sha256_password BY '<password of looker>'",
    'GRANT SELECT ON `log`.`flow_hour` TO `looker`',
    'GRANT SELECT(database, table, active, rows, bytes_on_disk) ON system.parts TO `looker`',
  ]);
});

test('the table has every column that is sent, with its comment and its codec, and a time to live where one is asked for', () => {
  const [, table = ''] = createSchemaStatements(plain);
  const [, ...lines] = table.split('\n');
  const names = lines.slice(0, hourColumns.length).map((line) => line.trim().split(' ')[0]);
  expect(names.toSorted()).toEqual(hourColumns.map((name) => `\`${name}\``).toSorted());
  for (const line of lines.slice(0, names.length)) {
    expect(line).toMatch(/^ {2}`\w+` [A-Z]\w+(\(.*?\)+)?( COMMENT '(\\'|[^'])+')?( CODEC\([\w, ]+\))?,?$/);
  }
  expect(lines[0]).toBe(
    "  `hub` LowCardinality(String) COMMENT 'MONITOR_CLICKHOUSE_HUB of the hub that sent the row',",
  );
  expect(table).toContain("`hour` DateTime('UTC') COMMENT 'start of the hour' CODEC(Delta, ZSTD),\n");
  expect(table).toContain('`threat_tag` LowCardinality(String),\n');
  expect(lines.slice(names.length)).toEqual([
    ') ENGINE = ReplacingMergeTree(version)',
    'PARTITION BY toYYYYMM(hour)',
    'ORDER BY (hub, hour, flow)',
    'SETTINGS non_replicated_deduplication_window = 1000',
  ]);
  const [, kept = ''] = createSchemaStatements({ ...plain, ttlDays: 7 });
  expect(kept.split('\n').at(-2)).toBe('TTL hour + INTERVAL 7 DAY');
});

test('a cluster gets everything on every server, and a table over the tables of all', () => {
  const statements = createSchemaStatements({ ...plain, cluster: 'home' });
  expect(heads(statements)).toEqual([
    'CREATE DATABASE IF NOT EXISTS `log` ON CLUSTER `home`',
    'CREATE TABLE IF NOT EXISTS `log`.`flow_hour_local` ON CLUSTER `home` (',
    'CREATE TABLE IF NOT EXISTS `log`.`flow_hour` ON CLUSTER `home` AS `log`.`flow_hour_local`',
    "CREATE USER IF NOT EXISTS `writer` ON CLUSTER `home` IDENTIFIED WITH sha256_password BY '<password of writer>'",
    'GRANT ON CLUSTER `home` INSERT ON `log`.`flow_hour` TO `writer`',
    'GRANT ON CLUSTER `home` INSERT ON `log`.`flow_hour_local` TO `writer`',
    "CREATE USER IF NOT EXISTS `looker` ON CLUSTER `home` IDENTIFIED WITH sha256_password BY '<password of looker>'",
    'GRANT ON CLUSTER `home` SELECT ON `log`.`flow_hour` TO `looker`',
    'GRANT ON CLUSTER `home` SELECT ON `log`.`flow_hour_local` TO `looker`',
    'GRANT ON CLUSTER `home` SELECT(database, table, active, rows, bytes_on_disk) ON system.parts TO `looker`',
  ]);
  expect(statements[1]).toMatch(
    /ENGINE = ReplicatedReplacingMergeTree\('\/clickhouse\/tables\/\{shard\}\/\{database\}\/\{table\}', '\{replica\}', version\)\n/,
  );
  expect(statements[1]).toMatch(/\nSETTINGS replicated_deduplication_window = 1000$/);
  expect(statements[2]).toMatch(/\nENGINE = Distributed\('home', 'log', 'flow_hour_local', flow\)$/);
});

test('names and texts are quoted', () => {
  expect(quoteName('a`b\\c')).toBe('`a\\`b\\\\c`');
  const [database, , over] = createSchemaStatements({ ...plain, database: 'a`b', cluster: "it's" });
  expect(database).toBe("CREATE DATABASE IF NOT EXISTS `a\\`b` ON CLUSTER `it's`");
  expect(over).toContain("Distributed('it\\'s', 'a`b'");
});

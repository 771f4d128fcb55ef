// Describes a table for the copy: its key, the columns that both databases have, and the indexes that list its rows.
import type Database from 'better-sqlite3';
import type { KeyColumn } from './region.ts';

export interface TableShape {
  table: string;
  key: readonly KeyColumn[];
  /** Columns of both databases, those of the key first. */
  columns: readonly string[];
  /** Columns that are NOT NULL and have no default. */
  required: readonly string[];
  /** Columns that only the new table has. */
  missing: readonly string[];
  indexes: readonly TableIndex[];
}

export interface TableIndex {
  name: string;
  /** In their order in the index, without expressions. */
  columns: readonly string[];
}

interface ColumnInfo {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

/** Quotes an SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Names of the tables that SQLite finds in the schema, without its internal ones. */
export function listTables(db: Database.Database): string[] {
  return db
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    )
    .pluck()
    .all()
    .sort() as string[];
}

/** The shape of `table`; `null` when the damaged database lacks the table or a column of its key. */
export function readShape(whole: Database.Database, damaged: Database.Database, table: string): TableShape | null {
  const columns = readColumns(whole, table);
  const present = new Set(readColumns(damaged, table).map(({ name }) => name));
  const key = readKey(whole, table, columns);
  if (present.size === 0 || key.some(({ name }) => name !== 'rowid' && !present.has(name))) {
    return null;
  }
  const named = new Set(key.map(({ name }) => name));
  const others = columns.map(({ name }) => name).filter((name) => !named.has(name));
  return {
    table,
    key,
    columns: [...named, ...others.filter((name) => present.has(name))],
    required: columns.filter((one) => one.notnull === 1 && one.dflt_value === null).map(({ name }) => name),
    missing: others.filter((name) => !present.has(name)),
    indexes: readIndexes(damaged, table),
  };
}

function readColumns(db: Database.Database, table: string): ColumnInfo[] {
  return db.prepare('SELECT * FROM pragma_table_info(?)').all(table) as ColumnInfo[];
}

/** Whether the table is WITHOUT ROWID, stored by its primary key (https://sqlite.org/withoutrowid.html). */
function isWithoutRowid(db: Database.Database, table: string): boolean {
  return db.prepare("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?").pluck().get(table) === 1;
}

/** The primary key if rows are stored by it, else `rowid` (https://sqlite.org/lang_createtable.html#rowid). */
function readKey(db: Database.Database, table: string, columns: readonly ColumnInfo[]): KeyColumn[] {
  const key = columns
    .filter(({ pk }) => pk > 0)
    .sort((one, other) => one.pk - other.pk)
    .map(({ name, type }) => ({ name, isInteger: type === 'INTEGER' }));
  const isRowidAlias = key.length === 1 && key[0]?.isInteger === true;
  return isRowidAlias || isWithoutRowid(db, table) ? key : [{ name: 'rowid', isInteger: true }];
}

/** Indexes without a WHERE clause whose first part is a column, not an expression; those with most columns first. */
function readIndexes(db: Database.Database, table: string): TableIndex[] {
  const origins = isWithoutRowid(db, table) ? "('c', 'u')" : "('c', 'u', 'pk')";
  const names = db
    .prepare(`SELECT name FROM pragma_index_list(?) WHERE partial = 0 AND origin IN ${origins}`)
    .pluck()
    .all(table) as string[];
  const columns = db.prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno').pluck();
  return names
    .map((name) => ({ name, all: columns.all(name) as (string | null)[] }))
    .filter(({ all }) => all[0] !== null)
    .map(({ name, all }) => ({ name, columns: all.filter((column) => column !== null) }))
    .sort((one, other) => other.columns.length - one.columns.length);
}

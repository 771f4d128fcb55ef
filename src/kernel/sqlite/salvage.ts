// Reads what can still be read of a damaged database into a new, whole one.
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { messageOf } from '../errors.ts';
import { createText } from '../files/files.ts';
import { applyMigrations } from './migrations.ts';
import { refusedWrite, sqliteCode } from './refused-write.ts';
import { copyTable, type SalvagedTable } from './salvage/copy-table.ts';
import { createDamagedReader } from './salvage/damaged-reader.ts';
import { deleteOrphans } from './salvage/orphans.ts';
import { listTables, readShape } from './salvage/table-shape.ts';

export interface Salvage {
  /** In the order of their names. */
  tables: SalvagedTable[];
  /** Rows left out because what they refer to is lost. */
  orphans: number;
}

export interface SalvageSchema {
  /** Folder of the numbered steps that make the schema. */
  migrations: string;
  /** Of the product (https://sqlite.org/fileformat.html, section 1.3.17). */
  applicationId: number;
}

/**
 * Reads the damaged database `source`, which nobody may have open, and its write-ahead log into the new file `target`,
 * mode 0600, with the newest schema. `report` is called ahead of each table. Neither `source` nor its log is changed;
 * SQLite makes an empty log and its index (-wal, -shm) next to it, as for any reader, so the folder must be writable.
 *
 * Lost are rows on damaged pages, unless an index has all that a row must have, rows that break a rule of their table, and
 * tables behind a damaged page of the schema. What damage made of a value that is valid too cannot be known, nor that a
 * page says it has fewer rows.
 *
 * Throws an Error that says what to do when the beginning of `source` or its schema cannot be read, or `target` is there;
 * when it throws, it leaves no `target`.
 */
export function salvageDatabase(
  source: string,
  target: string,
  schema: SalvageSchema,
  report: (table: string) => void = () => undefined,
): Salvage {
  const damaged = openDamaged(source);
  try {
    makeEmpty(target);
    try {
      const whole = new Database(target);
      try {
        return fill(damaged, whole, schema, report);
      } finally {
        whole.close();
      }
    } catch (error) {
      rmSync(target, { force: true });
      throw refusedWrite(target, error);
    }
  } finally {
    damaged.close();
  }
}

/**
 * With `writable_schema` SQLite reads a file that is cut off, and a schema as far as that goes; this connection cannot
 * write (https://sqlite.org/pragma.html#pragma_writable_schema).
 */
function openDamaged(file: string): Database.Database {
  let db: Database.Database | null = null;
  let reason: unknown = 'there is no table';
  try {
    db = new Database(file, { readonly: true });
    db.unsafeMode();
    db.pragma('writable_schema = ON');
    db.pragma('trusted_schema = OFF');
    db.pragma('cell_size_check = ON');
    db.pragma('query_only = ON');
    if (listTables(db).length > 0) {
      return db;
    }
  } catch (error) {
    reason = error;
  }
  db?.close();
  const remedy = /^SQLITE_(?:CANTOPEN|READONLY)/.test(sqliteCode(reason))
    ? `${file} cannot be opened: copy it with its -wal into a folder that can be written, and salvage the copy`
    : `nothing of ${file} can be salvaged, its beginning cannot be read: put a backup back`;
  throw new Error(`${remedy} (${messageOf(reason)})`, { cause: reason });
}

function makeEmpty(file: string): void {
  try {
    createText(file, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new Error(`${file} is there already: move it away, or name another file`, { cause: error });
    }
    throw error;
  }
}

function fill(
  damaged: Database.Database,
  whole: Database.Database,
  { migrations, applicationId }: SalvageSchema,
  report: (table: string) => void,
): Salvage {
  // Synced once, at the end: an unfinished copy is deleted anyway.
  whole.pragma('synchronous = OFF');
  whole.pragma('journal_mode = MEMORY');
  const version = Number(damaged.pragma('user_version', { simple: true }));
  if (version === 0 || applyMigrations(whole, migrations, version) !== version) {
    applyMigrations(whole, migrations);
  }
  whole.pragma('foreign_keys = OFF');
  const triggers = takeTriggers(whole);
  whole.exec('BEGIN');
  const tables = copyTables(damaged, whole, report);
  const orphans = deleteOrphans(whole);
  continueSequences(damaged, whole);
  whole.exec('COMMIT');
  whole.exec(triggers.join(';\n'));
  applyMigrations(whole, migrations);
  const found = whole.pragma('integrity_check(1)', { simple: true });
  if (found !== 'ok') {
    throw new Error(`what was salvaged is not whole (${String(found)}): put a backup back`);
  }
  whole.pragma('journal_mode = DELETE');
  whole.pragma('synchronous = FULL');
  whole.pragma(`application_id = ${applicationId}`);
  return { tables, orphans };
}

function copyTables(
  damaged: Database.Database,
  whole: Database.Database,
  report: (table: string) => void,
): SalvagedTable[] {
  const pageSize = Number(damaged.pragma('page_size', { simple: true }));
  const from = { reader: createDamagedReader(damaged), file: damaged.name, pageSize };
  const known = listTables(whole);
  const lost = (table: string, error: string) => ({ table, rows: 0, partial: 0, gaps: 1, error });
  const tables = known.map((table) => {
    report(table);
    const shape = readShape(whole, damaged, table);
    return shape === null ? lost(table, `no such table: ${table}`) : copyTable(from, whole, shape);
  });
  const others = listTables(damaged).filter((table) => !known.includes(table));
  return [...tables, ...others.map((table) => lost(table, 'the schema of its version has no such table'))];
}

/** Removes the triggers, which must not run for copied rows. Returns the statements that create them again. */
function takeTriggers(db: Database.Database): string[] {
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as {
    name: string;
    sql: string;
  }[];
  db.exec(triggers.map(({ name }) => `DROP TRIGGER "${name}";`).join(''));
  return triggers.map(({ sql }) => sql);
}

/** Keeps the counters of AUTOINCREMENT, so that no id is given a second time (https://sqlite.org/autoinc.html). */
function continueSequences(damaged: Database.Database, whole: Database.Database): void {
  const known = new Set(listTables(whole));
  createDamagedReader(damaged).scan('SELECT seq, name FROM sqlite_sequence', [], ([seq, name]) => {
    const isId = typeof seq === 'bigint' && seq > 0n && seq <= BigInt(Number.MAX_SAFE_INTEGER);
    if (isId && typeof name === 'string' && known.has(name)) {
      const { changes } = whole.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?').run(seq, name);
      if (changes === 0) {
        whole.prepare('INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)').run(seq, name);
      }
    }
  });
}

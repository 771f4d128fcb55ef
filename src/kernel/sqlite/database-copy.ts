// Whole copies of a database, and work on files that no other connection has open.
import { closeSync, openSync, rmSync, truncateSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError, messageOf } from '../errors.ts';
import { isThere } from '../files/files.ts';
import { damageRemedy } from './database-file.ts';
import { applyMigrations } from './migrations.ts';
import { isDamage, refusedWrite } from './refused-write.ts';
import type { Statement } from './sqlite.ts';

/** Prepared statements of a file that is open for one piece of work. */
export interface FileWork {
  prepare(sql: string): Statement;
  exec(sql: string): void;
}

/**
 * Copies the committed content of `file` to `target`, a new file with mode 0600, by `VACUUM INTO`
 * (https://sqlite.org/lang_vacuum.html): one snapshot, writers go on. The copy has no write-ahead log. Blocks for as long
 * as it takes. Throws AppError `database_damaged`, and what `Db.write` rejects with when there is no room.
 */
export function copyDatabase(file: string, target: string): void {
  closeSync(openSync(target, 'wx', 0o600));
  try {
    vacuumInto(file, target);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'database_damaged')) {
      throw error;
    }
    // A single failed read of the disk looks like damage. If a second try fails too, the file is damaged.
    truncateSync(target);
    vacuumInto(file, target);
  }
}

function vacuumInto(file: string, target: string): void {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    db.pragma('temp_store = MEMORY');
    db.prepare('VACUUM INTO ?').run(target);
  } catch (error) {
    if (isDamage(error)) {
      throw new AppError('database_damaged', `${file} is damaged (${messageOf(error)}): ${damageRemedy}`, {
        cause: error,
      });
    }
    throw refusedWrite(target, error);
  } finally {
    db.close();
  }
}

/**
 * Changes a file that nothing else has open, in one transaction, and leaves it as one file: its write-ahead log is written
 * into it and removed. Throws AppError `database_busy` when another connection has it open.
 */
export function changeClosed<T>(file: string, work: (writer: FileWork) => T, attached?: string): T {
  const db = openAlone(file);
  try {
    becomeOneFile(db);
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = OFF');
    db.pragma('trusted_schema = OFF');
    if (attached !== undefined) {
      db.prepare('ATTACH DATABASE ? AS former').run(attached);
    }
    // Deferred: a lock on the attached file too would make a journal of both (https://sqlite.org/atomiccommit.html, section 5).
    return db.transaction(() => work(db)).deferred();
  } catch (error) {
    throw refusedWrite(file, error);
  } finally {
    db.close();
  }
}

/** Writes the write-ahead log of a file into it and removes it; throws as `changeClosed` does. */
export function closeLog(file: string): void {
  changeClosed(file, () => undefined);
}

/** Brings a closed file to the newest schema of `folder`; throws as `applyMigrations` and `changeClosed` do. */
export function migrateClosed(file: string, folder: string): void {
  const db = openAlone(file);
  try {
    becomeOneFile(db);
    db.pragma('trusted_schema = OFF');
    applyMigrations(db, folder);
  } catch (error) {
    throw refusedWrite(file, error);
  } finally {
    db.close();
  }
}

/** Undoes a transaction that a crash interrupted in a file without a write-ahead log (https://sqlite.org/lockingv3.html). */
export function rollBackInterrupted(file: string): void {
  if (isThere(file) && isThere(`${file}-journal`)) {
    const db = new Database(file, { fileMustExist: true });
    try {
      db.pragma('user_version');
    } finally {
      db.close();
    }
    // SQLite leaves a journal that has nothing to undo.
    rmSync(`${file}-journal`, { force: true });
  }
}

/** Throws what `Db.write` rejects with when the system refuses to open the file: it is not damaged then. */
function openAlone(file: string): Database.Database {
  try {
    return new Database(file, { fileMustExist: true, timeout: 0 });
  } catch (error) {
    throw refusedWrite(file, error);
  }
}

/** SQLite leaves this mode only when no other connection, of any process, has the file open (https://sqlite.org/wal.html). */
function becomeOneFile(db: Database.Database): void {
  const mode = String(db.pragma('journal_mode = DELETE', { simple: true }));
  if (mode !== 'delete') {
    throw new Error(`${db.name} is still open elsewhere`);
  }
}

/**
 * Damage that SQLite finds in a file that nobody writes: at most five sentences. `quick` passes over the content of
 * indexes (https://sqlite.org/pragma.html#pragma_quick_check). Nothing of its schema is run.
 */
export function databaseFaults(file: string, how: 'quick' | 'whole'): string[] {
  return readStranger(file, (reader) => {
    const found = reader
      .prepare(how === 'quick' ? 'PRAGMA quick_check(5)' : 'PRAGMA integrity_check(5)')
      .pluck()
      .all() as string[];
    return found.filter((text) => text !== 'ok');
  });
}

/** Reads a file that is not trusted: no trigger, view or function of its schema runs. Damage is thrown as SQLite's error. */
export function readStranger<T>(file: string, read: (reader: FileWork) => T): T {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    db.pragma('trusted_schema = OFF');
    db.pragma('cell_size_check = ON');
    db.pragma('query_only = ON');
    return read(db);
  } finally {
    db.close();
  }
}

interface SchemaRow {
  type: string;
  name: string;
  sql: string | null;
}

/**
 * How the schema of a file differs from what the migrations of `folder` make of a version, its own unless another one is
 * given: what is missing, changed or additional, such as a trigger. Empty when it is the same, to the letter: a line break
 * less can turn a column into a part of a comment.
 */
export function schemaDifferences(file: string, folder: string, ofVersion?: number): string[] {
  const { version, found } = readStranger(file, (reader) => ({
    version: ofVersion ?? Number(reader.prepare('PRAGMA user_version').pluck().get()),
    found: schemaOf(reader),
  }));
  const model = new Database(':memory:');
  try {
    applyMigrations(model, folder, version);
    const expected = schemaOf(model);
    const wrong = (these: Schema, those: Schema, what: string) => {
      const known = new Map(those);
      return these.flatMap(([name, sql]) => (known.get(name) === sql ? [] : [`${name} is ${what}`]));
    };
    return [...wrong(expected, found, 'missing or changed'), ...wrong(found, expected, 'not of this product')];
  } catch (error) {
    return [messageOf(error)];
  } finally {
    model.close();
  }
}

/** Type and name of each object, and the statement that created it. */
type Schema = [name: string, sql: string | null][];

/** The tables that ANALYZE creates (https://sqlite.org/fileformat2.html, section 2.6.3 and 2.6.5). */
const statistics: ReadonlySet<string | null> = new Set([
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
]);

/**
 * The whole schema without statistics and the indexes of constraints, which have no statement. Names are not trusted: a file
 * can contain a trigger whose name looks like one of SQLite's own.
 */
function schemaOf(reader: FileWork): Schema {
  const rows = reader.prepare('SELECT type, name, sql FROM sqlite_schema').all() as SchemaRow[];
  return rows
    .filter(({ type, sql }) => !statistics.has(sql) && (type !== 'index' || sql !== null))
    .map(({ type, name, sql }) => [`${type} ${name}`, sql]);
}

// Identifies a database file before anything writes to it: ours, another program's, damaged, or missing.
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { messageOf } from './errors.ts';
import { refusedWrite } from './refused-write.ts';

/** The application id of a product (https://sqlite.org/fileformat.html, section 1.3.17). */
export interface DatabaseKind {
  applicationId: number;
  /** A table that identifies files older than the id. */
  table: string;
}

/** What to do with a damaged file. */
export const damageRemedy =
  'stop the hub and put a backup back, or move it away with its -wal and -shm to begin with an empty one';

/**
 * True when `file` holds a database of this kind, false when it is missing or empty. Throws an Error that names the file,
 * what is wrong and what to do when it is damaged or belongs to another program; nothing is changed.
 */
export function inspectDatabase(file: string, kind: DatabaseKind): boolean {
  if (!checkHeader(file)) {
    return false;
  }
  try {
    const db = new Database(file, { readonly: true });
    try {
      const id = db.pragma('application_id', { simple: true });
      const tables = db.prepare('SELECT name FROM sqlite_schema').pluck().all();
      const isEmpty = id === 0 && tables.length === 0;
      if (id === kind.applicationId || (id === 0 && tables.includes(kind.table)) || isEmpty) {
        return !isEmpty;
      }
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code)) {
      throw new Error(`${file} is damaged (${messageOf(error)}): ${damageRemedy}`, { cause: error });
    }
    throw error;
  }
  throw new Error(`${file} is the database of another program: move it away, or name another file`);
}

/** Writes the id of the product into a file without one. Throws what `Db.write` rejects with when it cannot. */
export function markDatabase(file: string, { applicationId }: DatabaseKind): void {
  const db = new Database(file);
  try {
    if (db.pragma('application_id', { simple: true }) === 0) {
      db.pragma(`application_id = ${applicationId}`);
    }
  } catch (error) {
    throw refusedWrite(file, error);
  } finally {
    db.close();
  }
}

/** False for a missing or empty file. The page count is only valid without a write-ahead log. */
function checkHeader(file: string): boolean {
  if (!existsSync(file)) {
    return false;
  }
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    if (size === 0) {
      return false;
    }
    const header = Buffer.alloc(100);
    if (readSync(handle, header) < 100 || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
      throw new Error(`${file} is not an SQLite database, or its beginning is damaged: ${damageRemedy}`);
    }
    const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const expected = header.readUInt32BE(28) * pageSize;
    if (size < expected && !existsSync(`${file}-wal`)) {
      throw new Error(`${file} is damaged: its ${size} bytes are shorter than the ${expected} it had: ${damageRemedy}`);
    }
    return true;
  } finally {
    closeSync(handle);
  }
}

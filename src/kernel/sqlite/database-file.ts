// Identifies a database file before anything writes to it: ours, another program's, damaged, or missing.
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { messageOf } from '../errors.ts';
import { isThere } from '../files/files.ts';
import { type DatabaseHeader, readDatabaseHeader } from './database-header.ts';
import { isDamage, refusedWrite } from './refused-write.ts';

/** The application id of a product (https://sqlite.org/fileformat.html, section 1.3.17). */
export interface DatabaseKind {
  applicationId: number;
  /** A table that identifies files older than the id. */
  table: string;
}

export class DamagedDatabase extends Error {}

/** Thrown for a file that is no database, or has lost its beginning. */
export class UnknownFile extends Error {}

export const damageRemedy =
  'put a backup back (gatehouse backup restore), read what is left of it (gatehouse salvage), or stop the hub and move it away with its -wal and -shm to begin with an empty one';

/**
 * True when `file` holds a database of this kind, false when it is missing or empty. Throws an Error that names the file,
 * what is wrong and what to do when it is damaged or belongs to another program; nothing is changed.
 */
export function inspectDatabase(file: string, kind: DatabaseKind): boolean {
  const header = checkHeader(file);
  if (header === null) {
    return false;
  }
  const damaged = (what: string, cause?: unknown) =>
    new (header.applicationId === kind.applicationId ? DamagedDatabase : UnknownFile)(
      `${file} is damaged (${what}): ${damageRemedy}`,
      { cause },
    );
  if (!header.hasKnownFormats) {
    throw damaged('its header has a format that SQLite has not');
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
    if (isDamage(error)) {
      throw damaged(messageOf(error), error);
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

function headerOf(file: string): ReturnType<typeof readDatabaseHeader> {
  try {
    const header = readDatabaseHeader(file);
    // A link to a folder that does not exist: SQLite's error would name only the link.
    if (header === 'missing' && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      statSync(path.dirname(path.resolve(path.dirname(file), readlinkSync(file))));
    }
    return header;
  } catch (error) {
    throw new Error(
      `${file} cannot be read (${messageOf(error)}): it must be a file, or a link to one in a folder that is there`,
      { cause: error },
    );
  }
}

/** Null for a missing or empty file. The page count is only valid without a write-ahead log. */
function checkHeader(file: string): DatabaseHeader | null {
  const header = headerOf(file);
  if (header === 'not SQLite') {
    throw new UnknownFile(`${file} is not an SQLite database, or its beginning is damaged: ${damageRemedy}`);
  }
  if (typeof header === 'string') {
    return null;
  }
  const expected = header.pages * header.pageSize;
  if (header.size < expected && !isThere(`${file}-wal`)) {
    throw new DamagedDatabase(
      `${file} is damaged: its ${header.size} bytes are shorter than the ${expected} it had: ${damageRemedy}`,
    );
  }
  return header;
}

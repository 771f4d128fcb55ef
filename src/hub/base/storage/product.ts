// Whether a file is a database of this product that this program can read, without running anything of it.
import { fileURLToPath } from 'node:url';
import type { CauseCode } from '#contract/facts.ts';
import { databaseFaults, schemaDifferences } from '#kernel/sqlite/database-copy.ts';
import { type DatabaseHeader, readDatabaseHeader } from '#kernel/sqlite/database-header.ts';
import { newestVersion } from '#kernel/sqlite/migrations.ts';

/** "GHOU". */
export const productKind = { applicationId: 0x47484f55, table: 'flow' };

export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url));

export const readNewestSchema = () => newestVersion(migrationsFolder);

/** Why a file is no database of this product: `sentence` for the log, `cause` for a page in another language. */
export interface Unusable {
  sentence: string;
  cause: CauseCode;
}

const notDatabase = {
  missing: 'the file is missing',
  empty: 'the file is empty',
  'not SQLite': 'it is not an SQLite database',
};

/** A header that this program can work with, or what is wrong. The file must be closed, without a log. */
export function readProductHeader(file: string): DatabaseHeader | Unusable {
  const header = readDatabaseHeader(file);
  if (typeof header === 'string') {
    return { sentence: notDatabase[header], cause: 'no_database' };
  }
  const expected = header.pages * header.pageSize;
  const newest = readNewestSchema();
  if (header.applicationId !== productKind.applicationId && header.applicationId !== 0) {
    return { sentence: 'it is the database of another program', cause: 'other_database' };
  }
  if (header.size !== expected) {
    const sentence = `it has ${header.size} bytes of the ${expected} it had: it was cut or is not whole`;
    return { sentence, cause: 'damaged' };
  }
  if (header.userVersion > newest) {
    const sentence = `it has schema ${header.userVersion}, newer than this program's ${newest}: use a newer gatehouse`;
    return { sentence, cause: 'later_version' };
  }
  if (header.userVersion === 0) {
    return { sentence: 'it has no schema of a hub', cause: 'other_database' };
  }
  return header.isUtf8 ? header : { sentence: 'its texts are not in UTF-8', cause: 'other_database' };
}

/** Returns what its schema has or lacks; null when it is this product's. Throws SQLite's error when it is damaged. */
export function findForeignSchema(file: string): Unusable | null {
  const [first, ...more] = schemaDifferences(file, migrationsFolder);
  if (first === undefined) {
    return null;
  }
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  return { sentence: `its schema is not a hub's: ${first}${others}`, cause: 'other_database' };
}

/** Returns the first fault that SQLite finds in a closed file; null when it finds none. */
export function findDamage(file: string, how: 'quick' | 'whole'): Unusable | null {
  const [sentence] = databaseFaults(file, how);
  return sentence === undefined ? null : { sentence, cause: 'damaged' };
}

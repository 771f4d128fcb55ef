// Whether a file is a database of this product that this program can read, without running anything of it.
import { fileURLToPath } from 'node:url';
import { schemaDifferences } from '#kernel/sqlite/database-copy.ts';
import { type DatabaseHeader, readDatabaseHeader } from '#kernel/sqlite/database-header.ts';
import { newestVersion } from '#kernel/sqlite/migrations.ts';

/** "GHOU". */
export const productKind = { applicationId: 0x47484f55, table: 'flow' };

export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url));

export const readNewestSchema = () => newestVersion(migrationsFolder);

/** A header that this program can work with, or a sentence about what is wrong. The file must be closed, without a log. */
export function readProductHeader(file: string): DatabaseHeader | string {
  const header = readDatabaseHeader(file);
  if (typeof header === 'string') {
    return { missing: 'the file is missing', empty: 'the file is empty', 'not SQLite': 'it is not an SQLite database' }[
      header
    ];
  }
  const expected = header.pages * header.pageSize;
  const newest = readNewestSchema();
  if (header.applicationId !== productKind.applicationId && header.applicationId !== 0) {
    return 'it is the database of another program';
  }
  if (header.size !== expected) {
    return `it has ${header.size} bytes of the ${expected} it had: it was cut or is not whole`;
  }
  if (header.userVersion > newest) {
    return `it has schema ${header.userVersion}, newer than this program's ${newest}: use a newer gatehouse`;
  }
  if (header.userVersion === 0) {
    return 'it has no schema of a hub';
  }
  return header.isUtf8 ? header : 'its texts are not in UTF-8';
}

/** A sentence about what its schema has or lacks; null when it is this product's. SQLite's error when it is damaged. */
export function findForeignSchema(file: string): string | null {
  const [first, ...more] = schemaDifferences(file, migrationsFolder);
  if (first === undefined) {
    return null;
  }
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  return `its schema is not a hub's: ${first}${others}`;
}

// The hub's database: which file is one, and its schema.
import { fileURLToPath } from 'node:url';
import { inspectDatabase, markDatabase } from '#kernel/database-file.ts';
import { Db, migrate } from '#kernel/sqlite.ts';

/** "GHOU". */
const kind = { applicationId: 0x47484f55, table: 'flow' };

/** Whether `file` has data of a hub; false when it is absent or empty. Throws when it is something else, or damaged. */
export function hasHubData(file: string): boolean {
  return inspectDatabase(file, kind);
}

/** Opens the file with the schema of this program. */
export function openDatabase(file: string): Db {
  migrate(file, fileURLToPath(new URL('../migrations', import.meta.url)));
  markDatabase(file, kind);
  return new Db(file);
}

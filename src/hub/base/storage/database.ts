// The hub's database: which file is one, and its schema.
import { inspectDatabase, markDatabase } from '#kernel/sqlite/database-file.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { migrationsFolder, productKind } from './product.ts';

/** Whether `file` has data of a hub; false when it is absent or empty. Throws when it is something else, or damaged. */
export function hasHubData(file: string): boolean {
  return inspectDatabase(file, productKind);
}

/** Opens the file with the schema of this program. */
export function openDatabase(file: string): Db {
  migrate(file, migrationsFolder);
  markDatabase(file, productKind);
  return new Db(file);
}

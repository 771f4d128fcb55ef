// The database that a first start makes, ready to be written: each lab of a process begins with a copy of one.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { migrationsFolder, productKind } from '#hub/base/storage/product.ts';
import { markDatabase } from '#kernel/sqlite/database-file.ts';
import { migrate } from '#kernel/sqlite/sqlite.ts';
import { makeFolder } from './temporary-folder.ts';

let made: Uint8Array | undefined;

/** Writes a database with the schema of this program and without data. Running all migrations would take 14 ms each time. */
export function writeNewDatabase(file: string): void {
  made ??= makeDatabase();
  writeFileSync(file, made, { mode: 0o600 });
}

function makeDatabase(): Uint8Array {
  const folder = makeFolder('schema');
  try {
    const file = path.join(folder, 'new.db');
    migrate(file, migrationsFolder);
    markDatabase(file, productKind);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

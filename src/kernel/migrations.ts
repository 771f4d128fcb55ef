// The numbered steps of a schema, each in a transaction of its own.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';

/** What `migrate` of sqlite.ts does with an open database. Throws when its schema is newer than the newest step. */
export function applyMigrations(db: Database.Database, folder: string): number {
  const current = Number(db.pragma('user_version', { simple: true }));
  const steps = readdirSync(folder)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort();
  const newest = Number(steps.at(-1)?.slice(0, 3) ?? 0);
  if (current > newest) {
    throw new Error(`${db.name} has schema ${current}, newer than this program's ${newest}: use a newer gatehouse`);
  }
  const missing = steps.filter((step) => Number(step.slice(0, 3)) > current);
  db.pragma('foreign_keys = OFF');
  for (const name of missing) {
    db.transaction(() => {
      db.exec(readFileSync(path.join(folder, name), 'utf8'));
      db.pragma(`user_version = ${Number(name.slice(0, 3))}`);
      if (name === missing.at(-1)) {
        checkForeignKeys(db, name);
      }
    }).immediate();
  }
  return newest;
}

function checkForeignKeys(db: Database.Database, step: string): void {
  const [broken] = db.pragma('foreign_key_check') as { table: string; parent: string }[];
  if (broken) {
    throw new Error(`migration ${step} would leave rows of ${broken.table} without their ${broken.parent}`);
  }
}

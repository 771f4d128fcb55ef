// The numbered steps of a schema: applied together, or not at all.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';

/** The steps `NNN-name.sql` of `folder`, in order. Throws when two have one number: a database would take only one of them. */
function stepsOf(folder: string): { version: number; name: string }[] {
  const steps = readdirSync(folder)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort()
    .map((name) => ({ version: Number(name.slice(0, 3)), name }));
  const twin = steps.find(({ version }, at) => version === steps[at + 1]?.version);
  if (twin !== undefined) {
    throw new Error(`two migrations of ${folder} have the number of ${twin.name}: give the newer one the next number`);
  }
  return steps;
}

export function newestVersion(folder: string): number {
  return stepsOf(folder).at(-1)?.version ?? 0;
}

/**
 * What `migrate` of sqlite.ts does with an open database: all missing steps up to `upTo` in one transaction, which ends
 * with a check of foreign keys and, for a database with data, of its pages. Returns the number of the last step. Throws when its schema is newer than the
 * newest step, and when a step or a check fails: then the database is what it was.
 */
export function applyMigrations(db: Database.Database, folder: string, upTo = Number.POSITIVE_INFINITY): number {
  const current = Number(db.pragma('user_version', { simple: true }));
  const newest = newestVersion(folder);
  if (current > newest) {
    throw new Error(`${db.name} has schema ${current}, newer than this program's ${newest}: use a newer gatehouse`);
  }
  const steps = stepsOf(folder).filter(({ version }) => version <= upTo);
  const missing = steps.filter(({ version }) => version > current);
  const last = missing.at(-1);
  db.pragma('foreign_keys = OFF');
  if (last !== undefined) {
    const apply = db.transaction(() => {
      for (const { name, version } of missing) {
        db.exec(readFileSync(path.join(folder, name), 'utf8'));
        db.pragma(`user_version = ${version}`);
      }
      checkForeignKeys(db, last.name);
      if (current > 0) {
        checkPages(db, last.name);
      }
    });
    apply.immediate();
  }
  return steps.at(-1)?.version ?? 0;
}

function checkForeignKeys(db: Database.Database, step: string): void {
  const [broken] = db.pragma('foreign_key_check') as { table: string; parent: string }[];
  if (broken) {
    throw new Error(`migration ${step} would leave rows of ${broken.table} without their ${broken.parent}`);
  }
}

function checkPages(db: Database.Database, step: string): void {
  const fault = String(db.pragma('quick_check(1)', { simple: true }));
  if (fault !== 'ok') {
    throw new Error(`the database is damaged after migration ${step} (${fault})`);
  }
}

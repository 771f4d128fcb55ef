// Deletes rows of the new database that refer to lost rows, and rows that refer to deleted ones.
import type Database from 'better-sqlite3';
import { quoteName } from './table-shape.ts';

interface Reference {
  id: number;
  table: string;
  from: string;
  to: string;
}

/** Deletes rows until all foreign keys hold; returns how many. */
export function deleteOrphans(db: Database.Database): number {
  const broken = db.prepare('SELECT DISTINCT "table" FROM pragma_foreign_key_check').pluck();
  let deleted = 0;
  for (let tables = broken.all() as string[]; tables.length > 0; tables = broken.all() as string[]) {
    const before = deleted;
    for (const table of tables) {
      deleted += deleteFrom(db, table);
    }
    if (deleted === before) {
      throw new Error(`rows of ${tables.join(', ')} refer to lost ones, and cannot be taken out`);
    }
  }
  return deleted;
}

function deleteFrom(db: Database.Database, table: string): number {
  const columns = db
    .prepare('SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?)')
    .all(table) as Reference[];
  const references = Map.groupBy(columns, ({ id }) => id).values();
  return [...references].reduce((deleted, pairs) => {
    const child = (name: string) => `${quoteName(table)}.${quoteName(name)}`;
    const isSet = pairs.map(({ from }) => `${child(from)} IS NOT NULL`).join(' AND ');
    const matches = pairs.map(({ from, to }) => `parent.${quoteName(to)} = ${child(from)}`).join(' AND ');
    const parent = quoteName(pairs[0]?.table ?? '');
    const { changes } = db
      .prepare(
        `DELETE FROM ${quoteName(table)} WHERE ${isSet}
           AND NOT EXISTS (SELECT 1 FROM ${parent} AS parent WHERE ${matches})`,
      )
      .run();
    return deleted + changes;
  }, 0);
}

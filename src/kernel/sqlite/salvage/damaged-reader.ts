// Reads a damaged database: a statement gives the rows up to the damage, and what SQLite says of it.
import type Database from 'better-sqlite3';
import { messageOf } from '../../errors.ts';
import { sqliteCode } from '../refused-write.ts';
import type { Value } from './region.ts';

export interface DamagedReader {
  /**
   * Calls `onRow` for each row until the end, the first row that `isPast`, or the first error of SQLite's, which is
   * returned. Other errors are thrown.
   */
  scan(
    sql: string,
    values: readonly Value[],
    onRow: (row: Value[]) => void,
    isPast?: (row: Value[]) => boolean,
  ): string | null;
}

export function createDamagedReader(db: Database.Database): DamagedReader {
  const statements = new Map<string, Database.Statement<Value[], Value[]>>();
  const prepared = (sql: string) => {
    const statement = statements.get(sql) ?? db.prepare<Value[], Value[]>(sql).raw().safeIntegers();
    statements.set(sql, statement);
    return statement;
  };
  return {
    scan(sql, values, onRow, isPast = () => false) {
      let rows: IterableIterator<Value[]> | null = null;
      try {
        for (;;) {
          let step: IteratorResult<Value[]>;
          try {
            rows ??= prepared(sql).iterate(...values);
            step = rows.next();
          } catch (error) {
            return damageOf(error);
          }
          if (step.done || isPast(step.value)) {
            return null;
          }
          onRow(step.value);
        }
      } finally {
        rows?.return?.();
      }
    },
  };
}

/** The message of an error that reading the file caused. Throws any other error again. */
function damageOf(error: unknown): string {
  const code = sqliteCode(error);
  if (!/^SQLITE_(?!BUSY|NOMEM|INTERRUPT)/.test(code)) {
    throw error;
  }
  return `${messageOf(error)} (${code})`;
}

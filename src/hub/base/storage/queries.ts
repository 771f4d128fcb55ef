// Checks the database file one table at a time: a stop waits for the current table, not for the file.
import { messageOf } from '#kernel/errors.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';

/** Faults of one table and its indexes, in the words of SQLite. */
export interface TableFaults {
  table: string;
  faults: string[];
}

/** Faults of one table that are reported, at most. */
const maxFaults = 5;

export const storageQueries = {
  /** Tables with faults; none when the file is whole (https://sqlite.org/pragma.html#pragma_quick_check). */
  fileFaults(reader: Reader, _: Record<string, never>): TableFaults[] {
    const tables = reader
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name")
      .pluck()
      .all() as string[];
    return tables
      .map((table) => ({ table, faults: checkTable(reader, table) }))
      .filter(({ faults }) => faults.length > 0);
  },
};

export type StorageQueries = typeof storageQueries;

function checkTable(reader: Reader, table: string): string[] {
  try {
    const rows = reader
      .prepare(`PRAGMA quick_check("${table.replaceAll('"', '""')}")`)
      .pluck()
      .all() as string[];
    return rows.filter((text) => text !== 'ok').slice(0, maxFaults);
  } catch (error) {
    return [messageOf(error)];
  }
}

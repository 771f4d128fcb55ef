// Copies what can be read of one table into the new database, and says what could not.
import type Database from 'better-sqlite3';
import { messageOf } from '../../errors.ts';
import { sqliteCode } from '../refused-write.ts';
import { copyByIndex } from './copy-by-index.ts';
import { copyRows } from './copy-rows.ts';
import type { DamagedReader } from './damaged-reader.ts';
import { interiorKeys } from './interior-keys.ts';
import { type Bound, placesIn, type Value } from './region.ts';
import { quoteName, type TableShape } from './table-shape.ts';

export interface SalvagedTable {
  table: string;
  rows: number;
  /** Those of `rows` of which only an index was read: their other columns are empty. */
  partial: number;
  /** Places where reading failed, and where rows break a rule of the table: rows may be missing there. */
  gaps: number;
  /** The first error, in the words of SQLite. */
  error: string | null;
}

const batch = 5000;

export interface DamagedDatabase {
  reader: DamagedReader;
  file: string;
  pageSize: number;
}

/** `target` is in a transaction, before and afterwards; rows are committed every few thousand. */
export function copyTable(damaged: DamagedDatabase, target: Database.Database, shape: TableShape): SalvagedTable {
  const salvaged: SalvagedTable = { table: shape.table, rows: 0, partial: 0, gaps: 0, error: null };
  const report = (error: string, places: number) => {
    salvaged.gaps += places;
    salvaged.error ??= error;
  };
  const insert = createInsert(target, shape.table);
  let isRefusing = false;
  const onRow = (row: Value[]) => {
    const refusal = insert(shape.columns, row);
    if (refusal !== null) {
      report(refusal, isRefusing ? 0 : 1);
    }
    isRefusing = refusal !== null;
    salvaged.rows += isRefusing ? 0 : 1;
  };
  const { reader } = damaged;
  const { regions, error } = copyRows(reader, shape, () => leafPlaces(damaged, shape), onRow);
  if (error !== null) {
    report(error, Math.max(1, placesIn(regions)));
  }
  if (regions.length > 0) {
    const condition = shape.key.map(({ name }) => `${quoteName(name)} = ?`).join(' AND ');
    const found = target.prepare(`SELECT 1 FROM ${quoteName(shape.table)} WHERE ${condition}`);
    copyByIndex(reader, shape, regions, {
      isCopied: (key) => found.get(...key) !== undefined,
      isTableReadable: salvaged.rows > 0,
      onRow,
      onPartialRow(columns, row) {
        // What is refused here counts as lost in its region already.
        const isIn = insert(columns, row) === null;
        salvaged.rows += isIn ? 1 : 0;
        salvaged.partial += isIn ? 1 : 0;
      },
    });
  }
  if (shape.missing.length > 0) {
    report(`no such column: ${shape.missing.join(', ')}`, 1);
  }
  return salvaged;
}

/** Where the leaf pages of the table begin; none when its root page is not known. */
function leafPlaces({ reader, file, pageSize }: DamagedDatabase, { table, key }: TableShape): Bound[] {
  const roots: number[] = [];
  reader.scan("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", [table], ([root]) => {
    roots.push(Number(root));
  });
  return roots.flatMap((root) => interiorKeys({ file, pageSize, root }, key.length));
}

/** Inserts a row and returns `null`, or the rule that it breaks: bytes of it are damaged, or it is there already. */
function createInsert(
  target: Database.Database,
  table: string,
): (columns: readonly string[], row: Value[]) => string | null {
  const statements = new Map<readonly string[], Database.Statement>();
  let inserted = 0;
  return (columns, row) => {
    const statement =
      statements.get(columns) ??
      target.prepare(
        `INSERT INTO ${quoteName(table)} (${columns.map(quoteName).join(', ')})
         VALUES (${columns.map(() => '?').join(', ')})`,
      );
    statements.set(columns, statement);
    try {
      statement.run(...row);
    } catch (error) {
      if (/^SQLITE_(?:CONSTRAINT|MISMATCH)/.test(sqliteCode(error))) {
        return messageOf(error);
      }
      throw error;
    }
    inserted += 1;
    if (inserted % batch === 0) {
      target.exec('COMMIT; BEGIN');
    }
    return null;
  };
}

// Salvages rows whose table pages cannot be read: the indexes of the table still hold their keys and some values.
import type { DamagedReader } from './damaged-reader.ts';
import type { Region, Value } from './region.ts';
import { quoteName, type TableIndex, type TableShape } from './table-shape.ts';

export interface CopyTarget {
  isCopied(key: readonly Value[]): boolean;
  /** False when no row could be read from the table: then only its indexes are read. */
  isTableReadable: boolean;
  /** A whole row, in the order of `shape.columns`. */
  onRow(row: Value[]): void;
  /** Gets the values that the index holds. Called only when they include every required column. */
  onPartialRow(columns: readonly string[], row: Value[]): void;
}

/** Looks in each index for rows of `regions`, which could not be read from the table. Reads a damaged index from both ends. */
export function copyByIndex(
  reader: DamagedReader,
  shape: TableShape,
  regions: readonly Region[],
  target: CopyTarget,
): void {
  const { where, values } = limitToRegions(shape, regions);
  const key = shape.key.map(({ name }) => name);
  const selectRow = `SELECT ${shape.columns.map(quoteName).join(', ')} FROM ${quoteName(shape.table)} NOT INDEXED
    WHERE ${key.map((name) => `${quoteName(name)} = ?`).join(' AND ')}`;
  for (const index of shape.indexes) {
    const columns = [...new Set([...key, ...index.columns.filter((name) => shape.columns.includes(name))])];
    const hasRequired = shape.required.every((name) => columns.includes(name));
    const onEntry = (entry: Value[]) => {
      const entryKey = entry.slice(0, key.length);
      if (target.isCopied(entryKey)) {
        return;
      }
      // A lookup without an error has copied the row, or the table has no such row and the index is wrong.
      const isUnreadable = !target.isTableReadable || reader.scan(selectRow, entryKey, target.onRow) !== null;
      if (isUnreadable && hasRequired) {
        target.onPartialRow(columns, entry);
      }
    };
    const readEntries = (order: string) =>
      reader.scan(selectIndex(shape, index, columns, where, order), values, onEntry);
    if ((hasRequired || target.isTableReadable) && readEntries('ASC') !== null) {
      readEntries('DESC');
    }
  }
}

function selectIndex(
  { table }: TableShape,
  index: TableIndex,
  columns: readonly string[],
  where: string,
  order: string,
): string {
  const by = index.columns[0] === undefined ? '' : `ORDER BY ${quoteName(index.columns[0])} ${order}`;
  return `SELECT ${columns.map(quoteName).join(', ')} FROM ${quoteName(table)}
    INDEXED BY ${quoteName(index.name)} ${where} ${by}`;
}

/** Selects keys from the start of the first region to the end of the last, by their first column. */
function limitToRegions(shape: TableShape, regions: readonly Region[]): { where: string; values: Value[] } {
  const name = quoteName(shape.key[0]?.name ?? 'rowid');
  const lowest = outermost(
    regions.map(({ from }) => from?.values[0]),
    (one, other) => one < other,
  );
  const highest = outermost(
    regions.map(({ to }) => to?.values[0]),
    (one, other) => one > other,
  );
  const conditions = [...(lowest === null ? [] : [`${name} >= ?`]), ...(highest === null ? [] : [`${name} <= ?`])];
  return {
    where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`,
    values: [lowest, highest].filter((value) => value !== null),
  };
}

/** `null` when a region has no bound on this side, or one that is not an integer. */
function outermost(
  values: readonly (Value | undefined)[],
  isFurther: (one: bigint, other: bigint) => boolean,
): bigint | null {
  const integers = values.filter((value) => typeof value === 'bigint');
  return integers.length < values.length
    ? null
    : integers.reduce((furthest, value) => (isFurther(value, furthest) ? value : furthest));
}

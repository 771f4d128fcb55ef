// Rows whose table pages cannot be read. The indexes of the table still have their keys and some of their values.
import type { DamagedReader } from './damaged-reader.ts';
import type { Region, Value } from './region.ts';
import { quoted, type TableIndex, type TableShape } from './table-shape.ts';

export interface IndexedRows {
  /** Whether the row of this key is copied. */
  has(key: readonly Value[]): boolean;
  /** Whether any row was read from the pages of the table: else none is looked up there. */
  isReadable: boolean;
  /** A whole row, in the order of `shape.columns`. */
  onRow(row: Value[]): void;
  /** The values that the index has of a row, when these include all that a row must have. */
  onPart(columns: readonly string[], row: Value[]): void;
}

/** Looks in each index for rows of the unread `regions`. An index that is damaged too is read from both ends. */
export function copyByIndex(
  reader: DamagedReader,
  shape: TableShape,
  regions: readonly Region[],
  rows: IndexedRows,
): void {
  const { where, values } = within(shape, regions);
  const key = shape.key.map(({ name }) => name);
  const row = `SELECT ${shape.columns.map(quoted).join(', ')} FROM ${quoted(shape.table)} NOT INDEXED
    WHERE ${key.map((name) => `${quoted(name)} = ?`).join(' AND ')}`;
  for (const index of shape.indexes) {
    const columns = [...new Set([...key, ...index.columns.filter((name) => shape.columns.includes(name))])];
    const isEnough = shape.required.every((name) => columns.includes(name));
    const onEntry = (entry: Value[]) => {
      const entryKey = entry.slice(0, key.length);
      if (rows.has(entryKey)) {
        return;
      }
      // The table was read without an error and has no such row: the index is wrong.
      const isLost = !rows.isReadable || reader.scan(row, entryKey, rows.onRow) !== null;
      if (isLost && isEnough) {
        rows.onPart(columns, entry);
      }
    };
    const entries = (order: string) => reader.scan(selectIndex(shape, index, columns, where, order), values, onEntry);
    if ((isEnough || rows.isReadable) && entries('ASC') !== null) {
      entries('DESC');
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
  const by = index.columns[0] === undefined ? '' : `ORDER BY ${quoted(index.columns[0])} ${order}`;
  return `SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)} INDEXED BY ${quoted(index.name)} ${where} ${by}`;
}

/** The condition that leaves out what lies before the first region and behind the last one. */
function within(shape: TableShape, regions: readonly Region[]): { where: string; values: Value[] } {
  const name = quoted(shape.key[0]?.name ?? 'rowid');
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

/** `null` when one of them is open, or no integer. */
function outermost(
  values: readonly (Value | undefined)[],
  isFurther: (one: bigint, other: bigint) => boolean,
): bigint | null {
  const integers = values.filter((value) => typeof value === 'bigint');
  return integers.length < values.length
    ? null
    : integers.reduce((furthest, value) => (isFurther(value, furthest) ? value : furthest));
}

// Connections as the bytes of their texts. What rows share is written once: for each source, destination, set of observers
// and verdict.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { CellChanges, Columns, RowForm } from './cells.ts';
import { readIndexedRows, type Selected } from './indexed-rows.ts';
import { PageBytes } from './page-bytes.ts';
import { createRowFormat } from './row-format.ts';

export interface Writing {
  columns: Columns;
  form: RowForm;
  changes?: CellChanges | undefined;
  /** Most rows in one piece of bytes. */
  rowsAtOnce: number;
}

/** Yields the first `most` rows in the order of the list, newest first; no piece is empty. `reader` must hold one snapshot. */
export function* writeRows(
  reader: Reader,
  selected: Selected,
  most: number,
  writing: Writing,
): Generator<Uint8Array<ArrayBuffer>, void> {
  const { form, rowsAtOnce } = writing;
  const { load, formatRow, compare } = createRowFormat(reader, writing);
  const page = new PageBytes();
  let left = most;
  let separator = '';
  for (const rows of readIndexedRows(reader, selected)) {
    load(rows);
    const sorted = rows.sort(compare).slice(0, left);
    left -= sorted.length;
    for (const [at, row] of sorted.entries()) {
      page.add(separator);
      formatRow(row, page);
      separator = form.separator;
      if ((at + 1) % rowsAtOnce === 0 || at === sorted.length - 1) {
        yield page.take();
      }
    }
    if (left === 0) {
      return;
    }
  }
}

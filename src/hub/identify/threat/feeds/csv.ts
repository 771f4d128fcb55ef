// Reads the CSV of abuse.ch, a publisher of threat lists. The header may be a comment, and spaces may precede a cell.

export interface CsvTable {
  /** Cells of the wanted columns in order; `null` for an unreadable line. The next row overwrites the array. */
  rows: Iterable<readonly string[] | null>;
  /** The last line, without its `#`, when it is a comment; else empty. It may announce the number of rows. */
  trailer: string;
}

/**
 * Reads the columns `wanted` of `text`, or returns a problem: the header does not name them all, or the last line is
 * incomplete. Columns in `optional` may be missing: their cells are then empty.
 */
export function readCsv(
  text: string,
  wanted: readonly string[],
  optional: readonly string[] = [],
): CsvTable | { problem: string } {
  const header = findHeader(text, wanted);
  if (!header) {
    return { problem: `no header with the columns ${wanted.join(', ')}` };
  }
  if (!text.endsWith('\n')) {
    return { problem: 'it ends in the middle of a line' };
  }
  const columns = [...wanted, ...optional].map((name) => header.names.indexOf(name));
  // For each column of the text, the index of its cell in a row; -1: unwanted.
  const cellIndexes = header.names.map((_, column) => columns.indexOf(column));
  return { rows: iterateRows(text, header.end, cellIndexes, columns.length), trailer: findTrailer(text) };
}

/** Gives each row to `parse` and counts the rows. Unreadable lines and rows for which `parse` returns false are bad. */
export function parseRows(table: CsvTable, parse: (row: readonly string[]) => boolean): { rows: number; bad: number } {
  const counts = { rows: 0, bad: 0 };
  for (const cells of table.rows) {
    counts.rows += 1;
    if (cells === null || !parse(cells)) {
      counts.bad += 1;
    }
  }
  return counts;
}

function findHeader(text: string, wanted: readonly string[]): { names: string[]; end: number } | null {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    const names = text
      .slice(start, end)
      .replace(/^#/, '')
      .split(',')
      .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    if (wanted.every((name) => names.includes(name))) {
      return { names, end: end + 1 };
    }
    if (text[start] !== '#' && text.slice(start, end).trim() !== '') {
      return null;
    }
    start = end + 1;
  }
  return null;
}

function findTrailer(text: string): string {
  const last = text.trimEnd();
  const line = last.slice(last.lastIndexOf('\n') + 1);
  return line.startsWith('#') ? line.slice(1).trim() : '';
}

function* iterateRows(text: string, from: number, cellIndexes: readonly number[], count: number) {
  const cells = new Array<string>(count).fill('');
  for (let start = from; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const stop = end < 0 ? text.length : end;
    const first = text.charCodeAt(start);
    if (first !== hash && stop > start && !(stop === start + 1 && first === carriageReturn)) {
      yield readRow(text, start, stop, cellIndexes, cells) ? cells : null;
    }
    start = stop + 1;
  }
}

const hash = 35;
const quote = 34;
const comma = 44;
const space = 32;
const carriageReturn = 13;

/**
 * Reads one line into `cells`; false when a quote stays open or is followed by text, or when the number of cells is
 * not that of the header. Optional columns that the header lacks stay empty.
 */
function readRow(text: string, start: number, stop: number, cellIndexes: readonly number[], cells: string[]): boolean {
  const end = text.charCodeAt(stop - 1) === carriageReturn ? stop - 1 : stop;
  let column = 0;
  for (let at = start; at <= end; column += 1) {
    while (text.charCodeAt(at) === space) {
      at += 1;
    }
    const isQuoted = text.charCodeAt(at) === quote;
    const close = isQuoted ? findClosingQuote(text, at + 1, end) : findCellEnd(text, at, end);
    if (close < 0) {
      return false;
    }
    const cellIndex = cellIndexes[column] ?? -1;
    if (cellIndex >= 0) {
      cells[cellIndex] = isQuoted ? unescapeQuotes(text.slice(at + 1, close)) : text.slice(at, close);
    }
    at = isQuoted ? close + 1 : close;
    if (at < end && text.charCodeAt(at) !== comma) {
      return false;
    }
    at += 1;
  }
  return column === cellIndexes.length;
}

function unescapeQuotes(cell: string): string {
  return cell.includes('"') ? cell.replaceAll('""', '"') : cell;
}

function findClosingQuote(text: string, from: number, end: number): number {
  for (let at = text.indexOf('"', from); at >= 0 && at < end; at = text.indexOf('"', at + 2)) {
    if (text.charCodeAt(at + 1) !== quote) {
      return at;
    }
  }
  return -1;
}

function findCellEnd(text: string, from: number, end: number): number {
  const found = text.indexOf(',', from);
  return found < 0 || found > end ? end : found;
}

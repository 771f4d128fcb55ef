// The CSV of abuse.ch: comments, a header that may be a comment, quotes, blanks between cells. Columns are found by name.

export interface CsvTable {
  /** Cells of the wanted columns in order, valid until the next row is read; `null` for an unreadable line. */
  rows: Iterable<readonly string[] | null>;
  /** The last comment, without its `#`. */
  trailer(): string;
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
  // Index of each column of the text among the wanted ones; -1: unwanted.
  const places = header.names.map((_, column) => columns.indexOf(column));
  return { rows: iterateRows(text, header.end, places, columns.length), trailer: () => findTrailer(text) };
}

/** Counts the rows of a table; those that `read` refuses, and lines that cannot be read, are bad. */
export function countRows(table: CsvTable, read: (cells: readonly string[]) => boolean): { rows: number; bad: number } {
  const counts = { rows: 0, bad: 0 };
  for (const cells of table.rows) {
    counts.rows += 1;
    if (cells === null || !read(cells)) {
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

function* iterateRows(text: string, from: number, places: readonly number[], count: number) {
  const cells = new Array<string>(count).fill('');
  for (let start = from; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const stop = end < 0 ? text.length : end;
    const first = text.charCodeAt(start);
    if (first !== hash && stop > start && !(stop === start + 1 && first === carriageReturn)) {
      yield readRow(text, start, stop, places, cells) ? cells : null;
    }
    start = stop + 1;
  }
}

const hash = 35;
const quote = 34;
const comma = 44;
const blank = 32;
const carriageReturn = 13;

/**
 * Reads one line into `cells`; false when a quote stays open or is followed by text, or when it has not as many cells as
 * the header. Columns that the header has not stay empty.
 */
function readRow(text: string, start: number, stop: number, places: readonly number[], cells: string[]): boolean {
  const end = text.charCodeAt(stop - 1) === carriageReturn ? stop - 1 : stop;
  let column = 0;
  for (let at = start; at <= end; column += 1) {
    while (text.charCodeAt(at) === blank) {
      at += 1;
    }
    const isQuoted = text.charCodeAt(at) === quote;
    const close = isQuoted ? findClosingQuote(text, at + 1, end) : findCellEnd(text, at, end);
    if (close < 0) {
      return false;
    }
    const place = places[column] ?? -1;
    if (place >= 0) {
      cells[place] = isQuoted ? unescapeQuotes(text.slice(at + 1, close)) : text.slice(at, close);
    }
    at = isQuoted ? close + 1 : close;
    if (at < end && text.charCodeAt(at) !== comma) {
      return false;
    }
    at += 1;
  }
  return column === places.length;
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

// Copies the rows of a table by its key: from both ends up to the damage, then from ever more places between.
// Reading from where a leaf page begins finds all pages that are whole. Trying half-way finds what is whole between two
// damaged rows of one page, and pages of which the beginning is not known.
import type { DamagedReader } from './damaged-reader.ts';
import { type Bound, divideAt, findMiddle, isPast, type Region, type Value } from './region.ts';
import { quoteName, type TableShape } from './table-shape.ts';

export interface Unread {
  /** What could not be read; empty when every row was. */
  regions: Region[];
  error: string | null;
}

/** Tries half-way. One damaged page costs about two for each of its rows. */
const maxTries = 4000;

/**
 * Calls `onRow` for every row that can be read, its values in the order of `shape.columns`. `places` are asked for when
 * there is damage between the ends.
 */
export function copyRows(
  reader: DamagedReader,
  shape: TableShape,
  places: () => readonly Bound[],
  onRow: (row: Value[]) => void,
): Unread {
  let error: string | null = null;
  /** Reads into the region from one of its ends. Returns what is left of it when there is damage. */
  const enter = (region: Region, end: 'from' | 'to'): Region[] => {
    const [order, other] = end === 'from' ? (['ASC', 'to'] as const) : (['DESC', 'from'] as const);
    const keyOf = (row: Value[]) => row.slice(0, shape.key.length);
    let reached = region[end];
    const failure = reader.scan(
      select(shape, order, reached),
      reached?.values ?? [],
      (row) => {
        onRow(row);
        reached = { values: keyOf(row), isRow: true };
      },
      (row) => isPast(keyOf(row), region[other], order),
    );
    error ??= failure;
    return failure === null ? [] : [{ ...region, [end]: reached }];
  };
  const fromBothEnds = (region: Region) => enter(region, 'from').flatMap((rest) => enter(rest, 'to'));
  const waiting = fromBothEnds({ from: null, to: null }).flatMap((region) => {
    const pieces = divideAt(region, places());
    return pieces.length === 1 ? pieces : pieces.flatMap(fromBothEnds);
  });
  const regions: Region[] = [];
  let tries = 0;
  // The oldest first: all regions are divided once before one is divided twice.
  for (const region of waiting) {
    const middle = tries < maxTries ? findMiddle(region, shape.key) : null;
    if (middle === null) {
      regions.push(region);
    } else {
      tries += 2;
      waiting.push(
        ...enter({ from: region.from, to: middle }, 'to'),
        ...enter({ from: middle, to: region.to }, 'from'),
      );
    }
  }
  return { regions, error };
}

/**
 * All rows on one side of `start`. Where to stop is not said: SQLite would read a row further to see that, and may find
 * damage there. Nor does it use an index, which may be damaged too.
 */
function select(shape: TableShape, order: 'ASC' | 'DESC', start: Bound | null): string {
  const key = shape.key.map(({ name }) => quoteName(name));
  const operator = order === 'DESC' ? '<' : start?.isRow ? '>' : '>=';
  const names = key.slice(0, start?.values.length);
  const values = start?.values.map(() => '?') ?? [];
  return `SELECT ${shape.columns.map(quoteName).join(', ')} FROM ${quoteName(shape.table)} NOT INDEXED
    ${start === null ? '' : `WHERE (${names.join(', ')}) ${operator} (${values.join(', ')})`}
    ORDER BY ${key.map((name) => `${name} ${order}`).join(', ')}`;
}

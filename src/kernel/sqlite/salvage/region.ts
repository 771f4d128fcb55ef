// A stretch of keys of a table that is not read yet, and where to enter it next.

export type Value = string | number | bigint | Buffer | null;

/** The place before all rows whose key begins with `values`; with `isRow` the one row of this key, which is read. */
export interface Bound {
  values: readonly Value[];
  isRow: boolean;
}

/** What lies between two bounds; `null`: the first or last row of the table. */
export interface Region {
  from: Bound | null;
  to: Bound | null;
}

export interface KeyColumn {
  name: string;
  isInteger: boolean;
}

/** Beyond this no id is looked for: SQLite counts up from 1. */
const highest = 2n ** 62n;

/**
 * A place strictly inside of `region`, half-way where its keys are integers; away from an open end each is twice the last
 * one. `null` when there is no such place, or none is found: keys of text are only divided at those of a bound.
 */
export function findMiddle(region: Region, key: readonly KeyColumn[]): Bound | null {
  const low = region.from?.values ?? [];
  let high = region.to?.values ?? [];
  const shared: Value[] = [];
  for (const [index, { isInteger }] of key.entries()) {
    const from = low[index];
    const to = high[index];
    if (from === undefined || from !== to) {
      const between = isInteger ? integerBetween(from, to) : null;
      if (between !== null) {
        return { values: [...shared, between], isRow: false };
      }
      if (to !== undefined && high.length > index + 1) {
        return { values: [...shared, to], isRow: false };
      }
      if (from === undefined) {
        return null;
      }
      // Only rows that share this column with the lower bound are left.
      high = [];
    }
    shared.push(from);
  }
  return null;
}

function integerBetween(from: Value | undefined, to: Value | undefined): bigint | null {
  const low = typeof from === 'bigint' ? from : null;
  const high = typeof to === 'bigint' ? to : null;
  if (high === null) {
    const next = low === null ? 0n : low < 1n ? 1n : low * 2n;
    return next < highest ? next : null;
  }
  if (low === null) {
    return high > 0n ? 0n : null;
  }
  return high - low >= 2n ? low + (high - low) / 2n : null;
}

/** Whether a row with this key lies behind `bound` when read in this direction. */
export function isPast(key: readonly Value[], bound: Bound | null, order: 'ASC' | 'DESC'): boolean {
  const difference = bound === null ? Number.NaN : compare(key, bound.values);
  return order === 'ASC' ? difference >= 0 : difference < 0 || (difference === 0 && bound?.isRow === true);
}

/** The region in pieces, at the `places` that are inside of it; these are in order. */
export function divideAt({ from, to }: Region, places: readonly Bound[]): Region[] {
  const regions: Region[] = [];
  let start = from;
  for (const place of places) {
    const isBehind = start === null || compare(start.values, place.values) < 0;
    if (isBehind && (to === null || compare(place.values, to.values) < 0)) {
      regions.push({ from: start, to: place });
      start = place;
    }
  }
  return [...regions, { from: start, to }];
}

/** As SQLite orders keys, by the columns that both have; NaN for values of different types, which only damage makes. */
function compare(one: readonly Value[], other: readonly Value[]): number {
  for (const [index, value] of one.slice(0, other.length).entries()) {
    const than = other[index];
    if (typeof value === 'bigint' && typeof than === 'bigint') {
      if (value !== than) {
        return value < than ? -1 : 1;
      }
    } else if (typeof value === 'string' && typeof than === 'string') {
      if (value !== than) {
        return Buffer.compare(Buffer.from(value), Buffer.from(than));
      }
    } else {
      return Number.NaN;
    }
  }
  return 0;
}

/** Places where reading failed: regions that share a bound, without a row between them, are one. */
export function placesIn(regions: readonly Region[]): number {
  const ends = new Set(regions.map(({ to }) => to));
  return regions.filter(({ from }) => from === null || !ends.has(from)).length;
}

// Groups up to half a million rows by range or name, in the order of the tables and without duplicates.
import { ascending } from '#kernel/columns/counting-order.ts';
import { readText } from '#kernel/columns/text-pool.ts';
import { findIpv4Last, ipv4Number, parseIpv6Span } from './ip-number.ts';
import { createNameIndex, enterName, type NameIndex } from './name-index.ts';
import { ipv4Kind, type Rows } from './rows.ts';

export interface Groups {
  /** `rows` from `starts[g]` to `starts[g + 1]` are of one range or name. */
  rows: Uint32Array;
  starts: Uint32Array;
}

export interface Ranges<N> extends Groups {
  /** Ends of each group's range: ascending, wider before narrower. */
  firsts: ArrayLike<N>;
  lasts: ArrayLike<N>;
}

/** Most rows are IPv4: they are sorted as plain numbers. */
export function groupIpv4(all: Rows, chosen: Uint32Array): Ranges<number> {
  const numbers = chosen.map((row) => findFirst(all, row));
  const order = ascending(numbers);
  const firsts = new Float64Array(chosen.length);
  const lasts = new Float64Array(chosen.length);
  const groups = createGroups(chosen.length);
  const add = (row: number, first: number, last: number) => {
    const group = groups.count() - 1;
    if (group >= 0 && firsts[group] === first && lasts[group] === last) {
      groups.join(all, row);
    } else {
      firsts[group + 1] = first;
      lasts[group + 1] = last;
      groups.open(row);
    }
  };
  for (let at = 0; at < order.length; ) {
    const place = order[at] ?? 0;
    const first = numbers[place] ?? 0;
    let end = at + 1;
    while (end < order.length && numbers[order[end] ?? 0] === first) {
      end += 1;
    }
    if (end === at + 1) {
      // Most addresses are listed once.
      const row = chosen[place] ?? 0;
      add(row, first, findLast(all, row, first));
    } else {
      const same = Array.from(order.subarray(at, end), (one) => chosen[one] ?? 0);
      const spans = same.map((row) => ({ row, last: findLast(all, row, first) }));
      for (const { row, last } of spans.sort((a, b) => b.last - a.last)) {
        add(row, first, last);
      }
    }
    at = end;
  }
  return { ...groups.done(), firsts, lasts };
}

function findFirst({ kinds, values, texts }: Rows, row: number): number {
  const value = values[row] ?? 0;
  if (kinds[row] === ipv4Kind) {
    return value;
  }
  const range = readText(texts, value);
  return ipv4Number(range.slice(0, range.indexOf('/')));
}

function findLast({ kinds, values, texts }: Rows, row: number, first: number): number {
  return kinds[row] === ipv4Kind ? first : findIpv4Last(readText(texts, values[row] ?? 0), first);
}

export function groupIpv6(all: Rows, chosen: Uint32Array): Ranges<bigint> {
  const spans = Array.from(chosen, (row) => ({ ...parseIpv6Span(readText(all.texts, all.values[row] ?? 0)), row }));
  const firsts: bigint[] = [];
  const lasts: bigint[] = [];
  const groups = createGroups(chosen.length);
  for (const { first, last, row } of spans.sort((a, b) => order(a.first, b.first) || order(b.last, a.last))) {
    if (firsts.at(-1) === first && lasts.at(-1) === last) {
      groups.join(all, row);
    } else {
      firsts.push(first);
      lasts.push(last);
      groups.open(row);
    }
  }
  return { ...groups.done(), firsts, lasts };
}

const order = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

/** Names in order of appearance, and their index; groups are numbered from `firstGroup`. */
export function groupNames(all: Rows, chosen: Uint32Array, firstGroup: number): Groups & { index: NameIndex } {
  const index = createNameIndex(chosen.length);
  let next = firstGroup;
  const groupNumbers = chosen.map((row) => {
    const group = enterName(index, all.texts, all.values[row] ?? 0, next);
    next += group === next ? 1 : 0;
    return group;
  });
  const groups = createGroups(chosen.length);
  let last = -1;
  for (const place of ascending(groupNumbers)) {
    const row = chosen[place] ?? 0;
    if (groupNumbers[place] === last) {
      groups.join(all, row);
    } else {
      groups.open(row);
      last = groupNumbers[place] ?? 0;
    }
  }
  return { ...groups.done(), index };
}

/** Groups one after another, of at most `capacity` rows in all. */
function createGroups(capacity: number) {
  const rows = new Uint32Array(capacity);
  const starts = new Uint32Array(capacity + 1);
  let count = 0;
  let end = 0;
  return {
    count: () => count,
    open(row: number) {
      starts[count] = end;
      count += 1;
      rows[end] = row;
      end += 1;
    },
    /** Adds to the last group; of one feed, kind and port the most severe row stays. */
    join({ feeds, kinds, ports, exact }: Rows, one: number) {
      for (let at = starts[count - 1] ?? 0; at < end; at += 1) {
        const row = rows[at] ?? 0;
        if (feeds[row] === feeds[one] && kinds[row] === kinds[one] && ports[row] === ports[one]) {
          rows[at] = (exact[row] ?? 0) < (exact[one] ?? 0) ? one : row;
          return;
        }
      }
      rows[end] = one;
      end += 1;
    },
    done(): Groups {
      starts[count] = end;
      return { rows: rows.subarray(0, end), starts: starts.subarray(0, count + 1) };
    },
  };
}

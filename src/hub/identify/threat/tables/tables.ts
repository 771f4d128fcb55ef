// The tables of indicators, in arrays that threads share: built in one thread, read in another, immutable.
import { findSegment, type Ipv4Segments } from '#kernel/columns/ipv4-segments.ts';
import { readText } from '#kernel/columns/text-pool.ts';
import type { Grade, Indicator } from '../indicator.ts';
import { formatIpv4 } from './ip-number.ts';
import { findName, type NameIndex } from './name-index.ts';
import { feedOrder, ipv4Kind, kindOrder, type Rows } from './rows.ts';

/** Rows of one group lie together. */
export interface Tables extends Rows {
  /** Changes when anything else does. */
  version: string;
  /** A group is one range or name: its indicators are from `groups[g]` to `groups[g + 1]`. */
  groups: Uint32Array;
  /** The group of the next wider range; -1: none. */
  parents: Int32Array;
  v4: Ipv4Segments & { ranges: Int32Array };
  v6: {
    /** Upper and lower halves of 128 bits. */
    high: BigUint64Array;
    low: BigUint64Array;
    ranges: Int32Array;
  };
  names: NameIndex;
}

/** Returns the most specific group that contains `address`, or -1. */
export function findIpv4({ v4 }: Tables, address: number): number {
  return v4.ranges[findSegment(v4, address)] ?? -1;
}

export function findIpv6({ v6: { high, low, ranges } }: Tables, address: bigint): number {
  const upper = address >> 64n;
  const lower = address & 0xffff_ffff_ffff_ffffn;
  let from = 0;
  let to = high.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const start = high[middle] ?? 0n;
    if (start < upper || (start === upper && (low[middle] ?? 0n) <= lower)) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return ranges[from - 1] ?? -1;
}

/** The groups of a name and of its parents that include subdomains, the longest name first. */
export function* findNames(tables: Tables, name: string): Generator<number> {
  for (let from = 0; from >= 0; ) {
    const group = findName(tables.names, tables.texts, name, from);
    if (group >= 0 && (from === 0 || tables.covers[tables.groups[group] ?? 0] === 1)) {
      yield group;
    }
    const dot = name.indexOf('.', from);
    from = dot < 0 ? -1 : dot + 1;
  }
}

export function indicatorAt(tables: Rows, index: number): Indicator {
  const { texts } = tables;
  const kind = tables.kinds[index] ?? 0;
  const value = tables.values[index] ?? 0;
  return {
    feed: feedOrder[tables.feeds[index] ?? 0] ?? 'feed_c2',
    kind: listedKinds[kind] ?? 'ip',
    value: kind === ipv4Kind ? formatIpv4(value) : readText(texts, value),
    port: tables.ports[index] ?? 0,
    exact: (tables.exact[index] ?? 0) as Grade,
    loose: (tables.loose[index] ?? 0) as Grade,
    tag: readText(texts, tables.tags[index] ?? 0),
    url: readText(texts, tables.urls[index] ?? 0),
  };
}

/** URLs are only false positives, never listed. */
const listedKinds = kindOrder.slice(0, 4) as readonly Indicator['kind'][];

export function* listIndicators(tables: Tables): Generator<Indicator> {
  for (let index = 0; index < tables.feeds.length; index += 1) {
    yield indicatorAt(tables, index);
  }
}

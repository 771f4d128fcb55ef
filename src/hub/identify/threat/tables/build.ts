// Builds tables from rows: sorted, deduplicated, ranges flattened. Runs in the thread.
import { createHash } from 'node:crypto';
import { fillRoots, rootCount } from '#kernel/columns/ipv4-segments.ts';
import { readText } from '#kernel/columns/text-pool.ts';
import { sharedUint32 } from '#kernel/columns/typed-array.ts';
import { type Flat, flatten } from './flatten.ts';
import { groupIpv4, groupIpv6, groupNames } from './grouping.ts';
import { cidrKind, createColumns, domainKind, ipv6Kind, type Rows, removedKind } from './rows.ts';
import type { Tables } from './tables.ts';

/** The tables take over the texts of `rows`, which are in shared memory. */
export function buildTables(rows: Rows): Tables {
  const chosen = splitByFamily(rows);
  const v4 = groupIpv4(rows, chosen.v4);
  const v6 = groupIpv6(rows, chosen.v6);
  const count4 = v4.starts.length - 1;
  const count6 = v6.starts.length - 1;
  const names = groupNames(rows, chosen.names, count4 + count6);
  const all = [v4, v6, names];
  const groups = sharedUint32(all.reduce((sum, { starts }) => sum + starts.length - 1, 1));
  const ordered = new Uint32Array(all.reduce((sum, one) => sum + one.rows.length, 0));
  let group = 0;
  let row = 0;
  for (const { rows: some, starts } of all) {
    const offset = row;
    groups.set(
      starts.map((start) => start + offset),
      group,
    );
    ordered.set(some, row);
    group += starts.length - 1;
    row += some.length;
  }
  const flat4 = flatten(count4, v4.firsts, v4.lasts, new Float64Array(count4 * 2 + 1), 0, (value) => value + 1);
  const flat6 = flatten<bigint>(count6, v6.firsts, v6.lasts, [], 0n, (value) => value + 1n);
  const parents = new Int32Array(new SharedArrayBuffer(group * 4)).fill(-1);
  parents.set(flat4.parents);
  parents.set(
    flat6.parents.map((parent) => (parent < 0 ? -1 : parent + count4)),
    count4,
  );
  const tables = {
    texts: rows.texts,
    ...copyColumns(rows, ordered),
    groups,
    parents,
    v4: buildIpv4Index(flat4),
    v6: buildIpv6Index(flat6, count4),
    names: names.index,
  };
  return { version: hashTables(tables), ...tables };
}

function splitByFamily({ kinds, values, texts }: Rows): Record<'v4' | 'v6' | 'names', Uint32Array> {
  const chosen = {
    v4: new Uint32Array(kinds.length),
    v6: new Uint32Array(kinds.length),
    names: new Uint32Array(kinds.length),
  };
  const counts = { v4: 0, v6: 0, names: 0 };
  for (let row = 0; row < kinds.length; row += 1) {
    const kind = kinds[row];
    if (kind === removedKind) {
      continue;
    }
    const isV6 = kind === ipv6Kind || (kind === cidrKind && readText(texts, values[row] ?? 0).includes(':'));
    const family = kind === domainKind ? 'names' : isV6 ? 'v6' : 'v4';
    chosen[family][counts[family]] = row;
    counts[family] += 1;
  }
  const { v4, v6, names } = chosen;
  return { v4: v4.subarray(0, counts.v4), v6: v6.subarray(0, counts.v6), names: names.subarray(0, counts.names) };
}

function copyColumns(rows: Rows, ordered: Uint32Array): Omit<Rows, 'texts'> {
  const count = ordered.length;
  const columns = createColumns(count, (bytes) => new SharedArrayBuffer(bytes));
  for (let index = 0; index < count; index += 1) {
    const row = ordered[index] ?? 0;
    columns.feeds[index] = rows.feeds[row] ?? 0;
    columns.kinds[index] = rows.kinds[row] ?? 0;
    columns.ports[index] = rows.ports[row] ?? 0;
    columns.exact[index] = rows.exact[row] ?? 0;
    columns.loose[index] = rows.loose[row] ?? 0;
    columns.covers[index] = rows.covers[row] ?? 0;
    columns.values[index] = rows.values[row] ?? 0;
    columns.tags[index] = rows.tags[row] ?? 0;
    columns.urls[index] = rows.urls[row] ?? 0;
  }
  return columns;
}

function buildIpv4Index({ starts, ranges, segments }: Flat<number>): Tables['v4'] {
  // The end of a range up to the highest address is out of range.
  const isBeyond = (starts[segments - 1] ?? 0) > 0xffff_ffff;
  const length = isBeyond ? segments - 1 : segments;
  const index = {
    starts: sharedUint32(length),
    ranges: new Int32Array(new SharedArrayBuffer(length * 4)),
    roots: sharedUint32(rootCount),
  };
  for (let segment = 0; segment < length; segment += 1) {
    index.starts[segment] = starts[segment] ?? 0;
  }
  index.ranges.set(ranges.subarray(0, length));
  for (const _ of fillRoots(index)) {
    // This thread has nothing else to do.
  }
  return index;
}

function buildIpv6Index({ starts, ranges, segments }: Flat<bigint>, firstGroup: number): Tables['v6'] {
  const isBeyond = (starts[segments - 1] ?? 0n) >> 128n > 0n;
  const length = isBeyond ? segments - 1 : segments;
  const index = {
    high: new BigUint64Array(new SharedArrayBuffer(length * 8)),
    low: new BigUint64Array(new SharedArrayBuffer(length * 8)),
    ranges: new Int32Array(new SharedArrayBuffer(length * 4)),
  };
  for (let at = 0; at < length; at += 1) {
    const start = starts[at] ?? 0n;
    index.high[at] = start >> 64n;
    index.low[at] = start & 0xffff_ffff_ffff_ffffn;
    const range = ranges[at] ?? -1;
    index.ranges[at] = range < 0 ? -1 : range + firstGroup;
  }
  return index;
}

function hashTables(tables: Omit<Tables, 'version'>): string {
  const hash = createHash('sha256');
  const { texts, feeds, kinds, ports, exact, loose, values, tags, urls, covers, groups } = tables;
  const columns = [feeds, kinds, ports, exact, loose, values, tags, urls, covers];
  for (const array of [texts.bytes, texts.ends, ...columns, groups]) {
    hash.update(Buffer.from(array.buffer, array.byteOffset, array.byteLength));
  }
  return hash.digest('hex').slice(0, 32);
}

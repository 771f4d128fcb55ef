// Indicators into tables: sorted, doubles taken out, ranges laid flat. Runs in a thread.
import { createHash } from 'node:crypto';
import type { Indicator } from '../indicator.ts';
import { flatten } from './flatten.ts';
import { groupIpv4, groupIpv6, groupNames } from './grouping.ts';
import { ipv4Number } from './ip-number.ts';
import { createNameIndex } from './name-index.ts';
import { feedOrder, kindOrder, numberKind, type Tables } from './tables.ts';
import { createPoolBuilder, sharedUint8, sharedUint32 } from './text-pool.ts';

/** `covers` says whether a name stands for those below it. */
export function buildTables(indicators: readonly Indicator[], covers: (name: string) => boolean): Tables {
  const kinds: Record<'v4' | 'v6' | 'name', Indicator[]> = { v4: [], v6: [], name: [] };
  for (const one of indicators) {
    kinds[one.kind === 'domain' ? 'name' : one.value.includes(':') ? 'v6' : 'v4'].push(one);
  }
  const v4 = groupIpv4(kinds.v4);
  const v6 = groupIpv6(kinds.v6);
  const names = groupNames(kinds.name);
  const all = [v4, v6, names];
  const count = all.reduce((sum, one) => sum + one.indicators.length, 0);
  const firstNamed = v4.indicators.length + v6.indicators.length;
  const firstName = v4.starts.length + v6.starts.length;

  const pool = createPoolBuilder();
  const columns = createColumns(count);
  let index = 0;
  for (const { indicators: ordered } of all) {
    for (const indicator of ordered) {
      writeRow(columns, index, indicator, pool);
      columns.covers[index] = index >= firstNamed && covers(indicator.value) ? 1 : 0;
      index += 1;
    }
  }
  const groups = sharedUint32(firstName + names.starts.length + 1);
  groups.set(v4.starts);
  groups.set(
    v6.starts.map((start) => start + v4.indicators.length),
    v4.starts.length,
  );
  groups.set(
    names.starts.map((start) => start + firstNamed),
    firstName,
  );
  groups[groups.length - 1] = count;

  const flat4 = flatten(v4.firsts, v4.lasts, 0, (value) => value + 1);
  const flat6 = flatten(v6.firsts, v6.lasts, 0n, (value) => value + 1n);
  const parents = new Int32Array(new SharedArrayBuffer((groups.length - 1) * 4)).fill(-1);
  parents.set(flat4.parents);
  parents.set(
    flat6.parents.map((parent) => (parent < 0 ? -1 : parent + v4.starts.length)),
    v4.starts.length,
  );
  const texts = pool.build();
  const nameTexts = names.starts.map((start) => columns.values[firstNamed + start] ?? 0);
  const nameGroups = names.starts.map((_, at) => firstName + at);
  const tables = {
    texts,
    ...columns,
    groups,
    parents,
    v4: ipv4Index(flat4.starts, flat4.ranges),
    v6: ipv6Index(flat6.starts, flat6.ranges, v4.starts.length),
    names: createNameIndex(texts, nameTexts, nameGroups),
  };
  return { version: versionOf(tables), ...tables };
}

type Columns = ReturnType<typeof createColumns>;

function createColumns(count: number) {
  return {
    feeds: sharedUint8(count),
    kinds: sharedUint8(count),
    ports: new Uint16Array(new SharedArrayBuffer(count * 2)),
    exact: sharedUint8(count),
    loose: sharedUint8(count),
    values: sharedUint32(count),
    tags: sharedUint32(count),
    urls: sharedUint32(count),
    covers: sharedUint8(count),
  };
}

function writeRow(columns: Columns, index: number, indicator: Indicator, pool: ReturnType<typeof createPoolBuilder>) {
  const { feed, kind, value, port, exact, loose, tag, url } = indicator;
  const number = kind === 'ip' ? ipv4Number(value) : -1;
  columns.feeds[index] = feedOrder.indexOf(feed);
  columns.kinds[index] = number < 0 ? kindOrder.indexOf(kind) : numberKind;
  columns.ports[index] = port;
  columns.exact[index] = exact;
  columns.loose[index] = loose;
  columns.values[index] = number < 0 ? pool.own(value) : number;
  columns.tags[index] = pool.shared(tag);
  columns.urls[index] = pool.own(url);
}

function ipv4Index(starts: readonly number[], ranges: readonly number[]): Tables['v4'] {
  // A range up to the highest address ends where there is no number any more.
  const isBeyond = (starts.at(-1) ?? 0) > 0xffff_ffff;
  const length = isBeyond ? starts.length - 1 : starts.length;
  const index = {
    starts: sharedUint32(length),
    ranges: new Int32Array(new SharedArrayBuffer(length * 4)),
    root: sharedUint32(0x1_0001),
  };
  index.starts.set(starts.slice(0, length));
  index.ranges.set(ranges.slice(0, length));
  let segment = 0;
  for (let upper = 0; upper <= 0x1_0000; upper += 1) {
    while (segment < length && (starts[segment] ?? 0) < upper * 0x1_0000) {
      segment += 1;
    }
    index.root[upper] = segment;
  }
  return index;
}

function ipv6Index(starts: readonly bigint[], ranges: readonly number[], firstGroup: number): Tables['v6'] {
  const isBeyond = (starts.at(-1) ?? 0n) >> 128n > 0n;
  const length = isBeyond ? starts.length - 1 : starts.length;
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

function versionOf(tables: Omit<Tables, 'version'>): string {
  const hash = createHash('sha256');
  const { texts, feeds, kinds, ports, exact, loose, values, tags, urls, covers, groups } = tables;
  for (const array of [
    texts.bytes,
    texts.ends,
    feeds,
    kinds,
    ports,
    exact,
    loose,
    values,
    tags,
    urls,
    covers,
    groups,
  ]) {
    hash.update(Buffer.from(array.buffer, array.byteOffset, array.byteLength));
  }
  return hash.digest('hex').slice(0, 32);
}

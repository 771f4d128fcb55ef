// Indicators into tables: sorted, doubles taken out, ranges laid flat. Runs in a thread.
import { createHash } from 'node:crypto';
import type { Indicator } from '../indicator.ts';
import { flatten } from './flatten.ts';
import { ipv4Span, ipv6Span, type Span } from './ip-number.ts';
import { createNameIndex } from './name-index.ts';
import { feedOrder, kindOrder, type Tables } from './tables.ts';
import { createPoolBuilder, sharedUint8, sharedUint32 } from './text-pool.ts';

/** One range or name with all that is listed under it. */
interface Group<S> {
  span: S;
  indicators: Indicator[];
}

/** `covers` says whether a name stands for those below it. */
export function buildTables(indicators: readonly Indicator[], covers: (name: string) => boolean): Tables {
  const v4: Indicator[] = [];
  const v6: Group<Span<bigint>>[] = [];
  const names = new Map<string, Group<string>>();
  for (const indicator of indicators) {
    const { kind, value } = indicator;
    if (kind !== 'domain') {
      if (value.includes(':')) {
        v6.push({ span: ipv6Span(value), indicators: [indicator] });
      } else {
        v4.push(indicator);
      }
      continue;
    }
    const same = names.get(value);
    if (same) {
      addStrongest(same.indicators, indicator);
    } else {
      names.set(value, { span: value, indicators: [indicator] });
    }
  }
  return written(groupedV4(v4), merged(v6.sort(widestFirst)), [...names.values()], covers);
}

/** Of one feed, kind, port and value the gravest indicator stays. */
function addStrongest(list: Indicator[], one: Indicator): void {
  const at = list.findIndex(({ feed, kind, port }) => feed === one.feed && kind === one.kind && port === one.port);
  const before = list[at];
  if (!before) {
    list.push(one);
  } else if (before.exact < one.exact) {
    list[at] = one;
  }
}

/** Places of an index below the 32 bits of an address: both fit the 53 bits of a number. Documents are limited to fewer. */
const indexPlaces = 2 ** 21;

/** IPv4 is where the many are: their order comes from sorting plain numbers. */
function groupedV4(indicators: readonly Indicator[]): Group<Span<number>>[] {
  const spans = indicators.map(({ value }) => ipv4Span(value));
  const keys = Float64Array.from(spans, ({ first }, index) => first * indexPlaces + index).sort();
  const groups: Group<Span<number>>[] = [];
  let same: Group<Span<number>>[] = [];
  for (const key of keys) {
    const index = key % indexPlaces;
    const [span, indicator] = [spans[index], indicators[index]];
    if (span && indicator) {
      if (same[0] && same[0].span.first !== span.first) {
        groups.push(...merged(same.sort(widestFirst)));
        same = [];
      }
      same.push({ span, indicators: [indicator] });
    }
  }
  return [...groups, ...merged(same.sort(widestFirst))];
}

function widestFirst<N extends number | bigint>({ span: a }: Group<Span<N>>, { span: b }: Group<Span<N>>): number {
  return a.first < b.first ? -1 : a.first > b.first ? 1 : a.last > b.last ? -1 : a.last < b.last ? 1 : 0;
}

/** What is listed of one range more than once, or as an address and as a range of one, is one group. */
function merged<N>(groups: readonly Group<Span<N>>[]): Group<Span<N>>[] {
  const kept: Group<Span<N>>[] = [];
  for (const group of groups) {
    const last = kept.at(-1);
    if (last && last.span.first === group.span.first && last.span.last === group.span.last) {
      for (const indicator of group.indicators) {
        addStrongest(last.indicators, indicator);
      }
    } else {
      kept.push(group);
    }
  }
  return kept;
}

function written(
  v4: readonly Group<Span<number>>[],
  v6: readonly Group<Span<bigint>>[],
  names: readonly Group<string>[],
  covers: (name: string) => boolean,
): Tables {
  const all = [...v4, ...v6, ...names];
  const count = all.reduce((sum, { indicators }) => sum + indicators.length, 0);
  const pool = createPoolBuilder();
  const columns = {
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
  const groups = sharedUint32(all.length + 1);
  let index = 0;
  for (const [group, { indicators }] of all.entries()) {
    groups[group] = index;
    for (const { feed, kind, value, port, exact, loose, tag, url } of indicators) {
      columns.feeds[index] = feedOrder.indexOf(feed);
      columns.kinds[index] = kindOrder.indexOf(kind);
      columns.ports[index] = port;
      columns.exact[index] = exact;
      columns.loose[index] = loose;
      columns.values[index] = pool.own(value);
      columns.tags[index] = pool.shared(tag);
      columns.urls[index] = pool.own(url);
      columns.covers[index] = kind === 'domain' && covers(value) ? 1 : 0;
      index += 1;
    }
  }
  groups[all.length] = count;
  const texts = pool.build();
  const flat4 = flatten(spansOf(v4), 0, (value) => value + 1);
  const flat6 = flatten(spansOf(v6), 0n, (value) => value + 1n);
  const parents = new Int32Array(new SharedArrayBuffer(all.length * 4)).fill(-1);
  parents.set(flat4.parents);
  parents.set(
    flat6.parents.map((parent) => (parent < 0 ? -1 : parent + v4.length)),
    v4.length,
  );
  const firstName = v4.length + v6.length;
  const nameTexts = names.map((_, at) => columns.values[groups[firstName + at] ?? 0] ?? 0);
  const nameGroups = names.map((_, at) => firstName + at);
  const tables = {
    texts,
    ...columns,
    groups,
    parents,
    v4: ipv4Index(flat4.starts, flat4.ranges),
    v6: ipv6Index(flat6.starts, flat6.ranges, v4.length),
    names: createNameIndex(texts, nameTexts, nameGroups),
  };
  return { version: versionOf(tables), ...tables };
}

const spansOf = <S>(groups: readonly Group<S>[]): S[] => groups.map(({ span }) => span);

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

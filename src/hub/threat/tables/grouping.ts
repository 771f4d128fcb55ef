// Indicators in the order of the tables: those of one range or name together, doubles taken out.
import type { Indicator } from '../indicator.ts';
import { ipv4Last, ipv4Number, ipv6Span } from './ip-number.ts';

/** `indicators` from `starts[g]` to `starts[g + 1]` are of one range or name. */
export interface Groups {
  indicators: Indicator[];
  starts: number[];
}

export interface Ranges<N> extends Groups {
  /** Ends of each group's range: ascending, wider before narrower. */
  firsts: N[];
  lasts: N[];
}

/** Places of an index below the 32 bits of an address: both fit the 53 bits of a number. Documents are limited to fewer. */
const indexPlaces = 2 ** 21;

/** IPv4 is where the many are: their order comes from sorting plain numbers. */
export function groupIpv4(indicators: readonly Indicator[]): Ranges<number> {
  const keys = new Float64Array(indicators.length);
  for (let index = 0; index < indicators.length; index += 1) {
    keys[index] = ipv4First((indicators[index] as Indicator).value) * indexPlaces + index;
  }
  keys.sort();
  const ranges: Ranges<number> = { indicators: [], starts: [], firsts: [], lasts: [] };
  for (let at = 0; at < keys.length; ) {
    const first = Math.floor((keys[at] ?? 0) / indexPlaces);
    let end = at + 1;
    while (end < keys.length && Math.floor((keys[end] ?? 0) / indexPlaces) === first) {
      end += 1;
    }
    if (end === at + 1) {
      // Most addresses are listed once.
      const indicator = indicators[(keys[at] ?? 0) % indexPlaces] as Indicator;
      addGroup(ranges, first, ipv4Last(indicator.value, first), indicator);
    } else {
      const same = Array.from(keys.subarray(at, end), (key) => indicators[key % indexPlaces] as Indicator);
      const spans = same.map((indicator) => ({ first, last: ipv4Last(indicator.value, first), indicator }));
      addSpans(
        ranges,
        spans.sort((a, b) => b.last - a.last),
      );
    }
    at = end;
  }
  return ranges;
}

function ipv4First(value: string): number {
  const slash = value.indexOf('/');
  return ipv4Number(slash < 0 ? value : value.slice(0, slash));
}

export function groupIpv6(indicators: readonly Indicator[]): Ranges<bigint> {
  const ranges: Ranges<bigint> = { indicators: [], starts: [], firsts: [], lasts: [] };
  const spans = indicators.map((indicator) => ({ ...ipv6Span(indicator.value), indicator }));
  addSpans(
    ranges,
    spans.sort((a, b) => order(a.first, b.first) || order(b.last, a.last)),
  );
  return ranges;
}

const order = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

function addSpans<N>(ranges: Ranges<N>, spans: readonly { first: N; last: N; indicator: Indicator }[]): void {
  for (const { first, last, indicator } of spans) {
    const group = ranges.starts.length - 1;
    if (group >= 0 && ranges.firsts[group] === first && ranges.lasts[group] === last) {
      addStrongest(ranges.indicators, ranges.starts[group] ?? 0, indicator);
    } else {
      addGroup(ranges, first, last, indicator);
    }
  }
}

function addGroup<N>(ranges: Ranges<N>, first: N, last: N, indicator: Indicator): void {
  ranges.starts.push(ranges.indicators.length);
  ranges.firsts.push(first);
  ranges.lasts.push(last);
  ranges.indicators.push(indicator);
}

/** Of one feed, kind and port the gravest indicator stays. */
function addStrongest(indicators: Indicator[], from: number, one: Indicator): void {
  for (let at = from; at < indicators.length; at += 1) {
    const { feed, kind, port, exact } = indicators[at] as Indicator;
    if (feed === one.feed && kind === one.kind && port === one.port) {
      if (exact < one.exact) {
        indicators[at] = one;
      }
      return;
    }
  }
  indicators.push(one);
}

export function groupNames(indicators: readonly Indicator[]): Groups {
  const byName = new Map<string, Indicator[]>();
  for (const indicator of indicators) {
    const same = byName.get(indicator.value);
    if (same) {
      addStrongest(same, 0, indicator);
    } else {
      byName.set(indicator.value, [indicator]);
    }
  }
  const groups: Groups = { indicators: [], starts: [] };
  for (const same of byName.values()) {
    groups.starts.push(groups.indicators.length);
    groups.indicators.push(...same);
  }
  return groups;
}

// The difference of two tables, walked in order: entries of one alone, and changed ones.
import { isSameText, readText } from '#kernel/columns/text-pool.ts';
import { buildTables } from './build.ts';
import { ipv4Number } from './ip-number.ts';
import { findSameName } from './name-index.ts';
import { cidrKind, domainKind, type Entry, ipv4Kind, packRows } from './rows.ts';
import { indicatorAt, type Tables } from './tables.ts';

export function buildDifference(before: Tables, after: Tables): Tables {
  const differing: Entry[] = [];
  const compare = (old: number, now: number) => {
    if (isSameGroup(before, old, after, now)) {
      return;
    }
    addUnmatched(differing, after, now, before, old);
    addUnmatched(differing, before, old, after, now);
  };
  const from = findSections(before);
  const to = findSections(after);
  compareIpv4(before, from.v6, after, to.v6, compare);
  compareIpv6(before, from, after, to, compare);
  compareNames(before, from, after, to, compare);
  return buildTables(packRows(differing));
}

/** Called with the groups of the same range or name; -1 where there is none. */
type Compare = (old: number, now: number) => void;

interface Sections {
  /** The first group of IPv6 addresses, then of names, and the end of all; those before are IPv4. */
  v6: number;
  names: number;
  end: number;
}

function findSections(tables: Tables): Sections {
  const end = tables.groups.length - 1;
  const names = findFirstGroup(tables, 0, end, (index) => tables.kinds[index] === domainKind);
  return { v6: findFirstGroup(tables, 0, names, (index) => isIpv6(tables, index)), names, end };
}

/** The first group from `low` whose first row matches; all later ones do too. */
function findFirstGroup({ groups }: Tables, low: number, high: number, isSo: (index: number) => boolean): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isSo(groups[middle] ?? 0)) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

function isIpv6({ kinds, texts, values }: Tables, index: number): boolean {
  return kinds[index] !== ipv4Kind && readText(texts, values[index] ?? 0).includes(':');
}

/** Ranges ascend by their first address, the wider one first. */
function compareIpv4(before: Tables, oldEnd: number, after: Tables, nowEnd: number, compare: Compare): void {
  let old = 0;
  let now = 0;
  while (old < oldEnd || now < nowEnd) {
    const order = toSortKey(before, old, oldEnd) - toSortKey(after, now, nowEnd);
    const hasOld = old < oldEnd && !(order > 0);
    const hasNow = now < nowEnd && !(order < 0);
    compare(hasOld ? old : -1, hasNow ? now : -1);
    old += hasOld ? 1 : 0;
    now += hasNow ? 1 : 0;
  }
}

/** The sort key of a range: its first address and prefix length. */
function toSortKey({ groups, kinds, values, texts }: Tables, group: number, end: number): number {
  if (group >= end) {
    return Number.POSITIVE_INFINITY;
  }
  const index = groups[group] ?? 0;
  const value = values[index] ?? 0;
  if (kinds[index] !== cidrKind) {
    return value * 64 + 32;
  }
  const range = readText(texts, value);
  const slash = range.indexOf('/');
  return ipv4Number(range.slice(0, slash)) * 64 + Number(range.slice(slash + 1));
}

/** There are few, and their texts are canonical. */
function compareIpv6(before: Tables, from: Sections, after: Tables, to: Sections, compare: Compare): void {
  const known = new Map<string, number>();
  for (let group = from.v6; group < from.names; group += 1) {
    known.set(readText(before.texts, getTextNumber(before, group)), group);
  }
  for (let group = to.v6; group < to.names; group += 1) {
    const range = readText(after.texts, getTextNumber(after, group));
    compare(known.get(range) ?? -1, group);
    known.delete(range);
  }
  for (const group of known.values()) {
    compare(group, -1);
  }
}

function compareNames(before: Tables, from: Sections, after: Tables, to: Sections, compare: Compare): void {
  const isFound = new Uint8Array(from.end - from.names);
  for (let group = to.names; group < to.end; group += 1) {
    const old = findSameName(before.names, before.texts, after.texts, getTextNumber(after, group));
    compare(old, group);
    if (old >= 0) {
      isFound[old - from.names] = 1;
    }
  }
  for (const [place, found] of isFound.entries()) {
    if (found === 0) {
      compare(from.names + place, -1);
    }
  }
}

/** The number of the text that a group stands for. */
function getTextNumber({ groups, values }: Tables, group: number): number {
  return values[groups[group] ?? 0] ?? 0;
}

/** Whether both groups have the same rows in the same order, as nearly all have. */
function isSameGroup(before: Tables, old: number, after: Tables, now: number): boolean {
  const start = before.groups[old] ?? 0;
  const other = after.groups[now] ?? 0;
  const count = (before.groups[old + 1] ?? 0) - start;
  if (old < 0 || now < 0 || count !== (after.groups[now + 1] ?? 0) - other) {
    return false;
  }
  for (let at = 0; at < count; at += 1) {
    if (!isSameRow(before, start + at, after, other + at)) {
      return false;
    }
  }
  return true;
}

/** The rows of `group` that no row of `otherGroup` equals. */
function addUnmatched(found: Entry[], tables: Tables, group: number, other: Tables, otherGroup: number): void {
  if (group < 0) {
    return;
  }
  const end = tables.groups[group + 1] ?? 0;
  for (let index = tables.groups[group] ?? 0; index < end; index += 1) {
    if (otherGroup < 0 || !hasSame(tables, index, other, otherGroup)) {
      found.push({ ...indicatorAt(tables, index), covers: tables.covers[index] === 1 });
    }
  }
}

function hasSame(tables: Tables, index: number, other: Tables, group: number): boolean {
  const end = other.groups[group + 1] ?? 0;
  for (let at = other.groups[group] ?? 0; at < end; at += 1) {
    if (isSameRow(tables, index, other, at)) {
      return true;
    }
  }
  return false;
}

/** Whether two rows of groups with the same value are equal. */
function isSameRow(a: Tables, i: number, b: Tables, j: number): boolean {
  return (
    a.feeds[i] === b.feeds[j] &&
    a.kinds[i] === b.kinds[j] &&
    a.ports[i] === b.ports[j] &&
    a.exact[i] === b.exact[j] &&
    a.loose[i] === b.loose[j] &&
    a.covers[i] === b.covers[j] &&
    isSameText(a.texts, a.tags[i] ?? 0, b.texts, b.tags[j] ?? 0) &&
    isSameText(a.texts, a.urls[i] ?? 0, b.texts, b.urls[j] ?? 0)
  );
}

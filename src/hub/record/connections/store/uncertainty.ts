// Between which instants the first and the last packet of a flow lie, and what says so.
import type { Evidence } from '#contract/uncertainty.ts';

/** The numbers of `flow.seen_by`: they are stored, so a number keeps its meaning. */
const numbers: Readonly<Record<Evidence, number>> = {
  poll: 0,
  entry_age: 1,
  entry_timer: 2,
  agent_event: 3,
  agent_poll: 4,
};
const evidences = new Map(Object.entries(numbers).map(([name, number]) => [number, name as Evidence]));

/** `from` ≤ the packet ≤ `to`, epoch milliseconds; `from` is null where nothing says how long before it was. */
export interface Span {
  from: number | null;
  to: number;
  by: Evidence;
}

export interface PacketTimes {
  first: Span;
  last: Span;
}

/** The columns of `flow` that hold packet times, as milliseconds before or after `first` and `last`. */
export interface TimeColumns {
  first: number;
  last: number;
  firstEarly: number | null;
  firstLate: number | null;
  lastEarly: number | null;
  lastLate: number | null;
  seenBy: number | null;
}

export const timeColumns = `first_seen AS first, last_seen AS last, first_early AS firstEarly, first_late AS firstLate,
  last_early AS lastEarly, last_late AS lastLate, seen_by AS seenBy`;

/** The first packet of both: it lies between the earlier starts and the earlier ends. */
function joinFirst(one: Span, other: Span): Span {
  const from = one.from === null || other.from === null ? null : Math.min(one.from, other.from);
  return { from, to: Math.min(one.to, other.to), by: one.to <= other.to ? one.by : other.by };
}

/** The last packet of both: it lies between the later starts and the later ends. */
function joinLast(one: Span, other: Span): Span {
  const from = one.from === null || other.from === null ? (one.from ?? other.from) : Math.max(one.from, other.from);
  return { from, to: Math.max(one.to, other.to), by: one.to >= other.to ? one.by : other.by };
}

export function joinTimes(one: PacketTimes, other: PacketTimes): PacketTimes {
  return { first: joinFirst(one.first, other.first), last: joinLast(one.last, other.last) };
}

/** Returns null when the columns are empty. */
export function toPacketTimes({ first, last, ...row }: TimeColumns): PacketTimes | null {
  if (row.firstLate === null || row.lastLate === null || row.seenBy === null) {
    return null;
  }
  const since = (at: number, early: number | null) => (early === null ? null : at - early);
  return {
    first: { from: since(first, row.firstEarly), to: first + row.firstLate, by: parseEvidence(row.seenBy >> 4) },
    last: { from: since(last, row.lastEarly), to: last + row.lastLate, by: parseEvidence(row.seenBy & 15) },
  };
}

/** Without `times`, all columns but `first` and `last` are null. */
export function toTimeColumns(times: PacketTimes | null, first: number, last: number): TimeColumns {
  if (times === null) {
    return { first, last, firstEarly: null, firstLate: null, lastEarly: null, lastLate: null, seenBy: null };
  }
  const before = (at: number, from: number | null) => (from === null ? null : at - from);
  return {
    first,
    last,
    firstEarly: before(first, times.first.from),
    firstLate: times.first.to - first,
    lastEarly: before(last, times.last.from),
    lastLate: times.last.to - last,
    seenBy: numbers[times.first.by] * 16 + numbers[times.last.by],
  };
}

function parseEvidence(code: number): Evidence {
  const found = evidences.get(code);
  if (found === undefined) {
    throw new Error(`flow.seen_by holds ${code}, which is no evidence of this release`);
  }
  return found;
}

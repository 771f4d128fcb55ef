// Between which instants the first and the last packet of a flow lie, and what says so.
import type { Evidence } from '#contract/uncertainty.ts';

/** As `flow.seen_by` numbers them: a number that was stored keeps its meaning. */
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

/** Of the first and the last packet. */
export interface PacketTimes {
  first: Span;
  last: Span;
}

/** Columns of `flow` that hold them, and the instants that they count from. */
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

/** Null where nothing is known. */
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

/** Values of first_early, first_late, last_early, last_late, seen_by. */
export function valuesOf(times: PacketTimes | null, firstSeen: number, lastSeen: number): (number | null)[] {
  if (times === null) {
    return [null, null, null, null, null];
  }
  const { first, last } = times;
  const before = (at: number, from: number | null) => (from === null ? null : at - from);
  const by = numbers[first.by] * 16 + numbers[last.by];
  return [before(firstSeen, first.from), first.to - firstSeen, before(lastSeen, last.from), last.to - lastSeen, by];
}

function parseEvidence(code: number): Evidence {
  const found = evidences.get(code);
  if (found === undefined) {
    throw new Error(`flow.seen_by holds ${code}, which is no evidence of this release`);
  }
  return found;
}

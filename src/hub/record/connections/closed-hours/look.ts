// Which hours of the log are closed, and which of them changed since the look before.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourOf } from '#kernel/time/time.ts';
import { type FlowChange, readChanges } from '../store/change-log.ts';
import { HourRows } from '../store/hour-pack.ts';
import { findHours, readHourFlows } from '../store/hour-rows.ts';
import type { HoursFound, LookParams } from './type.ts';

/** With more flows than this that changed without an hour, all hours are compared instead of searched. */
const maxSearched = 20_000;

/** `reader` must hold one snapshot. */
export function lookAtHours(reader: Reader, { position, closedAt, known }: LookParams): HoursFound {
  const hours = findHours(reader, 0, hourOf(closedAt) - 1);
  const since = readChanges(reader, position);
  const changed = since.changes && findChangedHours(reader, since.changes, hours);
  const isKnown = new Set(known);
  const isChanged = new Set(changed ?? []);
  const counted = hours.filter((hour) => !isKnown.has(hour) || isChanged.has(hour));
  return { position: since.position, hours, changed, rows: countHourRows(reader, counted) };
}

/** Counts the flows of each hour: pairs of hour and count. */
export function countHourRows(reader: Reader, hours: readonly number[]): [number, number][] {
  const rows = new HourRows();
  return hours.map((hour) => {
    readHourFlows(reader, hour, rows);
    return [hour, rows.length];
  });
}

/** Returns the hours of `closed` that changed; null when too many flows changed to search for them. */
function findChangedHours(reader: Reader, changes: readonly FlowChange[], closed: readonly number[]): number[] | null {
  const changed = new Set<number>();
  const flows = new Set<number>();
  for (const { flows: named, hour, rows } of changes) {
    if (hour !== null) {
      changed.add(hour);
    } else {
      for (const flow of named) {
        flows.add(flow);
      }
    }
    for (let at = 0; at < rows.length; at += 2) {
      changed.add(rows[at] as number);
    }
  }
  if (flows.size > maxSearched) {
    return null;
  }
  for (const hour of findFlowHours(reader, flows, closed)) {
    changed.add(hour);
  }
  return closed.filter((hour) => changed.has(hour));
}

/** Returns the hours of `closed` in which any of these flows was seen. */
function findFlowHours(reader: Reader, flows: ReadonlySet<number>, closed: readonly number[]): number[] {
  const span = reader.prepare('SELECT first_seen AS first, last_seen AS last FROM flow WHERE id = ?');
  const spans = [...flows].flatMap((flow) => {
    const found = span.get(flow) as { first: number; last: number } | undefined;
    return found ? [{ flow, from: hourOf(found.first), to: hourOf(found.last) }] : [];
  });
  const rows = new HourRows();
  return closed.filter((hour) => {
    const candidates = spans.filter(({ from, to }) => from <= hour && hour <= to);
    if (candidates.length === 0) {
      return false;
    }
    readHourFlows(reader, hour, rows);
    return candidates.some(({ flow }) => rows.find(flow) !== null);
  });
}

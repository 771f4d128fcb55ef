// When flows were last seen inside a range. Only hours are kept of a flow, each with its first and last sighting.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import { HourRows } from '../store/hour-pack.ts';
import { findHours, readHourRows } from '../store/hour-rows.ts';

interface Flow {
  id: number;
  lastSeen: number;
}

/** Both ends are inclusive; an hour that the range cuts is clipped to it. A flow that no hour shows there has no entry. */
export function findLastInRange(
  reader: Reader,
  flows: readonly Flow[],
  { from = 0, to = Number.MAX_SAFE_INTEGER }: { from?: number | undefined; to?: number | undefined },
): ReadonlyMap<number, number> {
  const isInside = ({ lastSeen }: Flow) => lastSeen >= from && lastSeen <= to;
  const found = new Map(flows.filter(isInside).map(({ id, lastSeen }) => [id, lastSeen]));
  const missing = new Set(flows.flatMap(({ id }) => (found.has(id) ? [] : id)));
  const rows = new HourRows();
  const hours = missing.size === 0 ? [] : findHours(reader, hourOf(from), hourOf(to));
  // Every hour is read once, the latest first, until each flow is found.
  for (const hour of hours.reverse()) {
    if (missing.size === 0) {
      break;
    }
    readHourRows(reader, hour, rows);
    const start = hour * hourMs;
    for (const id of missing) {
      const row = rows.find(id);
      if (row !== null && start + row.first <= to && start + row.last >= from) {
        found.set(id, Math.min(start + row.last, to));
        missing.delete(id);
      }
    }
  }
  return found;
}

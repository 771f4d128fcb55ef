// Counts of matching flows, cached until the file changes.
import type { ConnectionFilter } from '#contract/connections.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { type Condition, type FlowIndex, toCondition } from './filter.ts';
import { findNarrowIndex } from './narrow.ts';

/** Up to this many rows, reading them from the table is faster than reading a whole index. */
const few = 5000;

/** Counts the flows that match `filter`. */
export function countMatching(reader: Reader, filter: ConnectionFilter): number {
  const needed = dropNoopTimeBounds(reader, filter);
  return countRows(reader, toCondition(reader, needed), chooseIndex(reader, needed, few));
}

/** Chooses a narrow index when it covers the filter or finds few rows; else the index in the order of time. */
export function chooseIndex(reader: Reader, filter: ConnectionFilter, most: number): FlowIndex {
  const { from, to, sourceKind, sourceId, ...timeless } = filter;
  const narrow = findNarrowIndex(filter);
  if (narrow === null) {
    return 'flow_seen';
  }
  const isTimeless = from === undefined && to === undefined && sourceKind === undefined && sourceId === undefined;
  const isAnswered = isTimeless && narrow.isCovering;
  return isAnswered || !hasMoreThan(reader, most, toCondition(reader, timeless), narrow.index)
    ? narrow.index
    : 'flow_seen';
}

/** Drops the ends of a window that exclude nothing: the log begins later, or ends earlier. */
export function dropNoopTimeBounds(reader: Reader, filter: ConnectionFilter): ConnectionFilter {
  const log = reader.remembered('bounds', () =>
    reader
      .prepare(
        `SELECT coalesce((SELECT min(first_seen) FROM source), 0) AS first,
           coalesce((SELECT max(last_seen) FROM flow), 0) AS last`,
      )
      .get(),
  ) as { first: number; last: number };
  const { from, to } = filter;
  if (from !== undefined && to !== undefined && from > to) {
    return filter;
  }
  return {
    ...filter,
    from: from !== undefined && from <= log.first ? undefined : from,
    to: to !== undefined && to >= log.last ? undefined : to,
  };
}

export function countRows(reader: Reader, { sql, values }: Condition, index: FlowIndex): number {
  return reader.remembered(`count ${JSON.stringify([sql, values, index])}`, () => {
    const row = reader.prepare(`SELECT count(*) AS total FROM flow f INDEXED BY ${index} WHERE ${sql}`).get(...values);
    return (row as { total: number }).total;
  });
}

/** Whether more than `most` flows match; reads at most one more. */
export function hasMoreThan(reader: Reader, most: number, { sql, values }: Condition, index: FlowIndex): boolean {
  const row = reader
    .prepare(`SELECT count(*) AS some FROM (SELECT 1 FROM flow f INDEXED BY ${index} WHERE ${sql} LIMIT ?)`)
    .get(...values, most + 1) as { some: number };
  return row.some > most;
}

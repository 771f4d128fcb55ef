// Rows of the log in the order of time, from what the index of time holds: rows of the table lie far apart.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { Condition, FlowIndex } from '../../query/filter.ts';

/** An array, as SQLite returns it: fifty thousand objects would cost more than reading them. */
export type IndexedRow = readonly [
  flow: number,
  lastSeen: number,
  firstSeen: number,
  destination: number,
  source: number,
  dport: number,
  proto: string,
  observers: number,
  ttl: number | null,
  threat: number | null,
];

/** The positions of the cells. To take a row apart by its order costs several times as much. */
export const at = {
  flow: 0,
  lastSeen: 1,
  firstSeen: 2,
  destination: 3,
  source: 4,
  dport: 5,
  proto: 6,
  observers: 7,
  ttl: 8,
  threat: 9,
} as const;

const columns = `f.id, f.last_seen, f.first_seen, f.destination_id, f.source_id, f.dport, f.proto, f.observer_set_id,
  f.ttl, f.threat_id`;
/** More would take more memory, fewer more look-ups of labels. */
const rowsAtOnce = 5000;

/** What matches, and the index that finds it. */
export interface Selected {
  where: Condition;
  index: FlowIndex;
}

/** Yields the flows that match in pieces, the newest first. Each piece has all flows of its instants, unsorted within one. */
export function* readIndexedRows(
  reader: Pick<Reader, 'prepare'>,
  { where, index }: Selected,
): Generator<IndexedRow[], void> {
  const select = `SELECT ${columns} FROM flow f INDEXED BY ${index} WHERE ${where.sql}`;
  const next = reader.prepare(`${select} AND f.last_seen < ? ORDER BY f.last_seen DESC LIMIT ${rowsAtOnce}`).raw();
  const instant = reader.prepare(`${select} AND f.last_seen = ?`).raw();
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = next.all(...where.values, before) as IndexedRow[];
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) {
      yield rows;
      return;
    }
    const end = last[at.lastSeen];
    const whole = rows.filter((row) => row[at.lastSeen] !== end);
    before = end;
    yield [...whole, ...(instant.all(...where.values, end) as IndexedRow[])];
  }
}

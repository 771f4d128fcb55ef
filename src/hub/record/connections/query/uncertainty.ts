// What is known of the first and the last packet of a row, as the API shows it.
import type { Uncertainty } from '#contract/uncertainty.ts';
import { type TimeColumns, toPacketTimes } from '../store/uncertainty.ts';
import type { RowLabels } from './row.ts';

/** What `uncertaintyColumns` selects, with the instants of the connection. */
export interface UncertaintyRow extends Omit<TimeColumns, 'first' | 'last'> {
  firstSeen: number;
  lastSeen: number;
  listedBy: number | null;
}

/** Columns of `flow f`. */
export const uncertaintyColumns = `f.first_early AS firstEarly, f.first_late AS firstLate, f.last_early AS lastEarly,
  f.last_late AS lastLate, f.seen_by AS seenBy, f.listed_by AS listedBy`;

/** Returns null for rows that were recorded by a version without packet times. */
export function toUncertainty(row: UncertaintyRow, { observers }: Pick<RowLabels, 'observers'>): Uncertainty | null {
  const times = toPacketTimes({ ...row, first: row.firstSeen, last: row.lastSeen });
  if (times === null) {
    return null;
  }
  const { first, last } = times;
  const listedBy = observers.get(row.listedBy ?? 0)?.observedBy ?? [];
  // A table without timers does not say whether anything was sent while it shows the session. An Agent that reads
  // tables does not know what was sent after it saw a socket for the last time.
  const isOpen = (last.by === 'poll' && listedBy.length > 0) || last.by === 'agent_poll';
  return {
    firstSeen: { notBefore: first.from, notAfter: first.to, from: first.by },
    lastSeen: { notBefore: last.from, notAfter: isOpen ? null : last.to, from: last.by, listedBy },
  };
}

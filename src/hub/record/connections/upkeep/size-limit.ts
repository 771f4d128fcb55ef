// Removes the oldest days of the log while the database occupies more than the limit of the settings.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { dayMs, hourMs, hourOf } from '#kernel/time/time.ts';
import type { Base } from '../../../base/feature.ts';
import { alwaysKeptMs, measureUsedBytes, saveRemoval } from '../../../base/storage/kept-since.ts';
import { findFirstHour } from '../store/hour-rows.ts';
import { type PruneReport, pruneConnections } from './prune.ts';

export interface SizeLimitOptions extends Pick<Base, 'clock' | 'db'> {
  /** Bytes that the database may occupy; 0 for no limit. */
  limitBytes: () => number;
  /** Forgets what was observed before an instant: without it, removed rows would look like a time without traffic. */
  forgetCoverage: (writer: Writer, before: number) => WriteSteps<void>;
}

/**
 * Removes one UTC day after the other; the newest 24 hours stay, whatever they occupy. An abort rejects with its reason:
 * the next run of the retention removes the rest of that day.
 */
export async function removeOldestDays(options: SizeLimitOptions, signal?: AbortSignal): Promise<PruneReport> {
  const { db, forgetCoverage } = options;
  const removed = { flows: 0, hours: 0 };
  for (let before = findNextCut(options); before !== null; before = findNextCut(options)) {
    const cut = before;
    await db.write(function* (writer) {
      saveRemoval(writer, cut);
      yield* forgetCoverage(writer, cut);
    });
    const { flows, hours } = await pruneConnections(db, cut, signal);
    removed.flows += flows;
    removed.hours += hours;
  }
  return removed;
}

/** Returns the end of the oldest day when it has to go, or null. */
function findNextCut({ clock, db, limitBytes }: SizeLimitOptions): number | null {
  const limit = limitBytes();
  const first = findFirstHour(db);
  const floor = findFloor(clock.now());
  return limit === 0 || first === null || first >= floor || measureUsedBytes(db) <= limit
    ? null
    : Math.min(endOfDay(first), floor);
}

/** Returns the start of the oldest hour that always stays. */
export const findFloor = (now: number) => hourOf(now - alwaysKeptMs) * hourMs;

/** Returns the end of the UTC day of `at`. */
export const endOfDay = (at: number) => (Math.floor(at / dayMs) + 1) * dayMs;

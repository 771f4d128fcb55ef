// Since when the hub stores what it observed: the days of the settings, or less when the limit of size removed more.
import type { Reader, Writer } from '#kernel/sqlite/sqlite.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { Base } from '../feature.ts';

type Statements = Pick<Reader, 'prepare'>;

/** The limit of size removes nothing that is younger. */
export const alwaysKeptMs = dayMs;

/** Returns the instant before which the retention removes everything, epoch milliseconds. */
export function findKeptSince({ clock, db, settings }: Pick<Base, 'clock' | 'settings'> & { db: Statements }): number {
  const now = clock.now();
  const stored = db.prepare('SELECT removed_before AS at FROM retention').get() as { at: number } | undefined;
  // A clock that was ahead may have stored an instant that has not come yet.
  const bySize = Math.min(stored?.at ?? 0, now - alwaysKeptMs);
  return Math.max(now - settings.current().general.retentionDays * dayMs, bySize);
}

/** Stores that the limit of size removes everything before `before`: what a kill leaves is removed by the next run. */
export function saveRemoval(writer: Writer, before: number): void {
  writer.prepare('INSERT OR REPLACE INTO retention (id, removed_before) VALUES (1, ?)').run(before);
}

/** Returns the bytes that the data occupies. The file may be larger: SQLite uses the pages of removed rows again. */
export function measureUsedBytes(db: Statements): number {
  return db
    .prepare(
      `SELECT (page_count - freelist_count) * page_size
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    )
    .pluck()
    .get() as number;
}

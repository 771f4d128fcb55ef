// Finds the flows seen in a window as a bitmap for SQL conditions: hours are stored packed, which SQL cannot read.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import { HourRows } from '../store/hour-pack.ts';
import { findHours, readHourFlows, readHourRows } from '../store/hour-rows.ts';

export interface PresenceBitmap {
  /** The lowest id of all flows. */
  base: number;
  /** One byte for each of the flows `base`, `base + 1`, …: 1 when an hour, clipped to its sightings, overlaps the window. */
  bytes: Uint8Array;
}

/** The JSON of a condition is the key of its cached count. It contains the window, so a word replaces the bytes. */
class PresenceBytes extends Uint8Array {
  toJSON(): string {
    return 'presence';
  }
}

/** Both ends are inclusive. Caches the last window until the database changes, because pages of a listing ask again. */
export function findPresence(reader: Reader, from: number, to: number): PresenceBitmap {
  const cache: { window: string; bitmap: PresenceBitmap } = reader.remembered('presence', () => ({
    window: '',
    bitmap: { base: 0, bytes: new PresenceBytes() },
  }));
  const window = `${from} ${to}`;
  if (cache.window !== window) {
    cache.bitmap = readPresence(reader, from, to);
    cache.window = window;
  }
  return cache.bitmap;
}

function readPresence(reader: Reader, from: number, to: number): PresenceBitmap {
  const { base, end } = reader
    .prepare('SELECT coalesce((SELECT min(id) FROM flow), 0) AS base, coalesce((SELECT max(id) FROM flow), 0) AS end')
    .get() as { base: number; end: number };
  const bytes = new PresenceBytes(end - base + 1);
  const rows = new HourRows();
  for (const hour of findHours(reader, hourOf(from), hourOf(to))) {
    const start = hour * hourMs;
    // An hour inside the window needs no sightings, so only its flows are unpacked.
    const isWhole = start >= from && start + hourMs - 1 <= to;
    const read = isWhole ? readHourFlows : readHourRows;
    read(reader, hour, rows);
    for (let row = 0; row < rows.length; row += 1) {
      if (isWhole || (start + (rows.first[row] as number) <= to && start + (rows.last[row] as number) >= from)) {
        bytes[(rows.flow[row] as number) - base] = 1;
      }
    }
  }
  return { base, bytes };
}

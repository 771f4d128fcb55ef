// Which flows the hours of a window show, as bytes that a statement looks flows up in.
import type { Reader } from '#kernel/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time.ts';
import { HourRows } from '../store/hour-pack.ts';
import { hoursWithin, readHourFlows, readHourRows } from '../store/hour-rows.ts';

export interface SeenFlows {
  /** The lowest id of all flows. */
  base: number;
  /** Of the flows `base`, `base + 1`, …: 1 where an hour, cut to its sightings, reaches into the window. */
  flags: Uint8Array;
}

/**
 * Counts are remembered by the JSON of their condition, and other values of it tell the window: what these bytes are is
 * not told again, byte by byte.
 */
class Flags extends Uint8Array {
  toJSON(): string {
    return 'flags';
  }
}

interface Kept {
  window: string;
  flows: SeenFlows;
}

/** Both ends inclusive. The last window is kept until the file changes: a query asks several times, a reader pages. */
export function flowsSeenWithin(reader: Reader, from: number, to: number): SeenFlows {
  const kept = reader.remembered('seen flows', (): Partial<Kept> => ({}));
  const window = `${from} ${to}`;
  if (kept.window !== window || !kept.flows) {
    Object.assign(kept, { window, flows: readSeen(reader, from, to) } satisfies Kept);
  }
  return kept.flows as SeenFlows;
}

function readSeen(reader: Reader, from: number, to: number): SeenFlows {
  const { base, end } = reader
    .prepare('SELECT coalesce((SELECT min(id) FROM flow), 0) AS base, coalesce((SELECT max(id) FROM flow), 0) AS end')
    .get() as { base: number; end: number };
  const flags = new Flags(end - base + 1);
  const rows = new HourRows();
  for (const hour of hoursWithin(reader, hourOf(from), hourOf(to))) {
    const start = hour * hourMs;
    const isWhole = start >= from && start + hourMs - 1 <= to;
    const read = isWhole ? readHourFlows : readHourRows;
    read(reader, hour, rows);
    for (let row = 0; row < rows.length; row += 1) {
      if (isWhole || (start + (rows.first[row] as number) <= to && start + (rows.last[row] as number) >= from)) {
        flags[(rows.flow[row] as number) - base] = 1;
      }
    }
  }
  return { base, flags };
}

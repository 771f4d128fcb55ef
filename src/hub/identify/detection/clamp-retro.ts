// Repairs retro-matches of the detection log after the clock was ahead.
import type { RetroMatch } from '#contract/retro-match.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';

const rowsAtOnce = 100;

/** Moves instants in the future back to now; returns the number of rows. */
export function* clampRetroMatches(writer: Writer, now: number): WriteSteps<number> {
  const page = writer.prepare(
    `SELECT id, retro FROM detection WHERE retro IS NOT NULL AND id > ? ORDER BY id LIMIT ${rowsAtOnce}`,
  );
  const save = writer.prepare('UPDATE detection SET retro = ? WHERE id = ?');
  let changed = 0;
  for (let last = 0, rows = rowsAtOnce; rows === rowsAtOnce; ) {
    const found = page.all(last) as { id: number; retro: string }[];
    for (const { id, retro } of found) {
      const back = JSON.stringify(clampTimes(JSON.parse(retro) as RetroMatch, now));
      changed += back === retro ? 0 : save.run(back, id).changes;
      last = id;
    }
    rows = found.length;
    yield;
  }
  return changed;
}

function clampTimes(retro: RetroMatch, now: number): RetroMatch {
  const clampSeen = <T extends { firstSeen: number; lastSeen: number }>(one: T): T => ({
    ...one,
    firstSeen: Math.min(one.firstSeen, now),
    lastSeen: Math.min(one.lastSeen, now),
  });
  return {
    ...clampSeen(retro),
    connections: retro.connections.map(clampSeen),
    previousAt: retro.previousAt === null ? null : Math.min(retro.previousAt, now),
    listedAt: Math.min(retro.listedAt, now),
  };
}

// Repairs session starts after the clock was ahead.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { packStart, toSlot, unpackStarts } from './packed-starts.ts';

const rowsAtOnce = 500;

/** Deletes starts in the future: wrong times would look regular, or hide what is. Returns the number of rows. */
export function* dropFutureStarts(writer: Writer, now: number): WriteSteps<number> {
  const own = toSlot(now);
  let changed = writer.prepare('DELETE FROM session_start WHERE slot > ?').run(own).changes;
  yield;
  const save = writer.prepare('UPDATE session_start SET starts = ? WHERE slot = ? AND flow_id = ?');
  const remove = writer.prepare('DELETE FROM session_start WHERE slot = ? AND flow_id = ?');
  const all = writer.prepare('SELECT flow_id AS flow, starts FROM session_start WHERE slot = ?').all(own) as {
    flow: number;
    starts: Uint8Array;
  }[];
  for (const [index, { flow, starts }] of all.entries()) {
    const known = unpackStarts(own, starts);
    const passed = known.filter(({ at }) => at <= now);
    if (passed.length < known.length) {
      const words = Uint16Array.from(passed, packStart);
      void (passed.length > 0 ? save.run(Buffer.from(words.buffer), own, flow) : remove.run(own, flow));
      changed += 1;
    }
    if (index % rowsAtOnce === rowsAtOnce - 1) {
      yield;
    }
  }
  return changed;
}

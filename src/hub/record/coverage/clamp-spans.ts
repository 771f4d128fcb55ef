// Repairs coverage after the clock was ahead.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';

/** Ends spans at `now` that reach beyond it, and deletes those that begin there. Returns the number of rows. */
// biome-ignore lint/correctness/useYield: one of several steps; a span is one row for as long as nothing changes.
export function* clampSpans(writer: Writer, now: number): WriteSteps<number> {
  const deleted = writer.prepare('DELETE FROM coverage_span WHERE since >= ?').run(now).changes;
  const cut = writer
    .prepare('UPDATE coverage_span SET until = :now, seen = min(seen, :now - since) WHERE until > :now')
    .run({ now }).changes;
  return deleted + cut;
}

import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { hourOf } from '#kernel/time/time.ts';
import type { ClockCorrections } from '../../base/clock/times.ts';

export const sinkTimes: ClockCorrections = {
  tables: [{ table: 'sink_state', timestamps: ['swept_at', 'last_sent_at'] }],
  clamps: [forgetOpenHours],
};

/**
 * Forgets hours that are not closed: they were sent with wrong times. Closed hours stay, so that none is sent again. The
 * version is not set back: rows with a lower version would not replace what was sent before.
 */
function* forgetOpenHours(writer: Writer, now: number): WriteSteps<number> {
  const open = hourOf(now - limits.sinkGraceMs);
  const forget = (table: string) => writer.prepare(`DELETE FROM ${table} WHERE hour >= ?`).run(open).changes;
  yield;
  return forget('sink_hour') + forget('sink_due');
}

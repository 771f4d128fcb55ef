// Retention of the detection log, of rules that ended, and of what people were told.
import { limits } from '#contract/limits.ts';
import { startJob } from '#kernel/time/job.ts';
import type { Base } from '../../base/feature.ts';

export interface RetentionOptions extends Pick<Base, 'clock' | 'db' | 'log'> {
  /** The instant before which everything goes. */
  keptSince: () => number;
  /** Forgets what people were told before this instant. */
  pruneOutbox: (before: number) => Promise<void>;
}

const rowsAtOnce = 1000;

export function startDetectionRetention({ db, clock, log, keptSince, pruneOutbox }: RetentionOptions): AsyncDisposable {
  return startJob(clock, log, {
    name: 'retention of the detection log',
    firstMs: limits.retentionFirstMs,
    everyMs: limits.retentionEveryMs,
    async run(signal) {
      const now = clock.now();
      for (let removed = rowsAtOnce; removed === rowsAtOnce && !signal.aborted; ) {
        removed = await db.write(
          (writer) =>
            writer
              .prepare(
                `DELETE FROM detection WHERE id IN (
                   SELECT id FROM detection WHERE detected_at < ? ORDER BY detected_at LIMIT ${rowsAtOnce})`,
              )
              .run(keptSince()).changes,
        );
      }
      await db.write((writer) => {
        // The history of an alert needs its rules, also those that ended.
        writer
          .prepare('DELETE FROM alert_rule WHERE alert_id IS NULL AND coalesce(ended_at, until) < ?')
          .run(keptSince());
        writer.prepare('DELETE FROM detection_told WHERE at < ?').run(now - limits.detectionToldMs);
      });
      await pruneOutbox(now - limits.chatRecordMs);
    },
  });
}

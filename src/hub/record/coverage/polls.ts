// Records which time a read of a router covers: since the read before, or one interval after a gap.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { addSpan, ensureSubject, findLastSpan, type Subject } from './span.ts';

export interface PollReport {
  router: Subject;
  /** When the read had ended, epoch milliseconds. */
  at: number;
  /** Whether the table was read to its end. */
  isComplete: boolean;
  /** Rows that were not understood: the reason `rows_not_read`. */
  missed: number;
  /** Why the last read before this one failed; null when it did not. */
  failure: string | null;
}

/** The returned function runs in the transaction that stores what the read showed. */
export type CoverPoll = (report: PollReport) => (writer: Writer) => WriteSteps<void>;

interface Options {
  intervalMs: number;
  /** When this hub started: an earlier time is no gap of this run. */
  startedAt: number;
}

/** Reads up to this many intervals apart leave no gap: one is normal, one more is lateness. */
export const gapIntervals = 2;

export function createPollCoverage({ intervalMs, startedAt }: Options): CoverPoll {
  return ({ router, at, isComplete, missed, failure }) =>
    // biome-ignore lint/correctness/useYield: a batch runs it together with generators that do yield.
    function* (writer) {
      const subject = ensureSubject(writer, router);
      const last = findLastSpan(writer, subject);
      const isNext = last !== null && last.seen > 0 && at - last.until <= gapIntervals * intervalMs;
      const since = isNext ? last.until : at - intervalMs;
      if (last !== null && !isNext) {
        const gapSince = Math.max(last.until, startedAt);
        addSpan(writer, subject, { since: gapSince, until: since, isSeen: false, reason: failure ?? 'waiting' });
      }
      const reason = !isComplete ? 'table_cut' : missed > 0 ? 'rows_not_read' : null;
      addSpan(writer, subject, { since, until: at, isSeen: true, reason, missed });
    };
}

// What a read of a router covers: the time since the one before, or an interval when that was longer ago.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { addSpan, ensureSubject, findLastSpan, type Subject } from './span.ts';

export interface PollReport {
  router: Subject;
  /** When the read had ended, epoch milliseconds. */
  at: number;
  /** The table was read to its end. */
  isComplete: boolean;
  /** Rows that were not understood. */
  missed: number;
  /** Why the reads before this one failed; null when the last one did not. */
  failure: string | null;
}

/** The returned function runs in the transaction that stores what the read showed. */
export type CoverPoll = (report: PollReport) => (writer: Writer) => WriteSteps<void>;

interface Options {
  intervalMs: number;
  /** When this hub started: an earlier time is no gap of this run. */
  startedAt: number;
}

/** A read that is less than one interval late leaves no gap. */
export const lateIntervals = 2;

export function createPollCoverage({ intervalMs, startedAt }: Options): CoverPoll {
  return ({ router, at, isComplete, missed, failure }) =>
    // biome-ignore lint/correctness/useYield: it is one of several steps of a batch.
    function* (writer) {
      const subject = ensureSubject(writer, router);
      const last = findLastSpan(writer, subject);
      const isNext = last !== null && last.seen > 0 && at - last.until <= lateIntervals * intervalMs;
      const since = isNext ? last.until : at - intervalMs;
      if (last !== null && !isNext) {
        const gapSince = Math.max(last.until, startedAt);
        addSpan(writer, subject, { since: gapSince, until: since, isSeen: false, reason: failure ?? 'waiting' });
      }
      const reason = !isComplete ? 'table_cut' : missed > 0 ? 'rows_not_read' : null;
      addSpan(writer, subject, { since, until: at, isSeen: true, reason, missed });
    };
}

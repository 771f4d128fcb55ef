// Keeps the coverage table small: deletes spans older than the log, and joins spans of days that have too many.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { startJob } from '#kernel/time/job.ts';
import { dayMs, hourMs } from '#kernel/time/time.ts';
import type { Base } from '../../base/feature.ts';
import type { StoredSpan } from './span.ts';

/** When a subject has more spans in a UTC day, adjacent spans that begin in the same hour are joined. */
const maxSpansPerDay = 48;
const rowsPerStep = 500;

interface Options extends Pick<Base, 'db' | 'clock' | 'log'> {
  /** The instant before which everything goes. */
  keptSince: () => number;
}

export function startCoverageUpkeep({ db, clock, log, keptSince }: Options): AsyncDisposable {
  return startJob(clock, log, {
    name: 'the upkeep of coverage',
    firstMs: limits.retentionFirstMs,
    everyMs: limits.retentionEveryMs,
    run: () =>
      db.write(function* (writer) {
        yield* forgetSpans(writer, keptSince());
        yield* joinDays(writer, clock.now() - dayMs);
      }),
  });
}

/** Deletes spans that ended before `cutoff`, epoch milliseconds, and subjects removed before it that have no span. */
export function* forgetSpans(writer: Writer, cutoff: number): WriteSteps<void> {
  const remove = writer.prepare(
    `DELETE FROM coverage_span WHERE (subject, since) IN (
       SELECT subject, since FROM coverage_span WHERE until < ? LIMIT ${rowsPerStep})`,
  );
  while (remove.run(cutoff).changes > 0) {
    yield;
  }
  writer
    .prepare(
      `DELETE FROM coverage_subject WHERE removed_at < ? AND NOT EXISTS (
         SELECT 1 FROM coverage_span WHERE subject = coverage_subject.id)`,
    )
    .run(cutoff);
}

/** Joins spans of UTC days that ended before `cutoff` (epoch milliseconds) and have too many spans of one subject. */
export function* joinDays(writer: Writer, cutoff: number): WriteSteps<void> {
  const days = writer
    .prepare(
      `SELECT subject, since / ${dayMs} AS day FROM coverage_span WHERE since < ?
       GROUP BY 1, 2 HAVING count(*) > ${maxSpansPerDay}`,
    )
    .all(Math.floor(cutoff / dayMs) * dayMs) as { subject: number; day: number }[];
  for (const { subject, day } of days) {
    joinDay(writer, subject, day * dayMs);
    yield;
  }
}

function joinDay(writer: Writer, subject: number, start: number): void {
  const spans = writer
    .prepare(
      `SELECT since, until, seen, reason, reads, missed FROM coverage_span
       WHERE subject = ? AND since >= ? AND since < ? ORDER BY since`,
    )
    .all(subject, start, start + dayMs) as StoredSpan[];
  writer
    .prepare('DELETE FROM coverage_span WHERE subject = ? AND since >= ? AND since < ?')
    .run(subject, start, start + dayMs);
  const insert = writer.prepare(
    'INSERT INTO coverage_span (subject, since, until, seen, reason, reads, missed) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  for (const { since, until, seen, reason, reads, missed } of joinByHour(spans)) {
    insert.run(subject, since, until, seen, reason, reads, missed);
  }
}

/** Joins adjacent spans that begin in the same hour. `describeReason` words `changing`, the reason of mixed spans. */
export function joinByHour(spans: readonly StoredSpan[]): StoredSpan[] {
  const joined: StoredSpan[] = [];
  for (const span of spans) {
    const previous = joined.at(-1);
    if (previous && previous.until === span.since && toHour(previous) === toHour(span)) {
      previous.reason = previous.reason === span.reason ? span.reason : 'changing';
      previous.until = span.until;
      previous.seen += span.seen;
      previous.reads += span.reads;
      previous.missed += span.missed;
    } else {
      joined.push({ ...span });
    }
  }
  return joined;
}

const toHour = ({ since }: StoredSpan) => Math.floor(since / hourMs);

// Removes coverage that is older than the log, and joins spans of days that have too many: the table stays small.
import { limits } from '#contract/limits.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { startJob } from '#kernel/time/job.ts';
import { dayMs, hourMs } from '#kernel/time/time.ts';
import type { Base } from '../../base/feature.ts';
import type { StoredSpan } from './span.ts';

/** A day of a subject with more spans than this is stored as one span for each hour. */
const spansOfDay = 48;
const rowsAtOnce = 500;

interface Options extends Pick<Base, 'db' | 'clock' | 'log'> {
  /** Days of the log; read at every run. */
  days: () => number;
}

export function startCoverageUpkeep({ db, clock, log, days }: Options): AsyncDisposable {
  return startJob(clock, log, {
    name: 'the upkeep of coverage',
    firstMs: limits.retentionFirstMs,
    everyMs: limits.retentionEveryMs,
    run: () =>
      db.write(function* (writer) {
        yield* forgetSpans(writer, clock.now() - days() * dayMs);
        yield* joinDays(writer, clock.now() - dayMs);
      }),
  });
}

/** Removes spans that ended before `before`, and subjects that have none and are not set up. */
export function* forgetSpans(writer: Writer, before: number): WriteSteps<void> {
  const remove = writer.prepare(
    `DELETE FROM coverage_span WHERE (subject, since) IN (
       SELECT subject, since FROM coverage_span WHERE until < ? LIMIT ${rowsAtOnce})`,
  );
  while (remove.run(before).changes > 0) {
    yield;
  }
  writer
    .prepare(
      `DELETE FROM coverage_subject WHERE removed_at < ? AND NOT EXISTS (
         SELECT 1 FROM coverage_span WHERE subject = coverage_subject.id)`,
    )
    .run(before);
}

/** Joins the days that ended before `before` and have many spans. */
export function* joinDays(writer: Writer, before: number): WriteSteps<void> {
  const days = writer
    .prepare(
      `SELECT subject, since / ${dayMs} AS day FROM coverage_span WHERE since < ?
       GROUP BY 1, 2 HAVING count(*) > ${spansOfDay}`,
    )
    .all(Math.floor(before / dayMs) * dayMs) as { subject: number; day: number }[];
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

/** Spans that begin in the same hour and follow each other become one. */
export function joinByHour(spans: readonly StoredSpan[]): StoredSpan[] {
  const joined: StoredSpan[] = [];
  for (const span of spans) {
    const before = joined.at(-1);
    if (before && before.until === span.since && toHour(before) === toHour(span)) {
      before.reason = before.reason === span.reason ? span.reason : 'changing';
      before.until = span.until;
      before.seen += span.seen;
      before.reads += span.reads;
      before.missed += span.missed;
    } else {
      joined.push({ ...span });
    }
  }
  return joined;
}

const toHour = ({ since }: StoredSpan) => Math.floor(since / hourMs);

// Spans of coverage: the rows of one subject do not overlap, and follow each other in time.
import type { BlindSpot, CoverageKind, Unseen } from '#contract/coverage.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';

/** Who or what observes. */
export interface Subject {
  kind: CoverageKind;
  key: string;
  name: string;
  /** What it does not see by its nature, in sentences. */
  cannotSee: readonly string[];
}

/** What a feature says of one of its subjects now. */
export interface CoverageState extends Subject {
  /** Up to when it was observed, epoch milliseconds; null when its reads say so themselves. */
  seenUntil: number | null;
  /** Why it is not observed now; null when it is. */
  gap: string | null;
  /** Why what is observed is not whole; null when it is. */
  part: string | null;
  /** Two sightings that lie no further apart are one span, milliseconds. */
  togetherMs: number;
  /** Connections that its reads cannot see; absent where nothing is read at intervals. */
  unseen?: UnseenState;
}

/** An event count of a service: all of the kernel, and those that are in no table of the router. */
export interface EventCount {
  proto: string;
  dport: number;
  events: number;
  missed: number;
}

/** What is known of the connections that the reads of a router cannot see. */
export interface UnseenState {
  /** Only the events of Agents can say it. */
  needsEvents: boolean;
  /** `events` of the last day; null where they were not needed. */
  report(events: readonly EventCount[] | null): UnseenReport;
}

export interface UnseenReport {
  unseen: Unseen;
  /** What it cannot see by its nature, with how much that is where it is known. */
  cannotSee: string[];
  blindSpots: BlindSpot[];
}

/** Epoch milliseconds. `reason` is null when all was observed. */
export interface Span {
  since: number;
  until: number;
  isSeen: boolean;
  reason: string | null;
  /** Rows that were not understood. */
  missed?: number;
}

export interface StoredSpan {
  since: number;
  until: number;
  seen: number;
  reason: string | null;
  reads: number;
  missed: number;
}

/** Returns the id of a subject, which is stored on first sight. */
export function ensureSubject(writer: Writer, { kind, key, name, cannotSee }: Subject): number {
  const row = writer
    .prepare(
      `INSERT INTO coverage_subject (kind, key, name, cannot_see) VALUES (?, ?, ?, ?)
       ON CONFLICT (kind, key) DO UPDATE SET name = excluded.name, cannot_see = excluded.cannot_see, removed_at = NULL
       RETURNING id`,
    )
    .get(kind, key, name, JSON.stringify(cannotSee)) as { id: number };
  return row.id;
}

export function findLastSpan(writer: Writer, subject: number): StoredSpan | null {
  const row = writer
    .prepare(
      `SELECT since, until, seen, reason, reads, missed FROM coverage_span WHERE subject = +? ORDER BY since DESC LIMIT 1`,
    )
    .get(subject);
  return (row as StoredSpan | undefined) ?? null;
}

/**
 * Adds a span after the last one. Stored spans stay, except for gaps: what was observed replaces them. A span that
 * continues the last one extends it.
 */
export function addSpan(writer: Writer, subject: number, span: Span): void {
  if (span.isSeen) {
    cutGaps(writer, subject, span.since);
  }
  const last = findLastSpan(writer, subject);
  const since = Math.max(span.since, last?.until ?? 0);
  const lengthMs = span.until - since;
  if (lengthMs <= 0) {
    return;
  }
  const { isSeen, reason, missed = 0 } = span;
  const seen = isSeen ? lengthMs : 0;
  if (last && last.until === since && last.reason === reason && last.seen > 0 === isSeen) {
    writer
      .prepare(
        `UPDATE coverage_span SET until = ?, seen = seen + ?, reads = reads + 1, missed = missed + ?
         WHERE subject = ? AND since = ?`,
      )
      .run(span.until, seen, missed, subject, last.since);
    return;
  }
  writer
    .prepare(
      'INSERT INTO coverage_span (subject, since, until, seen, reason, reads, missed) VALUES (?, ?, ?, ?, ?, 1, ?)',
    )
    .run(subject, since, span.until, seen, reason, missed);
}

/** Cuts the last gaps at `since`, from where something was observed after all. */
function cutGaps(writer: Writer, subject: number, since: number): void {
  for (let last = findLastSpan(writer, subject); last && last.seen === 0 && last.until > since; ) {
    if (last.since < since) {
      writer
        .prepare('UPDATE coverage_span SET until = ? WHERE subject = ? AND since = ?')
        .run(since, subject, last.since);
      return;
    }
    writer.prepare('DELETE FROM coverage_span WHERE subject = ? AND since = ?').run(subject, last.since);
    last = findLastSpan(writer, subject);
  }
}

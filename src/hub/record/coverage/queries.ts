// How much of a window was observed: read from the spans, in a reader thread.
import type { CoverageAnswer, CoverageGap, CoverageKind, CoverageSubject } from '#contract/coverage.ts';
import type { Coverage } from '#contract/model.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { toBlindSpots } from '../../base/blind-spots.ts';
import { describeReason } from './reasons.ts';
import type { StoredSpan, UnseenReport } from './span.ts';

interface Window {
  from: number | undefined;
  to: number | undefined;
  now: number;
  /** Time since the last span that is no gap yet, because the next read is still to come; milliseconds. */
  lateMs: number;
}

interface Range {
  from: number;
  to: number;
}

interface SubjectRow {
  id: number;
  kind: CoverageKind;
  key: string;
  name: string;
  removedAt: number | null;
  cannotSee: string;
  since: number;
  until: number;
}

const maxGaps = 100;
const order: readonly CoverageKind[] = ['router', 'agent', 'feed'];

export const coverageQueries = {
  /** `unseen` by the id of a router. */
  coverage(
    reader: Reader,
    { buckets, unseen, ...asked }: Window & { buckets: number; unseen: Readonly<Record<string, UnseenReport>> },
  ): Omit<CoverageAnswer, 'serverTime' | 'chosen'> {
    const subjects = readSubjects(reader);
    const bounds = toBounds(subjects, asked);
    const { from, to } = bounds;
    const all = subjects.map((subject) => ({ subject, seen: readObserved(reader, subject, { ...asked, ...bounds }) }));
    const routers = all.filter(({ subject }) => subject.kind === 'router').map(({ seen }) => seen);
    return {
      from,
      to,
      buckets,
      ...toTotal(routers, from),
      subjects: all.map(({ subject, seen }) => {
        const report = subject.kind === 'router' ? unseen[subject.key] : undefined;
        return { ...toSubjectAnswer(subject, seen, bounds, buckets), unseen: null, ...report };
      }),
    };
  },

  /** Of all routers, or of one subject. */
  coverageOf(
    reader: Reader,
    { kind = 'router', key, ...asked }: Window & { kind?: CoverageKind | undefined; key?: string | undefined },
  ): Coverage {
    const subjects = readSubjects(reader).filter((one) => one.kind === kind && (key === undefined || one.key === key));
    const bounds = toBounds(subjects, asked);
    return toTotal(
      subjects.map((subject) => readObserved(reader, subject, { ...asked, ...bounds })),
      bounds.from,
    );
  },
};

/** Reads the subjects that have spans, by kind, name and key. */
function readSubjects(reader: Reader): SubjectRow[] {
  const rows = reader
    .prepare(
      `SELECT id, kind, key, name, removed_at AS removedAt, cannot_see AS cannotSee,
         (SELECT since FROM coverage_span WHERE subject = s.id ORDER BY since LIMIT 1) AS since,
         (SELECT until FROM coverage_span WHERE subject = s.id ORDER BY since DESC LIMIT 1) AS until
       FROM coverage_subject s ORDER BY name, key`,
    )
    .all() as (Omit<SubjectRow, 'since' | 'until'> & { since: number | null; until: number | null })[];
  const known = rows.filter((row): row is SubjectRow => row.since !== null && row.until !== null);
  return order.flatMap((kind) => known.filter((row) => row.kind === kind));
}

/** An open start is where the first subject begins. */
function toBounds(subjects: readonly SubjectRow[], { from, to, now }: Window): Range {
  const end = Math.min(to ?? now, now);
  const first = subjects.reduce((least, { since }) => Math.min(least, since), end);
  return { from: Math.min(from ?? first, end), to: end };
}

interface Observed {
  spans: readonly StoredSpan[];
  gaps: readonly CoverageGap[];
  reads: number;
  /** The part of the window in which the subject existed and its state is known. */
  known: Range;
  knownMs: number;
  seenMs: number;
  partMs: number;
}

type Bounds = Pick<Window, 'now' | 'lateMs'> & Range;

function readObserved(reader: Reader, subject: SubjectRow, { from, to, now, lateMs }: Bounds): Observed {
  const current = now - subject.until <= lateMs ? subject.until : now;
  const known = { from: Math.max(from, subject.since), to: Math.min(to, subject.removedAt ?? current) };
  const spans = reader
    .prepare(
      `SELECT since, until, seen, reason, reads, missed FROM coverage_span
       WHERE subject = :id AND :from < :to AND since < :to AND until > :from AND since >= coalesce(
         (SELECT max(since) FROM coverage_span WHERE subject = :id AND since <= :from), :from)
       ORDER BY since`,
    )
    .all({ id: subject.id, ...known }) as StoredSpan[];
  const gaps = createGaps();
  let at = known.from;
  let seenMs = 0;
  let partMs = 0;
  let reads = 0;
  const addHole = (until: number) => {
    if (until > at) {
      gaps.add({ from: at, to: until, reason: 'hub_off', seen: 0, missed: 0 });
    }
  };
  for (const span of spans) {
    const since = Math.max(span.since, known.from);
    const until = Math.min(span.until, known.to);
    const seen = (span.seen * (until - since)) / (span.until - span.since);
    addHole(since);
    seenMs += seen;
    reads += span.seen > 0 ? span.reads : 0;
    if (span.reason !== null) {
      partMs += seen;
      gaps.add({ from: since, to: until, reason: span.reason, seen: span.seen, missed: span.missed });
    }
    at = until;
  }
  addHole(known.to);
  return { spans, gaps: gaps.all(), reads, known, knownMs: Math.max(0, known.to - known.from), seenMs, partMs };
}

interface Gap extends Range {
  reason: string;
  seen: number;
  missed: number;
}

/** Joins adjacent gaps without observations. The joined gap has the reason that lasted longest. */
function createGaps() {
  const joined: (Gap & { longestMs: number })[] = [];
  return {
    add(gap: Gap) {
      const lengthMs = gap.to - gap.from;
      const last = joined.at(-1);
      if (last && last.to === gap.from && last.seen === 0 && gap.seen === 0) {
        last.to = gap.to;
        last.reason = lengthMs > last.longestMs ? gap.reason : last.reason;
        last.longestMs = Math.max(last.longestMs, lengthMs);
      } else {
        joined.push({ ...gap, longestMs: lengthMs });
      }
    },
    all: (): CoverageGap[] =>
      joined.map(({ from, to, reason, seen, missed }) => ({
        from,
        to,
        reason,
        observed: seen > 0 ? 'part' : 'none',
        message: describeReason(reason),
        missedRows: missed,
      })),
  };
}

function toSubjectAnswer(
  subject: SubjectRow,
  seen: Observed,
  { from, to }: Range,
  buckets: number,
): Omit<CoverageSubject, 'unseen'> {
  const { kind, key: id, name, since, removedAt } = subject;
  const cannotSee = JSON.parse(subject.cannotSee) as string[];
  const { gaps, reads, knownMs, seenMs, partMs } = seen;
  return {
    kind,
    id,
    name,
    since,
    removedAt,
    share: toShare(seenMs, knownMs),
    partShare: toShare(partMs, knownMs),
    cannotSee,
    blindSpots: toBlindSpots(cannotSee),
    reads,
    gaps: gaps.slice(-maxGaps).reverse(),
    gapsTotal: gaps.length,
    timeline: toTimeline(seen, from, Math.max(1, (to - from) / buckets), buckets),
  };
}

function toTotal(all: readonly Observed[], from: number): Coverage {
  const set = all.filter(({ knownMs }) => knownMs > 0);
  // Nobody observed before the first router was set up.
  const beforeMs = set.length === 0 ? 0 : Math.max(0, Math.min(...set.map(({ known }) => known.from)) - from);
  const share = toShare(sum(set, 'seenMs'), sum(set, 'knownMs') + beforeMs);
  return { share, message: describeShare(share, sum(set, 'partMs') > 0, beforeMs >= minuteMs) };
}

function describeShare(share: number | null, hasPart: boolean, isBefore: boolean): string | null {
  if (share === null) {
    return 'nothing observed this window: no router was set up';
  }
  if (share === 1 && !hasPart) {
    return null;
  }
  const what =
    share === 1
      ? 'some tables of this window were not read whole'
      : `${(Math.floor(share * 1000) / 10).toFixed(1)} % of this window was observed`;
  return `${what}${isBefore ? ', which begins before the first router was set up' : ''}: see GET /api/coverage`;
}

function sum(all: readonly Observed[], name: 'seenMs' | 'knownMs' | 'partMs'): number {
  return all.reduce((total, one) => total + one[name], 0);
}

/** Rounds down to four decimals: only a whole is 1. Null for an empty whole. */
function toShare(part: number, whole: number): number | null {
  if (whole <= 0) {
    return null;
  }
  return part >= whole ? 1 : Math.floor((part / whole) * 10_000) / 10_000;
}

function toTimeline({ spans, known }: Observed, from: number, bucketMs: number, buckets: number): (number | null)[] {
  const seen = new Float64Array(buckets);
  for (const span of spans) {
    const since = Math.max(span.since, known.from);
    const until = Math.min(span.until, known.to);
    const first = Math.floor((since - from) / bucketMs);
    for (let bucket = first; bucket < buckets && from + bucket * bucketMs < until; bucket += 1) {
      const start = from + bucket * bucketMs;
      const overlapMs = Math.min(until, start + bucketMs) - Math.max(since, start);
      seen[bucket] = (seen[bucket] ?? 0) + (span.seen * Math.max(0, overlapMs)) / (span.until - span.since);
    }
  }
  return Array.from(seen, (ms, bucket) => {
    const start = from + bucket * bucketMs;
    // Rounding makes the sum of parts a little shorter than the whole.
    return toShare(ms + 0.001, Math.min(start + bucketMs, known.to) - Math.max(start, known.from));
  });
}

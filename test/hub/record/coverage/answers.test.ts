// What is answered about coverage, against an oracle that looks at every second by itself.
import { expect, test } from 'vitest';
import type { CoverageAnswer } from '#contract/coverage.ts';
import { coverageQueries } from '#hub/record/coverage/queries.ts';
import { describeReason } from '#hub/record/coverage/reasons.ts';
import type { StoredSpan, UnseenReport } from '#hub/record/coverage/span.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { openCoverageStore } from '../../../support/coverage-store.ts';
import { createRandom } from '../../../support/random.ts';

const start = Date.UTC(2026, 2, 1);
const lateMs = 3000;

interface Subject {
  id: number;
  kind: 'router' | 'agent' | 'feed';
  key: string;
  name: string;
  removedAt: number | null;
  spans: StoredSpan[];
}

interface Window {
  from: number | undefined;
  to: number | undefined;
  now: number;
}

const windowsOfSeed = 40;

/** A subject with spans of 1 to 8 seconds, some observed in part, with holes between them. */
function makeSubject(random: () => number, id: number): Subject {
  const within = (most: number) => Math.floor(random() * most);
  const spans: StoredSpan[] = [];
  let at = start + within(20) * 1000;
  for (let count = within(14); count > 0; count -= 1) {
    const lengthMs = 2 ** within(4) * 1000;
    const seen = [0, 0, lengthMs, lengthMs, (lengthMs * within(8)) / 8][within(5)] ?? 0;
    const reason = seen < lengthMs || random() < 0.3 ? (['timed_out', 'table_cut', 'refused'][within(3)] ?? '') : null;
    spans.push({ since: at, until: at + lengthMs, seen, reason, reads: 1 + within(9), missed: within(4) });
    at += lengthMs + (random() < 0.7 ? 0 : within(12) * 1000);
  }
  const kind = (['router', 'router', 'agent', 'feed'] as const)[within(4)] ?? 'router';
  const removedAt = random() < 0.3 ? at + within(10) * 1000 : null;
  return { id, kind, key: `k${id}`, name: `n${within(3)}`, removedAt, spans };
}

const floored = (part: number, whole: number) =>
  whole <= 0 ? null : part >= whole ? 1 : Math.floor((part / whole) * 10_000) / 10_000;

/** Everything about one subject in a window, second by second. */
function look({ spans, removedAt }: Subject, from: number, to: number, now: number) {
  const [first, last] = [spans[0], spans.at(-1)] as [StoredSpan, StoredSpan];
  const end = removedAt ?? (now - last.until <= lateMs ? last.until : now);
  const seconds: { at: number; span: StoredSpan | undefined; part: number }[] = [];
  for (let at = Math.max(from, first.since); at < Math.min(to, end); at += 1000) {
    const span = spans.find(({ since, until }) => since <= at && at < until);
    seconds.push({ at, span, part: span === undefined ? 0 : span.seen / (span.until - span.since) });
  }
  const isPart = (span: StoredSpan | undefined) => span !== undefined && span.reason !== null;
  const runs: { from: number; to: number; span: StoredSpan | undefined }[] = [];
  for (const { at, span } of seconds) {
    const run = runs.at(-1);
    if (run && run.span === span && run.to === at) {
      run.to = at + 1000;
    } else {
      runs.push({ from: at, to: at + 1000, span });
    }
  }
  const gaps: (typeof runs)[] = [];
  for (const run of runs.filter(({ span }) => span === undefined || isPart(span))) {
    const before = gaps.at(-1)?.at(-1);
    const isSilent = (one: typeof run) => (one.span?.seen ?? 0) === 0;
    if (before && before.to === run.from && isSilent(before) && isSilent(run)) {
      gaps.at(-1)?.push(run);
    } else {
      gaps.push([run]);
    }
  }
  const sum = (of: typeof seconds) => of.reduce((ms, { part }) => ms + 1000 * part, 0);
  return {
    seconds,
    knownFrom: Math.max(from, first.since),
    knownMs: 1000 * seconds.length,
    seenMs: sum(seconds),
    partMs: sum(seconds.filter(({ span }) => isPart(span))),
    reads: [...new Set(seconds.map(({ span }) => span))].reduce((all, span) => all + (span?.seen ? span.reads : 0), 0),
    gaps: gaps.map((joined) => {
      const [one, final] = [joined[0], joined.at(-1)] as [(typeof runs)[0], (typeof runs)[0]];
      const longest = joined.reduce((best, run) => (run.to - run.from > best.to - best.from ? run : best));
      const reason = longest.span?.reason ?? 'hub_off';
      return {
        ...{ from: one.from, to: final.to, reason, message: describeReason(reason) },
        observed: (one.span?.seen ?? 0) > 0 ? 'part' : 'none',
        missedRows: one.span?.missed ?? 0,
      };
    }),
  };
}

function totalOf(looks: ReturnType<typeof look>[], from: number) {
  const set = looks.filter(({ knownMs }) => knownMs > 0);
  const beforeMs = set.length === 0 ? 0 : Math.min(...set.map(({ knownFrom }) => knownFrom)) - from;
  const add = (name: 'seenMs' | 'knownMs' | 'partMs') => set.reduce((all, one) => all + one[name], 0);
  const share = floored(add('seenMs'), add('knownMs') + beforeMs);
  if (share === null) {
    return { share, message: 'nothing observed this window: no router was set up' };
  }
  const what = share === 1 ? 'some tables of this window were not read whole' : `${(share * 100).toFixed(2)} %`;
  return share === 1 && add('partMs') === 0 ? { share, message: null } : { share, what, beforeMs };
}

function expectTotal(answer: { share: number | null; message: string | null }, expected: ReturnType<typeof totalOf>) {
  expect(answer.share).toBe(expected.share);
  if ('message' in expected) {
    expect(answer.message).toBe(expected.message);
    return;
  }
  const { what, beforeMs, share } = expected;
  const tenths = `${(Math.floor((share ?? 0) * 1000) / 10).toFixed(1)} % of this window was observed`;
  const before = beforeMs >= minuteMs ? ', which begins before the first router was set up' : '';
  expect(answer.message).toBe(`${share === 1 ? what : tenths}${before}: see GET /api/coverage`);
}

test.each(Array.from({ length: 12 }, (_, at) => at + 1))('any window of any spans (seed %i)', async (seed) => {
  const random = createRandom(seed);
  const within = (most: number) => Math.floor(random() * most);
  await using store = await openCoverageStore();
  const all = Array.from({ length: within(5) }, (_, at) => makeSubject(random, at + 2));
  await store.db.write((writer) => {
    for (const { id, kind, key, name, removedAt, spans } of all) {
      writer
        .prepare('INSERT INTO coverage_subject (id, kind, key, name, cannot_see, removed_at) VALUES (?, ?, ?, ?, ?, ?)')
        .run(id, kind, key, name, JSON.stringify([`not ${key}`]), removedAt);
      for (const { since, until, seen, reason, reads, missed } of spans) {
        writer
          .prepare('INSERT INTO coverage_span VALUES (?, ?, ?, ?, ?, ?, ?)')
          .run(id, since, until, seen, reason, reads, missed);
      }
    }
  });
  // The subject of the store was never observed: it is no subject yet.
  const known = all.filter(({ spans }) => spans.length > 0);
  const rank = ({ kind, name, key }: Subject) => `${['router', 'agent', 'feed'].indexOf(kind)} ${name} ${key}`;
  known.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  const unseen = Object.fromEntries(
    known.map(({ key }) => [key, { unseen: { share: 0.5 }, cannotSee: [`part of ${key}`] } as unknown as UnseenReport]),
  );
  for (let round = 0; round < windowsOfSeed; round += 1) {
    const second = () => start + (within(120) - 10) * 1000;
    const now = second() + 20_000;
    const [one, other] = [second(), second()].sort((a, b) => a - b) as [number, number];
    const asked: Window = { from: random() < 0.3 ? undefined : one, to: random() < 0.3 ? undefined : other, now };
    const boundsOf = (subjects: readonly Subject[]) => {
      const to = Math.min(asked.to ?? now, now);
      const least = Math.min(to, ...subjects.map(({ spans }) => (spans[0] as StoredSpan).since));
      return { from: Math.min(asked.from ?? least, to), to };
    };
    const { from, to } = boundsOf(known);
    const buckets = 1 + within(6);
    const answer = coverageQueries.coverage(store.reader, { ...asked, lateMs, buckets, unseen }) as CoverageAnswer;
    const looks = known.map((subject) => ({ subject, seen: look(subject, from, to, now) }));
    expect([answer.from, answer.to, answer.buckets]).toEqual([from, to, buckets]);
    expectTotal(
      answer,
      totalOf(
        looks.flatMap(({ subject, seen }) => (subject.kind === 'router' ? [seen] : [])),
        from,
      ),
    );
    expect(answer.subjects.map(({ timeline, ...rest }) => rest)).toEqual(
      looks.map(({ subject: { kind, key, name, removedAt, spans }, seen }) => ({
        ...{ kind, id: key, name, since: spans[0]?.since, removedAt, reads: seen.reads },
        blindSpots: [],
        share: floored(seen.seenMs, seen.knownMs),
        partShare: floored(seen.partMs, seen.knownMs),
        ...(kind === 'router' ? unseen[key] : { unseen: null, cannotSee: [`not ${key}`] }),
        ...{ gaps: seen.gaps.toReversed(), gapsTotal: seen.gaps.length },
      })),
    );
    const bucketMs = Math.max(1, (to - from) / buckets);
    for (const [at, { seen }] of looks.entries()) {
      for (const [bucket, share] of (answer.subjects[at]?.timeline ?? []).entries()) {
        const [begin, end] = [from + bucket * bucketMs, from + (bucket + 1) * bucketMs];
        const overlap = (at: number) => Math.max(0, Math.min(end, at + 1000) - Math.max(begin, at));
        const knownMs = seen.seconds.reduce((ms, one) => ms + overlap(one.at), 0);
        const seenMs = seen.seconds.reduce((ms, one) => ms + one.part * overlap(one.at), 0);
        if (knownMs < 0.5) {
          expect(share === null || knownMs > 0).toBe(true);
        } else {
          expect(share).toBeCloseTo(seenMs / knownMs, 3);
        }
      }
      expect(answer.subjects[at]?.timeline).toHaveLength(buckets);
    }
    for (const kind of ['router', 'agent', 'feed'] as const) {
      for (const key of [undefined, known[0]?.key, 'nobody']) {
        const own = known.filter((subject) => subject.kind === kind && (key === undefined || subject.key === key));
        const bounds = boundsOf(own);
        const expected = totalOf(
          own.map((subject) => look(subject, bounds.from, bounds.to, now)),
          bounds.from,
        );
        expectTotal(coverageQueries.coverageOf(store.reader, { ...asked, lateMs, kind, key }), expected);
      }
    }
  }
});

test('at most a hundred gaps are listed, the newest first, and all are counted', async () => {
  await using store = await openCoverageStore();
  for (let minute = 0; minute < 240; minute += 1) {
    const since = start + minute * minuteMs;
    const isSeen = minute % 2 === 0;
    await store.add({ since, until: since + minuteMs, isSeen, reason: isSeen ? null : 'timed_out' });
  }
  const [subject] = store.whole(start, start + 240 * minuteMs, 1).subjects;
  expect(subject?.gapsTotal).toBe(120);
  expect(subject?.gaps.map(({ from }) => from)).toEqual(
    Array.from({ length: 100 }, (_, at) => start + (239 - 2 * at) * minuteMs),
  );
});

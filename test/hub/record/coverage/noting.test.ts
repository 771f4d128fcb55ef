// What is noted of coverage, and when: reads of routers, the look of each minute, and the upkeep of the store.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createPollCoverage, type PollReport } from '#hub/record/coverage/polls.ts';
import type { CoverageState } from '#hub/record/coverage/span.ts';
import { joinByHour, startCoverageUpkeep } from '#hub/record/coverage/upkeep.ts';
import { startCoverageWatch } from '#hub/record/coverage/watch.ts';
import { createLog } from '#kernel/process/log.ts';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';
import { coveredRouter, openCoverageStore } from '../../../support/coverage-store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const log = createLog('hub', 'silent');
const intervalMs = 60_000;
const start = Date.UTC(2026, 2, 1);
const second = 1000;

type Store = Awaited<ReturnType<typeof openCoverageStore>>;

/** Spans in seconds after `start`: since, until, seen, reason, reads, rows that were missed. */
const stored = (store: Store, subject = store.subject) =>
  (store.spans() as (ReturnType<Store['spans']>[0] & { subject: number })[])
    .filter((span) => span.subject === subject)
    .map(({ since, until, seen, reason, reads, missed }) => [
      ...[(since - start) / second, (until - start) / second, seen / second, reason, reads, missed],
    ]);

test('a read covers the time since the one before, or an interval when that is more than two ago', async () => {
  await using store = await openCoverageStore();
  const cover = createPollCoverage({ intervalMs, startedAt: start + 500 * second });
  const poll = (at: number, report: Partial<PollReport> = {}) =>
    store.db.write((writer) => {
      const whole = { router: coveredRouter, isComplete: true, missed: 0, failure: null };
      for (const _ of cover({ ...whole, ...report, at: start + at * second })(writer)) {
        throw new Error('a poll is noted in one step');
      }
    });
  await poll(100);
  expect(stored(store)).toEqual([[40, 100, 60, null, 1, 0]]);
  await poll(220);
  await poll(230, { missed: 3 });
  await poll(240, { missed: 2 });
  await poll(250, { isComplete: false, missed: 5 });
  const first = [
    [40, 220, 180, null, 2, 0],
    [220, 240, 20, 'rows_not_read', 2, 5],
    [240, 250, 10, 'table_cut', 1, 5],
  ];
  expect(stored(store)).toEqual(first);
  // The hub began at 500: what was before is nobody's gap. A gap names why the reads failed.
  await poll(600);
  await poll(721, { failure: 'timed_out' });
  await poll(1021);
  expect(stored(store).slice(3)).toEqual([
    [500, 540, 0, 'waiting', 1, 0],
    [540, 600, 60, null, 1, 0],
    [600, 661, 0, 'timed_out', 1, 0],
    [661, 721, 60, null, 1, 0],
    [721, 961, 0, 'waiting', 1, 0],
    [961, 1021, 60, null, 1, 0],
  ]);
  // A gap that was noted meanwhile gives way to what the next read showed.
  await store.add({ since: start + 1021 * second, until: start + 1041 * second, isSeen: false, reason: 'refused' });
  await poll(1051);
  expect(stored(store).slice(8)).toEqual([[961, 1051, 90, null, 2, 0]]);
});

const agent: CoverageState = {
  ...{ kind: 'agent', key: 'a1', name: 'Laptop', cannotSee: ['what is encrypted'] },
  ...{ seenUntil: null, gap: null, part: null, togetherMs: 90 * second },
};

test('once a minute each subject is noted: seen, a gap, both or neither; one that is gone is removed', async () => {
  await using store = await openCoverageStore();
  const clock = new ManualClock(start);
  const states: CoverageState[] = [];
  await using _watch = startCoverageWatch({ ...{ clock, log, db: store.db }, states: () => states, startedAt: start });
  const pass = async (...now: Partial<CoverageState>[]) => {
    states.splice(0, states.length, coveredState, ...now.map((state) => ({ ...agent, ...state })));
    await clock.advance(minuteMs);
    await store.db.settled();
  };
  const coveredState: CoverageState = { ...agent, ...coveredRouter };
  const at = (seconds: number) => start + seconds * second;
  await pass({});
  const subject = () =>
    store.db.prepare("SELECT id, name, cannot_see, removed_at FROM coverage_subject WHERE kind = 'agent'").get() as {
      id: number;
    };
  const { id } = subject();
  expect([subject(), stored(store, id)]).toEqual([
    { id, name: 'Laptop', cannot_see: '["what is encrypted"]', removed_at: null },
    [],
  ]);
  await pass({ seenUntil: at(100) });
  await pass({ seenUntil: at(190) });
  await pass({ seenUntil: at(200), part: 'some' });
  expect(stored(store, id)).toEqual([
    [40, 190, 150, null, 2, 0],
    [190, 200, 10, 'some', 1, 0],
  ]);
  await pass({ seenUntil: at(291), gap: 'silent' });
  expect(stored(store, id).slice(2)).toEqual([
    [231, 291, 60, null, 1, 0],
    [291, 300, 0, 'silent', 1, 0],
  ]);
  await pass({ gap: 'silent' });
  await pass({ seenUntil: at(410) });
  expect(stored(store, id).slice(3)).toEqual([
    [291, 350, 0, 'silent', 2, 0],
    [350, 410, 60, null, 1, 0],
  ]);
  await pass();
  expect(subject()).toMatchObject({ removed_at: at(410) });
  await pass({});
  expect(subject()).toMatchObject({ removed_at: null });
  const isRemoved = 'SELECT removed_at FROM coverage_subject WHERE id = ?';
  expect(store.db.prepare(isRemoved).get(store.subject)).toEqual({ removed_at: null });
});

test('a gap of something new is the last minute, and never before the hub began', async () => {
  await using store = await openCoverageStore();
  const clock = new ManualClock(start);
  const gap = { ...agent, gap: 'pending' };
  for (const [key, startedAt] of [
    ['new', start - dayMs],
    ['young', start + 50 * second],
  ] as const) {
    await using _watch = startCoverageWatch({
      ...{ clock, log, db: store.db, startedAt },
      states: () => [{ ...gap, key }],
    });
    await clock.advance(minuteMs);
    await store.db.settled();
    clock.put(start);
  }
  const ids = store.db.prepare("SELECT id FROM coverage_subject WHERE kind = 'agent' ORDER BY key").all();
  expect(ids.map((row) => stored(store, (row as { id: number }).id))).toEqual([
    [[0, 60, 0, 'pending', 1, 0]],
    [[50, 60, 0, 'pending', 1, 0]],
  ]);
});

test('spans of an hour that follow each other are one; what differs in it is said to change', () => {
  const span = (since: number, until: number, reason: string | null, seen: number) => ({
    ...{ since: since * minuteMs, until: until * minuteMs, reason, seen },
    ...{ reads: since + 1, missed: until },
  });
  const spans = [
    ...[span(0, 1, 'a', 1), span(1, 2, 'a', 2), span(2, 58, null, 3), span(59, 61, 'a', 4)],
    ...[span(61, 62, 'b', 5), span(62, 63, 'b', 6), span(63, 65, 'b', 7)],
  ];
  const copy = structuredClone(spans);
  expect(joinByHour(spans)).toEqual([
    { since: 0, until: 58 * minuteMs, reason: 'changing', seen: 6, reads: 1 + 2 + 3, missed: 1 + 2 + 58 },
    span(59, 61, 'a', 4),
    { since: 61 * minuteMs, until: 65 * minuteMs, reason: 'b', seen: 18, reads: 62 + 63 + 64, missed: 62 + 63 + 65 },
  ]);
  expect(spans).toEqual(copy);
  expect(joinByHour([])).toEqual([]);
});

test('the upkeep forgets what is older than the log, and joins the days that are over and have many spans', async () => {
  await using store = await openCoverageStore();
  const clock = new ManualClock(start + 10 * dayMs - limits.retentionFirstMs);
  const add = async (day: number, spans: number) => {
    for (let index = 0; index < spans; index += 1) {
      const since = start + day * dayMs + index * minuteMs;
      await store.add({ since, until: since + minuteMs, isSeen: true, reason: index % 2 ? 'some' : null });
    }
  };
  for (const [day, spans] of [
    [2, 49],
    [5, 49],
    [6, 48],
    [8, 50],
    [9, 50],
  ] as const) {
    await add(day, spans);
  }
  await store.db.write((writer) => {
    const insert = writer.prepare(
      "INSERT INTO coverage_subject (kind, key, name, cannot_see, removed_at) VALUES ('feed', ?, '', '[]', ?)",
    );
    insert.run('long gone', start + 3 * dayMs - 1);
    insert.run('just gone', start + 3 * dayMs);
    insert.run('here', null);
  });
  await using _upkeep = startCoverageUpkeep({
    ...{ db: store.db, clock, log },
    keptSince: () => clock.now() - 7 * dayMs,
  });
  await clock.advance(limits.retentionFirstMs);
  await store.db.settled();
  const days = Object.groupBy(store.spans(), ({ since }) => String((since - start - (since % dayMs)) / dayMs));
  expect(Object.entries(days).map(([day, spans]) => [day, spans?.length])).toEqual([
    ['5', 1],
    ['6', 48],
    ['8', 1],
    ['9', 50],
  ]);
  const feeds = store.db.prepare("SELECT key FROM coverage_subject WHERE kind = 'feed' ORDER BY id").all();
  expect(feeds).toEqual([{ key: 'just gone' }, { key: 'here' }]);
  expect(store.of(start + 5 * dayMs, start + 5 * dayMs + hourMs).share).toBeCloseTo(49 / 60, 3);
});

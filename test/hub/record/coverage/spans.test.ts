// The store of coverage: spans never overlap, what was observed wins over gaps, and on-and-off days shrink.
import { expect, test } from 'vitest';
import { clampSpans } from '#hub/record/coverage/clamp-spans.ts';
import { forgetSpans, joinDays } from '#hub/record/coverage/upkeep.ts';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';
import { openCoverageStore } from '../../../support/coverage-store.ts';
import { createRandom } from '../../../support/random.ts';

const start = Date.UTC(2026, 2, 1);

test('whatever is added, spans follow each other, and what is asked of any window is what was observed in it', async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    await using store = await openCoverageStore();
    const random = createRandom(seed);
    const within = (most: number) => Math.floor(random() * most);
    /** For each second: whether it was observed. */
    const truth = new Map<number, boolean>();
    let at = 0;
    for (let step = 0; step < 60; step += 1) {
      const [since, until] = [at + within(3), at + 3 + within(5)];
      const isSeen = random() < 0.6;
      await store.add({
        since: start + since * 1000,
        until: start + until * 1000,
        isSeen,
        reason: isSeen ? (random() < 0.3 ? 'table_cut' : null) : 'timed_out',
      });
      for (let second = since; second < until; second += 1) {
        truth.set(second, isSeen || truth.get(second) === true);
      }
      // The next one may begin within this gap.
      at = isSeen ? until : until - within(3);
    }
    const spans = store.spans();
    for (const [index, span] of spans.slice(1).entries()) {
      expect(span.since).toBeGreaterThanOrEqual(spans[index]?.until ?? 0);
    }
    const [first, last] = [spans[0]?.since ?? 0, spans.at(-1)?.until ?? 0];
    for (let round = 0; round < 20; round += 1) {
      const from = first + within((last - first) / 2000) * 1000;
      const to = from + 1000 + within((last - from) / 1000) * 1000;
      const seconds = Array.from(
        { length: (Math.min(to, last) - from) / 1000 },
        (_, index) => (from - start) / 1000 + index,
      );
      const share = seconds.filter((second) => truth.get(second)).length / ((to - from) / 1000);
      expect(store.of(from, to).share).toBeCloseTo(share, 3);
      const { timeline } = store.whole(from, to, 7).subjects[0] ?? { timeline: [] };
      const mean = timeline.reduce<number>((sum, one) => sum + (one ?? 0), 0) / 7;
      expect(mean).toBeCloseTo(share, 2);
    }
  }
});

test('a day of a router that fails every other minute shrinks to its hours, with the same share', async () => {
  await using store = await openCoverageStore();
  for (let minute = 0; minute < 1440; minute += 1) {
    const [since, until] = [start + minute * minuteMs, start + (minute + 1) * minuteMs];
    const isSeen = minute % 2 === 0;
    await store.add({ since, until, isSeen, reason: isSeen ? null : 'cut_off' });
  }
  const before = store.of(start, start + dayMs);
  await store.db.write((writer) => joinDays(writer, start + 2 * dayMs));
  expect(store.spans()).toHaveLength(24);
  expect(store.of(start, start + dayMs)).toEqual(before);
  expect(store.whole(start, start + dayMs, 1).subjects[0]?.gaps[0]).toMatchObject({
    observed: 'part',
    reason: 'changing',
  });
  await store.db.write((writer) => forgetSpans(writer, start + 12 * hourMs + 1));
  expect(store.spans()).toHaveLength(12);
});

test('a day with an hour of silence stays as it was, to the poll', async () => {
  await using store = await openCoverageStore();
  await store.add({ since: start, until: start + 9 * hourMs + 17_000, isSeen: true, reason: null });
  await store.add({
    since: start + 9 * hourMs + 17_000,
    until: start + 10 * hourMs,
    isSeen: false,
    reason: 'timed_out',
  });
  await store.add({ since: start + 10 * hourMs, until: start + dayMs, isSeen: true, reason: null });
  await store.db.write((writer) => joinDays(writer, start + 9 * dayMs));
  expect(store.whole(start, start + dayMs, 1).subjects[0]?.gaps).toMatchObject([
    { from: start + 9 * hourMs + 17_000, to: start + 10 * hourMs, observed: 'none', reason: 'timed_out' },
  ]);
});

test('after the clock was ahead nothing is observed in the future', async () => {
  await using store = await openCoverageStore();
  await store.add({ since: start, until: start + hourMs, isSeen: true, reason: null });
  await store.add({ since: start + hourMs, until: start + 2 * hourMs, isSeen: false, reason: 'timed_out' });
  const now = start + minuteMs;
  expect(await store.db.write((writer) => clampSpans(writer, now))).toBe(2);
  expect(store.spans()).toMatchObject([{ since: start, until: now, seen: minuteMs }]);
});

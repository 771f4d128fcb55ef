// The beacon detector on seeded traffic: what it must find, what it must not take for a beacon, and five old mistakes.
import { describe, expect, test } from 'vitest';
import { measureRegularity } from '#hub/analyse/beacons/regularity.ts';
import { candidateScore, measureBestRegularity } from '#hub/analyse/beacons/scan.ts';
import {
  backgroundStarts,
  backgrounds,
  beaconStarts,
  chance,
  day,
  hour,
  midnight,
  observed,
  withSleep,
} from '../../../support/beacon-traffic.ts';

const options = { minObs: 8, maxCov: 0.5, minIntervalMs: 20_000, maxIntervalMs: 14_400_000, pollMs: 60_000 };
const polling = { pollMs: 60_000, lost: 0.01 };
const minute = 60_000;

function judged(times: readonly number[], isExact: boolean) {
  const found = measureBestRegularity({ times, isExact }, options);
  return found !== null && found.score >= candidateScore ? found : null;
}

describe('entry age known, jitter under 10 %: no beacon is missed', () => {
  const seconds = [30, 60, 90, 120, 300, 600, 1200, 1800, 3600, 7200];
  test.each(seconds.flatMap((every) => [false, true].map((sleeps) => ({ every, sleeps }))))(
    'every $every s, asleep at times: $sleeps',
    ({ every, sleeps }) => {
      const days = every >= 3600 ? 7 : 1;
      for (const jitter of [0, 0.05, 0.09]) {
        for (let index = 0; index < 6; index += 1) {
          const random = chance('unit', every, jitter, String(sleeps), index);
          const spec = {
            intervalMs: every * 1000,
            jitter,
            gaussian: index % 2 === 1,
            missed: index % 3 === 0 ? 0.05 : 0,
          };
          const starts = beaconStarts(random, spec, days);
          const times = observed(random, sleeps ? withSleep(random, starts, days) : starts, true, polling);
          const found = judged(times, true);
          expect(found, `jitter ${jitter}, case ${index}`).not.toBeNull();
          expect(Math.abs((found?.intervalMs ?? 0) / spec.intervalMs - 1)).toBeLessThan(0.05);
        }
      }
    },
  );
});

describe('polls of 60 s alone', () => {
  test.each([90, 300, 1800])(
    'every %i s with 30 % of jitter and a night of sleep is found, and its interval',
    (every) => {
      for (let index = 0; index < 10; index += 1) {
        const random = chance('polls', every, index);
        const spec = { intervalMs: every * 1000, jitter: 0.3, gaussian: false, missed: 0 };
        const found = judged(observed(random, withSleep(random, beaconStarts(random, spec)), false, polling), false);
        expect(Math.abs((found?.intervalMs ?? 0) / spec.intervalMs - 1), `case ${index}`).toBeLessThan(0.1);
      }
    },
  );

  test.each(backgrounds)('%s is no beacon: two in a hundred at most', (kind) => {
    const cases = Array.from({ length: 100 }, (_, index) => {
      const random = chance('background', kind, index);
      return judged(observed(random, backgroundStarts(random, kind), index % 2 === 0, polling), index % 2 === 0);
    });
    expect(cases.filter((found) => found !== null).length).toBeLessThanOrEqual(2);
  });
});

describe('old mistakes', () => {
  const every = (ms: number, from: number, to: number) =>
    Array.from({ length: Math.floor((to - from) / ms) }, (_, index) => from + index * ms);

  test('a device that sleeps at night is still regular', () => {
    const times = [
      ...every(5 * minute, midnight, midnight + 6 * hour),
      ...every(5 * minute, midnight + 14 * hour, midnight + day),
    ];
    expect(judged(times, true)).toMatchObject({ cov: 0, intervalMs: 5 * minute });
  });

  test('a stream with new sessions at every poll is not a beacon of one minute', () => {
    const random = chance('stream');
    const starts: number[] = [];
    for (let at = midnight; at < midnight + 6 * hour; at += -15_000 * Math.log(1 - random.next())) {
      starts.push(at);
    }
    expect(judged(observed(random, starts, false, polling), false)).toBeNull();
  });

  test('four contacts that happen to lie apart evenly are too few', () => {
    expect(judged(every(2 * hour, midnight, midnight + 8 * hour), true)).toBeNull();
  });

  test('90 s shows as gaps of one and two minutes, and is found as 90 s', () => {
    const found = judged(observed(chance('ninety'), every(90_000, midnight, midnight + day), false, polling), false);
    expect(found?.intervalMs).toBeCloseTo(90_000, -3);
  });

  test('missed beats are gaps of two intervals, not jitter', () => {
    const beats = every(10 * minute, midnight, midnight + day).filter((_, index) => index % 12 !== 5);
    expect(judged(beats, true)).toMatchObject({ cov: 0, intervalMs: 10 * minute });
  });
});

describe('the interval of exact contacts is exact', () => {
  /** Contacts without those that fall into a hole of `missing` beats after every 17th. */
  const contacts = (everyMs: number, missing: number) =>
    Array.from({ length: 240 }, (_, index) => index)
      .filter((index) => index < 17 || index % 17 >= missing)
      .map((index) => midnight + index * everyMs);

  test.each(
    [1, 5, 10, 20].flatMap((every) =>
      [1, 5, 10].flatMap((poll) => [0, 1, 2, 3].map((gone) => ({ every, poll, gone }))),
    ),
  )('every $every min, polls of $poll min, holes of $gone', ({ every, poll, gone }) => {
    const times = contacts(every * minute, gone);
    const within = { ...options, pollMs: poll * minute };
    const exact = measureBestRegularity({ times, isExact: true }, within);
    expect(exact?.intervalMs ?? every * minute).toBe(every * minute);
    const polled = times.map((at) => Math.ceil(at / within.pollMs) * within.pollMs);
    const found = measureBestRegularity({ times: polled, isExact: false }, within);
    if (every >= 1.5 * poll) {
      expect(found?.intervalMs).toBe(every * minute);
    } else if (found && gone === 0) {
      expect(found.intervalMs).toBeCloseTo(every * minute, 6);
    }
  });

  test('is the median, not drawn away by some longer gaps', () => {
    let at = midnight;
    const times = Array.from({ length: 200 }, (_, index) => {
      at += (index % 10 === 0 ? 29 : 20) * minute;
      return at;
    });
    expect(judged(times, true)?.intervalMs).toBe(20 * minute);
  });
});

test('limits of the settings hold', () => {
  const times = Array.from({ length: 200 }, (_, index) => midnight + index * 5 * minute);
  const found = (change: Partial<typeof options>) =>
    measureBestRegularity({ times, isExact: true }, { ...options, ...change });
  expect(found({})).not.toBeNull();
  expect(found({ minIntervalMs: 6 * minute })).toBeNull();
  expect(found({ maxIntervalMs: 4 * minute })).toBeNull();
  expect(found({ minObs: 201 })).toBeNull();
});

describe('at its bounds exactly', () => {
  const within = { ...options, minObs: 3 };
  const exactly = (times: readonly number[], change: Partial<typeof options> = {}) =>
    measureRegularity({ times, isExact: true }, { ...within, ...change });
  const polled = (times: readonly number[]) => measureRegularity({ times, isExact: false }, within);
  /** Contacts from midnight on, with these gaps between them. */
  const apart = (...gaps: readonly number[]) => {
    let at = midnight;
    return [at, ...gaps.map((gap) => (at += gap))];
  };
  const times = (count: number, gap: number) => Array.from({ length: count }, () => gap);

  test('contacts in four hours of the clock, three hours apart, are enough', () => {
    expect(exactly(apart(...times(9, 20 * minute)))).not.toBeNull();
    expect(exactly(apart(...times(8, 20 * minute), 20 * minute - 1))).toBeNull();
    const fromHalfPast = (last: number) => apart(30 * minute, ...times(8, 20 * minute), last).slice(1);
    expect(exactly(fromHalfPast(20 * minute))).not.toBeNull();
    expect(exactly(fromHalfPast(20 * minute - 1))).toBeNull();
    const hours = (...some: readonly number[]) =>
      some.flatMap((one) => Array.from({ length: 6 }, (_, index) => midnight + one * hour + index * 10 * minute));
    expect(exactly(hours(0, 3, 4, 5))).not.toBeNull();
    expect(exactly(hours(0, 3, 4))).toBeNull();
  });

  test('six intervals, and as many contacts as are asked for, are enough', () => {
    expect(exactly(apart(...times(6, hour)), { minObs: 7 })?.score).toBe(0.5 + 6 / 32);
    expect(exactly(apart(...times(6, hour)), { minObs: 8 })).toBeNull();
    expect(exactly(apart(...times(5, hour)))).toBeNull();
  });

  test('the shortest and the longest interval of the settings count', () => {
    const [often, seldom] = [apart(...times(800, 20_000)), apart(...times(8, 4 * hour))];
    expect([exactly(often), exactly(often, { minIntervalMs: 20_001 })]).toEqual([expect.anything(), null]);
    expect([exactly(seldom), exactly(seldom, { maxIntervalMs: 4 * hour - 1 })]).toEqual([expect.anything(), null]);
  });

  test('sessions within two seconds are one contact', () => {
    const twice = (apartMs: number) => apart(...times(20, 20 * minute)).flatMap((at) => [at, at + apartMs]);
    expect(exactly(twice(2000))).toMatchObject({ cov: 0, intervalMs: 20 * minute });
    expect(exactly(twice(2001))).not.toMatchObject({ intervalMs: 20 * minute });
  });

  test('a gap of two and a half intervals is jitter, a longer one is sleep', () => {
    const cov = (gap: number) => exactly(apart(...times(8, 20 * minute), gap, ...times(7, 20 * minute)))?.cov;
    expect(cov(50 * minute)).toBeGreaterThan(0.3);
    expect(cov(50 * minute + 1)).toBe(0);
  });

  test('a gap of 1.6 to 2.4 intervals is a missed beat', () => {
    const cov = (gap: number) => exactly(apart(...times(8, 20 * minute), gap, ...times(7, 20 * minute)))?.cov ?? 0;
    for (const [inside, outside] of [
      [32 * minute, 32 * minute - 1],
      [48 * minute, 48 * minute + 1],
    ] as const) {
      expect(cov(inside)).toBeLessThan(0.06);
      expect(cov(outside)).toBeGreaterThan(0.1);
    }
  });

  test('missed beats are halved while they are 12 %, and left out when they are more', () => {
    const cov = (missed: number) =>
      exactly(apart(...times(25 - missed, 20 * minute), ...times(missed, 44 * minute)))?.cov;
    expect(cov(3)).toBeGreaterThan(0);
    expect(cov(4)).toBe(0);
  });

  test('45 % of the gaps may be sleep', () => {
    const asleep = (count: number, all: number) => apart(...times(all - count, 20 * minute), ...times(count, 2 * hour));
    expect(exactly(asleep(9, 20))).not.toBeNull();
    expect(exactly(asleep(10, 21))).toBeNull();
  });

  /** Polls that each show so many sessions, from the minute `at` of the day on. */
  const polls = (at: number, counts: readonly number[]) =>
    counts.flatMap((count, index) => Array.from({ length: count }, () => midnight + (at + index) * minute));
  const stretches = [10, 110, 200] as const;

  test('sixty polls in stretches of twenty are enough to count sessions', () => {
    const found = polled(stretches.flatMap((at) => polls(at, times(20, 2))));
    expect(found).toMatchObject({ cov: 0, intervalMs: minute / 2 });
    const short = [20, 20, 19].map((count, index) => polls(stretches[index] ?? 0, times(count, 2)));
    expect(polled(short.flat())).toBeNull();
    const uneven = [...times(15, 2), ...times(5, 3)];
    expect(polled(stretches.flatMap((at) => polls(at, uneven)))?.cov).toBeGreaterThan(0.1);
  });

  test('gaps of one and a half polls are gaps; shorter ones only show how many sessions a poll has', () => {
    const score = (gap: number) => polled(apart(...times(Math.ceil((4 * hour) / gap), gap)))?.score;
    expect(score(90_000)).toBe(1);
    expect(score(89_999)).toBeLessThan(1);
  });

  test('sessions are counted while half of the gaps are below 2.2 polls: then pairs at intervals look regular', () => {
    const pairs = (gap: number) => polled(apart(...Array.from({ length: 120 }, () => [36_000, gap]).flat()));
    expect(pairs(132_000)?.score).toBeLessThan(0.2);
    expect(pairs(131_999)?.score).toBeGreaterThan(0.5);
  });

  test('four polls without a session do not end a stretch, five do', () => {
    const broken = (empty: number) => [...times(10, 2), ...times(empty, 0), ...times(10, 2)];
    expect(polled(stretches.flatMap((at) => polls(at, broken(4))))).not.toBeNull();
    expect(polled(stretches.flatMap((at) => polls(at, broken(5))))).toBeNull();
  });
});

describe('of two ways to look, the surer one counts', () => {
  const times = (count: number, gap: number, from = midnight) =>
    Array.from({ length: count }, (_, index) => from + index * gap);

  test('gaps of two polls are surer than sessions counted for three hours', () => {
    const found = measureBestRegularity({ times: times(100, 2 * minute), isExact: false }, options);
    expect(found).toEqual({ score: 1, cov: 0, intervalMs: 2 * minute });
  });

  test('all days when they are as sure as the last one, else the last day', () => {
    const before = times(432, 10 * minute);
    const last = (gap: number) => times(161, gap, midnight + 3 * day);
    const both = (gap: number) => measureBestRegularity({ times: [...before, ...last(gap)], isExact: true }, options);
    expect(both(10 * minute + 100)).toEqual({ score: 1, cov: 0, intervalMs: 10 * minute });
    expect(both(9 * minute)).toMatchObject({ score: 1, cov: 0, intervalMs: 9 * minute });
  });
});

describe('the score, figure by figure', () => {
  const score = (times: readonly number[], isExact: boolean) => measureRegularity({ times, isExact }, options);
  /** Contacts every ten minutes from the full hour on, so many in each hour. */
  const hourly = (...counts: readonly number[]) =>
    counts.flatMap((count, at) =>
      Array.from({ length: count }, (_, index) => midnight + at * hour + index * 10 * minute),
    );
  /** A third of deviation, of which 15 % are for free, costs four tenths of its share. */
  const uneven = 0.6 + 0.4 * (1 - (1 / 3 - 0.15));

  test('is lower when some hours have more contacts than others; the first and the last do not count', () => {
    expect(score(hourly(6, 6, 6, 6), true)).toEqual({ score: 1, cov: 0, intervalMs: 10 * minute });
    expect(score(hourly(3, 6, 6, 3), true)?.score).toBe(1);
    expect(score(hourly(6, 6, 3, 6), true)?.score).toBeCloseTo(uneven, 9);
    const day = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? 6 : 3));
    expect(score(hourly(...day), true)?.score).toBeCloseTo(uneven, 9);
  });

  test('of slow contacts, counts them in four intervals', () => {
    const slow = Array.from({ length: 25 }, (_, index) => midnight + index * 35 * minute);
    expect(score(slow, true)?.score).toBe(1);
  });

  test('of sessions counted by polls, grows for four hours', () => {
    const polls = (from: number, count: number) =>
      Array.from({ length: 2 * count }, (_, index) => midnight + (from + (index >> 1)) * minute);
    expect(score(polls(0, 240), false)).toEqual({ score: 1, cov: 0, intervalMs: minute / 2 });
    expect(score(polls(10, 200), false)?.score).toBeCloseTo(0.5 + (0.5 * 200) / 240, 9);
  });

  test('of exact contacts is that of their gaps, however even their count is', () => {
    const pairs = Array.from({ length: 240 }, (_, index) => midnight + index * minute + (index % 2) * 30_000);
    expect(score(pairs, true)?.score).toBeLessThan(0.3);
  });

  test('leaves the longest and the shortest twentieth of the gaps out', () => {
    let at = midnight;
    const gap = (index: number) => (index === 20 || index === 21 ? 28 : 20) * minute;
    const times = [at, ...Array.from({ length: 40 }, (_, index) => (at += gap(index)))];
    expect(score(times, true)?.cov).toBe(0);
  });
});

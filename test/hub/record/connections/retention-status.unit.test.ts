// When the limit of size is reached, beside a log that grows and loses its oldest day minute by minute.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  predictRemoval,
  type RetentionState,
  toRetentionStatus,
} from '#hub/record/connections/upkeep/retention-status.ts';

const day = 86_400_000;
const hour = day / 24;
const now = 20_000 * day + 7 * hour;

const states = fc.record({
  limitBytes: fc.integer({ min: 10, max: 400 }).map((megabytes) => megabytes * 1e6),
  bytesPerDay: fc.integer({ min: 1, max: 60 }).map((megabytes) => megabytes * 1e6),
  days: fc.constantFrom(7, 30, 90),
  age: fc.integer({ min: 25, max: 30 * 24 }),
});

/** The log of a network that writes as much in every hour: what it removes in `ms`, and when its limit was reached first. */
function simulate({ usedBytes, limitBytes, bytesPerDay, days, since }: RetentionState, ms: number) {
  const byHour = (bytesPerDay ?? 0) / 24;
  const state = { used: usedBytes, first: since as number, fullAt: null as number | null };
  for (let at = now; at < now + ms; at += hour) {
    while (state.first + days * day <= at) {
      state.first += hour;
      state.used -= byHour;
    }
    if (state.used >= limitBytes) {
      state.fullAt ??= at;
    }
    while (state.used > limitBytes && state.first < at - day) {
      const end = Math.min((Math.floor(state.first / day) + 1) * day, at - day);
      state.used -= ((end - state.first) / hour) * byHour;
      state.first = end;
    }
    state.used += byHour;
  }
  return state;
}

test('the limit is reached when a log that grows by as much reaches it, unless rows are too old before', () => {
  fc.assert(
    fc.property(states, ({ age, ...given }) => {
      const since = now - age * hour;
      const used = Math.min((given.bytesPerDay / 24) * Math.min(age, given.days * 24), given.limitBytes);
      const state: RetentionState = { ...given, since: Math.max(since, now - given.days * day), usedBytes: used, now };
      const { retention } = toRetentionStatus(state);
      const { fullAt } = simulate(state, 100 * day);
      const shown = retention?.fullAt ?? null;
      const isClose = Math.abs(given.limitBytes / given.bytesPerDay - given.days) < 0.1;
      expect(isClose || (shown === null) === (fullAt === null)).toBe(true);
      if (shown !== null && fullAt !== null) {
        expect(Math.abs(shown - fullAt)).toBeLessThanOrEqual(hour);
      }
      // What will have been removed in two days is said to the day.
      const { first } = simulate(state, 2 * day);
      const removed = predictRemoval(state, 2 * day);
      const isRemoved = first > (state.since as number);
      expect(isRemoved ? Math.abs(removed - first) <= day : removed <= (state.since as number) + day).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

const young: RetentionState = {
  ...{ usedBytes: 12e6, limitBytes: 10e6, bytesPerDay: null, days: 30, since: now - 20 * hour, now },
};

test('nothing is predicted without a limit, a whole day or a row, and the newest day alone may be too much', () => {
  const known = { ...young, bytesPerDay: 1e6 };
  for (const state of [young, { ...known, limitBytes: 0 }, { ...known, since: null }, { ...known, bytesPerDay: 0 }]) {
    expect(toRetentionStatus(state).retention).toMatchObject({ fullAt: null });
  }
  expect(toRetentionStatus({ ...known, limitBytes: 0 })).toMatchObject({
    retention: { usedBytes: 12e6, limitBytes: null, bytesPerDay: 1e6, since: now - 20 * hour },
    warnings: [null],
  });
  expect(toRetentionStatus(young).warnings).toEqual([
    {
      code: 'log_over_limit',
      values: { used: '12 MB', limit: '10 MB' },
      sentence:
        'the database has 12 MB, more than the limit of 10 MB, with the newest 24 hours alone, which stay: raise retentionBytes of the settings',
    },
  ]);
  expect(toRetentionStatus({ ...known, since: now - 26 * hour }).warnings).toEqual([null]);
  expect(toRetentionStatus({ ...young, usedBytes: 10e6 }).warnings).toEqual([null]);
});

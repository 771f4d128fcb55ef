// The schedule in virtual time: one occasion on each local day or week, in every time zone, whatever the clock does.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSchedule, type ScheduleSettings } from '#hub/analyse/ai/notifications/schedule.ts';
import { dateAfter, getWeekday, timeZone } from '#kernel/time/time-zone.ts';
import { runs } from '../../../support/property-runs.ts';

const half = 30_000;
const hour = 3_600_000;
const day = 24 * hour;
const year = 365 * day;
const start = Date.UTC(2026, 0, 1);

/** Zones where the clocks are moved, with every kind of move: at midnight, over it, by half an hour, in the south. */
const moving = [
  ...['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'America/Nuuk', 'Asia/Beirut'],
  ...['America/Santiago', 'Africa/Casablanca', 'America/Havana', 'Pacific/Auckland', 'Antarctica/Troll'],
];
const zones = fc.oneof(fc.constantFrom(...moving), fc.constantFrom(...Intl.supportedValuesOf('timeZone')));
const time = fc
  .integer({ min: 0, max: 1439 })
  .map((minutes) => `${`${Math.floor(minutes / 60)}`.padStart(2, '0')}:${`${minutes % 60}`.padStart(2, '0')}`);
const settings: fc.Arbitrary<ScheduleSettings> = fc.record({
  frequency: fc.constantFrom('daily', 'weekly'),
  weekday: fc.integer({ min: 0, max: 6 }),
  time: fc.oneof(time, fc.constantFrom('00:00', '00:30', '01:30', '02:00', '02:30', '03:00', '23:30', '23:59')),
  timezone: zones,
});

/** Looks at the schedule at each instant and runs what is due and was not run; the dates of what ran. */
function ran(asked: ScheduleSettings, instants: Iterable<number>): string[] {
  const schedule = createSchedule(asked);
  const keys = new Set<string>();
  const dates: string[] = [];
  for (const now of instants) {
    const due = schedule?.open(now);
    if (due && !keys.has(due.key)) {
      keys.add(due.key);
      dates.push(due.key.split(':')[2] ?? '');
    }
  }
  return dates;
}

/** Every 30 s around a move of the clocks, seldomer between them, and always in the last minute of a local day. */
function* checks(timezone: string, seldom: () => number): Iterable<number> {
  const zone = timeZone(timezone);
  const offset = (at: number) => zone && zone.at(at).minutes - ((at / 60_000) % 1440);
  const near = (at: number) => {
    const [before, after] = [offset(at - day), offset(at + day)];
    return Math.abs(((before ?? 0) - (after ?? 0)) % 1440) > 0;
  };
  for (let at = start, looked = 0, isNear = false; at < start + year; ) {
    if (at - looked > 12 * hour) {
      [looked, isNear] = [at, near(at)];
    }
    yield at;
    const untilMidnight = (1440 - (zone?.at(at).minutes ?? 0)) * 60_000;
    at += isNear ? half : Math.min(seldom(), Math.max(untilMidnight - 2 * half, half));
  }
}

/** The local dates of the year, without the first two and the last two, that the schedule names. */
function expected({ frequency, weekday, timezone }: ScheduleSettings): string[] {
  const first = dateAfter(timeZone(timezone)?.at(start).date ?? '', 2);
  return Array.from({ length: 360 }, (_, days) => dateAfter(first, days)).filter(
    (date) => frequency === 'daily' || getWeekday(date) === weekday,
  );
}

function within(dates: readonly string[], all: readonly string[]): string[] {
  return dates.filter((date) => date >= (all[0] ?? '') && date <= (all.at(-1) ?? ''));
}

test('a year of checks runs it exactly once on each day of the schedule, in order', () => {
  fc.assert(
    fc.property(settings, fc.integer({ min: 20, max: 60 }), (asked, steps) => {
      const all = expected(asked);
      expect(
        within(
          ran(
            asked,
            checks(asked.timezone, () => steps * half),
          ),
          all,
        ),
      ).toEqual(all);
    }),
    { numRuns: runs(3, 40) },
  );
});

test('a clock that jumps forward and back runs no day twice, and each day at most late', () => {
  const jumps = fc.array(fc.tuple(fc.integer({ min: 0, max: 364 }), fc.integer({ min: -3 * day, max: 3 * day })), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(settings, jumps, (asked, moves) => {
      const seen: number[] = [];
      const byDay = new Map(moves);
      for (let at = start, turn = 0; turn < (year / hour) * 2; turn += 1, at += hour / 2) {
        const move = turn % 48 === 0 ? byDay.get(turn / 48) : undefined;
        at += move ?? 0;
        seen.push(at);
      }
      const dates = ran(asked, seen);
      expect(new Set(dates).size).toBe(dates.length);
      const zone = timeZone(asked.timezone);
      const looked = new Set(seen.map((at) => zone?.at(at).date));
      // What ran was looked at on its day; only a day without its last hour runs with the first instant of the next.
      expect(dates.filter((date) => !looked.has(date) && !looked.has(dateAfter(date, 1)))).toEqual([]);
    }),
    { numRuns: runs(3, 40) },
  );
});

test('the next occasion is the first instant at which it is due', () => {
  fc.assert(
    fc.property(settings, fc.integer({ min: start, max: start + year }), (asked, now) => {
      const schedule = createSchedule(asked);
      const next = schedule?.next(now);
      expect(next?.dueAt).toBeGreaterThan(now);
      expect(next && schedule?.open(next.dueAt)?.key).toBe(next?.key);
      expect(next && schedule?.open(next.dueAt - 1)?.key).not.toBe(next?.key);
      expect((next?.dueAt ?? 0) - now).toBeLessThanOrEqual(
        asked.frequency === 'daily' ? day + 3 * hour : 7 * day + 3 * hour,
      );
    }),
  );
});

test('what was due while the hub was down is run on the same local day, and not on a later one', () => {
  const daily = { frequency: 'daily', weekday: 1, time: '09:00', timezone: 'Asia/Tokyo' } as const;
  const schedule = createSchedule(daily);
  const tokyo = (text: string) => Date.parse(`${text}+09:00`);
  expect(schedule?.open(tokyo('2026-03-01T08:59:59'))).toBeNull();
  const key = 'scheduled:daily:2026-03-01:09:00';
  expect(schedule?.open(tokyo('2026-03-01T09:00:00'))).toEqual({ key, dueAt: tokyo('2026-03-01T09:00:00') });
  expect(schedule?.open(tokyo('2026-03-01T23:59:59'))?.key).toBe(key);
  expect(schedule?.open(tokyo('2026-03-02T00:00:00'))).toBeNull();
});

test('a schedule that is off has no occasion, nor has one of an unknown time zone', () => {
  const off = { frequency: 'off', weekday: 1, time: '09:00', timezone: 'UTC' } as const;
  expect(createSchedule(off)).toBeNull();
  expect(createSchedule({ ...off, frequency: 'daily', timezone: 'Mars/Olympus' })).toBeNull();
});

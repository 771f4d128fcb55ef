// Months of local time: which of them an instant belongs to.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { findMonths } from '#hub/analyse/ai/usage/months.ts';
import { calendar, utcTime } from '#kernel/time/clock.ts';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';

const instant = fc.integer({ min: utcTime(1971, 1, 1), max: utcTime(2200, 1, 1) });
const offset = fc.integer({ min: -limits.aiTimezoneMinutes, max: limits.aiTimezoneMinutes });
const midnight = { day: 1, hour: 0, minute: 0, second: 0 };

test('an instant belongs to the month that it lies in on the wall, and to no other', () => {
  fc.assert(
    fc.property(instant, offset, (now, timezoneOffset) => {
      const { current, previous } = findMonths(now, timezoneOffset);
      const wall = (at: number) => calendar(at, -timezoneOffset * minuteMs);
      expect(current.from <= now && now < current.to).toBe(true);
      expect(previous.to).toBe(current.from);
      expect(wall(current.from)).toMatchObject({ ...midnight, year: wall(now).year, month: wall(now).month });
      expect(wall(current.to)).toMatchObject(midnight);
      expect(wall(previous.from)).toMatchObject(midnight);
      expect(wall(current.to - 1)).toMatchObject({ year: wall(now).year, month: wall(now).month });
      for (const month of [current, previous]) {
        expect([28, 29, 30, 31]).toContain((month.to - month.from) / dayMs);
      }
      // Both ends of it are asked: the months before and after are others.
      expect(findMonths(current.from, timezoneOffset).current).toEqual(current);
      expect(findMonths(current.to - 1, timezoneOffset).current).toEqual(current);
      expect(findMonths(current.to, timezoneOffset).previous).toEqual(current);
      expect(findMonths(current.from - 1, timezoneOffset).current).toEqual(previous);
    }),
  );
});

test('the offset is that of browsers: minutes to add to local time to get UTC', () => {
  // Midnight of the first of March in UTC+9, which is the 28th of February in UTC.
  const tokyo = utcTime(2026, 3, 1) - 9 * hourMs;
  expect(findMonths(tokyo, -540).current).toEqual({ from: tokyo, to: utcTime(2026, 4, 1) - 9 * hourMs });
  expect(findMonths(tokyo, 0).current).toEqual({ from: utcTime(2026, 2, 1), to: utcTime(2026, 3, 1) });
  expect(findMonths(tokyo - 1, -540).current).toEqual({ from: utcTime(2026, 2, 1) - 9 * hourMs, to: tokyo });
  expect(findMonths(utcTime(2026, 1, 1, 4), 300)).toEqual({
    current: { from: utcTime(2025, 12, 1, 5), to: utcTime(2026, 1, 1, 5) },
    previous: { from: utcTime(2025, 11, 1, 5), to: utcTime(2025, 12, 1, 5) },
  });
});

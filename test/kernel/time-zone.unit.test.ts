// Local time by the name of a place: gaps, repeated hours, days without a midnight, and names that are none.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dateAfter, getWeekday, timeZone } from '#kernel/time/time-zone.ts';

const iso = (instant: number | undefined) => instant && new Date(instant).toISOString();

test.each([
  // The clocks go from 02:00 to 03:00, and back from 03:00 to 02:00.
  ['Europe/Berlin', '2026-03-29', '02:30', '2026-03-29T01:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30:00.000Z'],
  ['America/New_York', '2026-11-01', '01:30', '2026-11-01T05:30:00.000Z'],
  // By half an hour.
  ['Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:30:00.000Z'],
  // No midnight on this day.
  ['Africa/Cairo', '2026-04-24', '00:00', '2026-04-23T22:00:00.000Z'],
  // The last hour of a day is left out: 23:30 comes with the first instant of the next one.
  ['America/Nuuk', '2026-03-28', '23:30', '2026-03-29T01:00:00.000Z'],
  ['Asia/Kathmandu', '2026-05-01', '09:00', '2026-05-01T03:15:00.000Z'],
  ['Pacific/Kiritimati', '2026-05-01', '09:00', '2026-04-30T19:00:00.000Z'],
  ['UTC', '2026-02-28', '23:59', '2026-02-28T23:59:00.000Z'],
])('%s: %s %s is %s', (name, date, time, instant) => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  expect(iso(timeZone(name)?.instantOf(date, hours * 60 + minutes))).toBe(instant);
});

test('what the clocks show at an instant is a local time whose first instant is not later', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const range = { min: Date.UTC(2026, 0, 1), max: Date.UTC(2030, 0, 1) };
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer(range), (name, instant) => {
      const zone = timeZone(name);
      const { date, minutes } = zone?.at(instant) ?? { date: '', minutes: 0 };
      const first = zone?.instantOf(date, minutes) ?? 0;
      expect(zone?.at(first)).toEqual({ date, minutes });
      expect(first).toBeLessThanOrEqual(instant);
      // Repeated at most once, by at most an hour and less than a minute later.
      expect(instant - first).toBeLessThan(3_660_000);
    }),
  );
});

test.each(['', 'Mars/Olympus', '+09:00', 'Europe/Berlin ', 'Etc/GMT+99'])('%j is no zone', (name) => {
  expect(timeZone(name)).toBeNull();
});

test('dates are counted by the calendar', () => {
  expect(dateAfter('2026-02-28', 1)).toBe('2026-03-01');
  expect(dateAfter('2028-03-01', -1)).toBe('2028-02-29');
  expect(getWeekday('2026-03-01')).toBe(0);
});

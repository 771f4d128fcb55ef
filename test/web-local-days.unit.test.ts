// Days of the page of a device: they follow the calendar of the browser, also where its clock changes.
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { groupEqualDays, listMidnights } from '../src/web/devices/local-days.ts';

const hourMs = 3_600_000;
const zone = process.env.TZ;
afterEach(() => setZone(zone));

function setZone(name: string | undefined): void {
  if (name === undefined) {
    delete process.env.TZ;
  } else {
    process.env.TZ = name;
  }
}

test.each([
  { name: 'Europe/Berlin', at: '2026-03-31T10:00:00Z', hours: { '2026-03-29': 23 } },
  { name: 'Europe/Berlin', at: '2026-10-31T10:00:00Z', hours: { '2026-10-25': 25 } },
  { name: 'Europe/Berlin', at: '2026-10-25T22:30:00Z', hours: { '2026-10-25': 25 } },
  { name: 'Africa/Cairo', at: '2026-04-26T00:30:00Z', hours: { '2026-04-24': 23 } },
  { name: 'Asia/Tokyo', at: '2026-03-31T10:00:00Z', hours: {} },
])('the days before $at in $name begin at midnight and have their own number of hours', ({ name, at, hours }) => {
  setZone(name);
  const midnights = listMidnights(Date.parse(at), 14);
  const dates = midnights.slice(0, -1).map(dateOf);
  expect(dates.at(-1)).toBe(dateOf(Date.parse(at)));
  expect(new Set(dates).size).toBe(14);
  const lengths = dates.map((date, index) => [
    date,
    (Number(midnights[index + 1]) - Number(midnights[index])) / hourMs,
  ]);
  expect(Object.fromEntries(lengths)).toEqual({ ...Object.fromEntries(dates.map((date) => [date, 24])), ...hours });
});

test('in every zone at any time the days end with today, and the groups are the days, each of one length, a week at most', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'America/Havana', 'UTC'];
  const instants = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2028, 0) });
  fc.assert(
    fc.property(fc.constantFrom(...zones), instants, (name, at) => {
      setZone(name);
      const midnights = listMidnights(at, 14);
      expect(midnights.at(-2)).toBeLessThanOrEqual(at);
      expect(midnights.at(-1)).toBeGreaterThan(at);
      const groups = groupEqualDays(midnights);
      const steps = groups.flatMap(({ from, to, days }) =>
        Array.from({ length: days }, (_, index) => from + (index * (to - from)) / days),
      );
      expect([...steps, groups.at(-1)?.to]).toEqual(midnights);
      expect(groups.every(({ days, hoursOfDay }) => days <= 7 && days * hoursOfDay <= 240)).toBe(true);
      expect(
        groups.every(({ from, to, days, hoursOfDay }) => Math.abs((to - from) / days / hourMs - hoursOfDay) <= 0.5),
      ).toBe(true);
      expect(groups.length).toBeLessThanOrEqual(4);
    }),
  );
});

function dateOf(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

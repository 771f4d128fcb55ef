// Seeds, spans and local time of the soak in virtual time.
import { expect, test } from 'vitest';
import { dayMs, hourMs } from '#kernel/time/time.ts';
import { drawIncidents, findBegin, homeZone, parseDays } from './plan.ts';
import { firstInstant, localTime, offsetAt } from './zone.ts';

test('a seed is one story, and another seed another', () => {
  const story = (seed: number) => Array.from({ length: 1440 }, (_, tick) => drawIncidents(seed, tick));
  expect(story(1)).toEqual(story(1));
  expect(story(1)).not.toEqual(story(2));
  const kinds = new Set(story(1).flatMap((some) => some.map(({ what }) => what)));
  expect(kinds.size).toBe(13);
});

test.each([1, 2])('the clocks change in the middle of it: seed %i', (seed) => {
  for (const days of [1, 2, 3, 30]) {
    const at = findBegin(seed, days);
    expect(offsetAt(homeZone, at)).not.toBe(offsetAt(homeZone, at + days * dayMs));
    expect(at % hourMs).toBe(hourMs / 6);
  }
});

test('a span is a number of days', () => {
  expect([parseDays('1d'), parseDays('30d')]).toEqual([1, 30]);
  for (const span of ['', '30', '0d', '91d', '3h', '-1d', '1.5d']) {
    expect(() => parseDays(span)).toThrow(/1d to 90d/);
  }
});

test('local time by Intl: an hour that is left out, and one that comes twice', () => {
  const local = (iso: string) => localTime(homeZone, Date.parse(iso)).minutes;
  expect([local('2026-03-29T00:59Z'), local('2026-03-29T01:00Z')]).toEqual([119, 180]);
  expect([local('2026-10-25T00:30Z'), local('2026-10-25T01:30Z')]).toEqual([150, 150]);
  expect(firstInstant(homeZone, '2026-03-29', 150)).toBe(Date.parse('2026-03-29T01:00Z'));
  expect(firstInstant(homeZone, '2026-10-25', 150)).toBe(Date.parse('2026-10-25T00:30Z'));
});

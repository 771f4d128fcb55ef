// The lines behind the chart of the overview: round counts above all bars, round hours within the period.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTicks, timeTicks } from '../src/web/overview/scale.ts';

test('counts begin at 0, go in equal whole steps, and the last one is no smaller than the highest bar', () => {
  expect(countTicks(0)).toEqual([0, 1]);
  expect(countTicks(3)).toEqual([0, 1, 2, 3]);
  expect(countTicks(17)).toEqual([0, 5, 10, 15, 20]);
  expect(countTicks(1234)).toEqual([0, 500, 1000, 1500]);
  fc.assert(
    fc.property(fc.nat(10_000_000), (most) => {
      const ticks = countTicks(most);
      const [, step = 0] = ticks;
      expect(ticks).toEqual(ticks.map((_, index) => index * step));
      expect(Number.isInteger(step) && ticks.length >= 2 && ticks.length <= 5).toBe(true);
      expect(Number(ticks.at(-1))).toBeGreaterThanOrEqual(most);
    }),
  );
});

test('times are round, lie within the period, and are few', () => {
  const from = new Date(2026, 10, 27, 20, 13).getTime();
  const hour = 3_600_000;
  const shown = (ms: number) => timeTicks(from, from + ms).map((at) => new Date(at).toTimeString().slice(0, 5));
  expect(shown(hour)).toEqual(['20:20', '20:30', '20:40', '20:50', '21:00', '21:10']);
  expect(shown(24 * hour)).toEqual(['21:00', '00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00']);
  expect(shown(168 * hour)).toEqual(Array(7).fill('00:00'));
  fc.assert(
    fc.property(fc.integer({ min: 60_000, max: 400 * 24 * hour }), (length) => {
      const ticks = timeTicks(from, from + length);
      expect(ticks.length).toBeLessThanOrEqual(9);
      expect(ticks.every((at) => at >= from && at <= from + length)).toBe(true);
    }),
  );
});

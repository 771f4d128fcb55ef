// The waits after failures: from 5 s, random below a bound that doubles, at most 15 minutes.
import { expect, test } from 'vitest';
import { backOffMs } from '#agent/delivery/back-off.ts';

test.each([
  [1, 10_000],
  [2, 20_000],
  [5, 160_000],
  [8, 900_000],
  [1000, 900_000],
])('after %s failures in a row it is between 5 s and %s ms', (failures, most) => {
  expect(backOffMs(failures, () => 0)).toBe(5000);
  expect(backOffMs(failures, (below) => below - 1)).toBe(most);
  const waits = Array.from({ length: 200 }, () => backOffMs(failures));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(5000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(most);
  expect(new Set(waits).size).toBeGreaterThan(50);
});

// Which rows of a long list are drawn, and where, by arithmetic alone: no browser could hold a list of ten million here.
import { expect, test } from 'vitest';
import { findRowsInSight } from '../src/web/connections/sight.ts';

const [tall, rowHeight] = [700, 36];

test('a list that browsers can draw: each row is where it would be if all were there', () => {
  for (const top of [0, 35, 36, 12_345, 100_000 * rowHeight - tall]) {
    const { rows, height } = findRowsInSight(top, tall, 100_000, rowHeight);
    expect(height).toBe(3_600_000);
    expect(rows.filter(({ index, start }) => start !== index * rowHeight)).toEqual([]);
    expect(rows.filter(({ start }) => start + rowHeight > top && start < top + tall).length).toBeGreaterThan(18);
    expect(rows.length).toBeLessThan(50);
  }
});

test('one that is too tall: its first and its last row are at the ends, and no gap is in between', () => {
  for (const count of [1_000_000, 10_000_000]) {
    const { height } = findRowsInSight(0, tall, count, rowHeight);
    expect(height).toBe(15_000_000);
    expect(findRowsInSight(0, tall, count, rowHeight).rows[0]).toEqual({ index: 0, start: 0 });
    for (const share of [0, 0.1, 0.5, 0.999, 1]) {
      const top = share * (height - tall);
      const { rows } = findRowsInSight(top, tall, count, rowHeight);
      const inSight = rows.filter(({ start }) => start + rowHeight > top && start < top + tall);
      expect(inSight.length).toBeGreaterThan(18);
      const steps = rows.slice(1).map(({ start }, at) => start - (rows[at]?.start ?? 0));
      expect(steps.filter((step) => Math.abs(step - rowHeight) > 0.001)).toEqual([]);
      expect(Math.abs((inSight[0]?.index ?? 0) / count - share)).toBeLessThan(0.001);
    }
    const last = findRowsInSight(height - tall, tall, count, rowHeight).rows.at(-1);
    expect(last?.index).toBe(count - 1);
    expect((last?.start ?? 0) + rowHeight).toBeCloseTo(height, 3);
  }
});

// The delay of the event loop that the metrics of deliveries show.
import { expect, test } from 'vitest';
import { delaysOf } from '#hub/agents/admission.ts';

test('the delay is what comes on top of the interval of the samples', () => {
  const samples = { 50: 50_100_000, 95: 62_340_000 } as Record<number, number>;
  const percentile = (percent: number) => samples[percent] ?? 0;
  expect(delaysOf({ count: 9, max: 150_000_000, percentile })).toEqual({ p50: 0.1, p95: 12.34, max: 100 });
  expect(delaysOf({ count: 9, max: 49_000_000, percentile: () => 49_000_000 })).toEqual({ p50: 0, p95: 0, max: 0 });
  expect(delaysOf({ count: 0, max: 0, percentile: () => Number.NaN })).toEqual({ p50: 0, p95: 0, max: 0 });
});

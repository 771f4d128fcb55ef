// The schedule of a soak: the same for the same seed, without overlaps at one subject, and dense enough.
import { describe, expect, test } from 'vitest';
import { faultNames, findKind, subjects } from './catalogue.ts';
import { describePlan, drawPlan, lastQuietMs } from './plan.ts';

const seeds = [1, 2, 3, 4711, 2_147_483_647];

describe.each(seeds)('the plan of seed %i', (seed) => {
  const plan = drawPlan({ seed, minutes: 60, only: null });

  test('is the same each time, and another than that of the next seed', () => {
    expect(drawPlan({ seed, minutes: 60, only: null })).toEqual(plan);
    expect(drawPlan({ seed: seed + 1, minutes: 60, only: null })).not.toEqual(plan);
  });

  test('has 200 faults in an hour and every kind of them, numbered in their order', () => {
    expect(plan.length).toBeGreaterThanOrEqual(200);
    expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(faultNames));
    expect(plan.map(({ number }) => number)).toEqual(plan.map((_, index) => index + 1));
    expect(plan.map(({ atMs }) => atMs)).toEqual(plan.map(({ atMs }) => atMs).sort((a, b) => a - b));
  });

  test.each(subjects)('leaves %s its rest between two faults, and before the end', (subject) => {
    const own = plan.filter((fault) => fault.subject === subject);
    expect(own.length).toBeGreaterThan(0);
    for (const [index, { atMs, lastsMs, kind }] of own.entries()) {
      const next = own[index + 1]?.atMs ?? 60 * 60_000 - lastQuietMs;
      expect(next - atMs - lastsMs).toBeGreaterThanOrEqual(findKind(kind).restMs);
      expect(findKind(kind).subjects).toContain(subject);
    }
  });

  test('restarts the hub at its beginning and at its end alone, so that memory can be judged between', () => {
    const restarts = plan.filter(({ kind }) => findKind(kind).isRestart).map(({ atMs }) => atMs / 3_600_000);
    expect(restarts.length).toBeGreaterThan(2);
    expect(restarts.filter((place) => place > 0.2 && place < 0.93)).toEqual([]);
  });
});

test('a short run restarts the hub at any time, and one fault alone can be asked for', () => {
  const kills = drawPlan({ seed: 1, minutes: 5, only: 'kill-9' });
  expect(kills.length).toBeGreaterThan(3);
  expect(new Set(kills.map(({ kind }) => kind))).toEqual(new Set(['kill-9']));
  expect(describePlan(kills)).toMatch(
    new RegExp(`^   1  00:\\d\\d  hub       kill-9, [^]*\\n${kills.length} faults: kill-9 ${kills.length}\\n$`),
  );
});

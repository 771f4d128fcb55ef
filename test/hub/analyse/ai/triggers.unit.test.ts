// What calls for an analysis, and what does not: thresholds, causes, cooldown, tries that end.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Attempt, decideRetry } from '#hub/analyse/ai/notifications/attempts.ts';
import {
  findThreatTrigger,
  formatCause,
  isRuleMet,
  type PeriodCounts,
  parseCause,
  type TriggerSettings,
  threatRules,
} from '#hub/analyse/ai/notifications/triggers.ts';

const minute = 60_000;
const settings: TriggerSettings = {
  rules: { scheduled: false, danger: true, newDestination: true, increase: true },
  ...{ dangerThreshold: 2, newDestinationsThreshold: 5, increaseThreshold: 3, cooldownMinutes: 60 },
};
const seen = (counts: { danger?: number; fresh?: number; threats?: number; before?: number }): PeriodCounts => ({
  danger: () => counts.danger ?? 0,
  newDestinations: () => counts.fresh ?? 0,
  threats: () => counts.threats ?? 0,
  previousThreats: async () => counts.before ?? 0,
});

test.each([
  ['danger', { danger: 1 }, false],
  ['danger', { danger: 2 }, true],
  ['newDestination', { fresh: 4 }, false],
  ['newDestination', { fresh: 5 }, true],
  ['increase', { threats: 5, before: 2 }, false],
  ['increase', { threats: 6, before: 2 }, true],
  ['increase', { threats: 2, before: 0.5 }, false],
  // After a period without threats: as if it had one.
  ['increase', { threats: 2, before: 0 }, false],
  ['increase', { threats: 3, before: 0 }, true],
] as const)('%s with %j: %s', async (rule, counts, isSo) => {
  expect(await isRuleMet(rule, settings, seen(counts))).toBe(isSo);
});

test('a cause names its rules in one order', () => {
  expect(formatCause(['increase', 'danger'])).toBe('danger+increase');
  expect(parseCause('danger+increase')).toEqual(['danger', 'increase']);
  fc.assert(
    fc.property(fc.subarray([...threatRules]), (rules) => {
      expect(parseCause(formatCause(rules))).toEqual(rules);
    }),
  );
});

const attempt = (at: number, change: Partial<Attempt> = {}): Attempt => {
  return { type: 'threat', key: 'threat:danger:0', cause: 'danger', number: 1, isDone: false, at, ...change };
};

test('an occasion is tried four times: at once, and 5, 15 and 45 minutes later', () => {
  const begun: number[] = [];
  const attempts: Attempt[] = [];
  for (let now = 0; now < 24 * 60 * minute; now += 30_000) {
    const standing = decideRetry(attempts, now);
    if (typeof standing === 'object' && standing.waitMs === 0) {
      begun.push(now / minute);
      attempts.push(attempt(now, { number: attempts.length + 1 }));
    }
  }
  expect(begun).toEqual([0, 5, 20, 65]);
  expect(decideRetry(attempts, 65 * minute)).toBe('given up');
  expect(decideRetry([attempt(0), attempt(1, { isDone: true })], 2)).toBe('done');
  expect(decideRetry([attempt(0)], minute)).toEqual({ waitMs: 4 * minute });
  // The clock was ahead when it was tried.
  expect(decideRetry([attempt(100 * minute)], minute)).toEqual({ waitMs: 0 });
});

const at = (minutes: number) => minutes * minute;
const done = (minutes: number, cause = 'danger') => {
  return attempt(at(minutes), { cause, key: `threat:${cause}:${minutes}`, isDone: true });
};
const called = (cause: string, attempts: readonly Attempt[], minutes: number) =>
  findThreatTrigger(cause, attempts, settings, at(minutes))?.key ?? null;

test('the same causes, or fewer, call for nothing before the cooldown is over; others do', () => {
  expect(called('danger', [], 10)).toBe(`threat:danger:${at(10)}`);
  expect(called('danger', [done(10)], 69)).toBeNull();
  expect(called('danger', [done(10)], 70)).toBe(`threat:danger:${at(70)}`);
  expect(called('danger', [done(10, 'danger+increase')], 69)).toBeNull();
  expect(called('danger+increase', [done(10)], 11)).toBe(`threat:danger+increase:${at(11)}`);
  expect(called('increase', [done(10)], 11)).toBe(`threat:increase:${at(11)}`);
  expect(called('danger', [done(10), done(11, 'increase')], 12)).toBeNull();
});

test('a failed one is tried again under its key, until it is given up; then the cooldown holds', () => {
  const failed = [0, 5, 20, 65].map((minutes, index) => attempt(at(minutes), { number: index + 1 }));
  expect(called('danger', failed.slice(0, 1), 4)).toBeNull();
  expect(called('danger', failed.slice(0, 1), 5)).toBe('threat:danger:0');
  expect(called('danger', failed.slice(0, 3), 64)).toBeNull();
  expect(called('danger', failed, 124)).toBeNull();
  expect(called('danger', failed, 125)).toBe(`threat:danger:${at(125)}`);
  // What was given up for more causes does not cover fewer.
  const wider = failed.map((one) => ({ ...one, cause: 'danger+increase' }));
  expect(called('danger', wider, 66)).toBe(`threat:danger:${at(66)}`);
  // The newest occasion decides.
  const newer = attempt(at(10), { key: 'threat:danger:newer' });
  expect(called('danger', [attempt(0), newer], 15)).toBe('threat:danger:newer');
  expect(called('danger', failed.slice(0, 1), 1439)).toBe('threat:danger:0');
  expect(called('danger', failed.slice(0, 1), 1440)).toBe(`threat:danger:${at(1440)}`);
  // Other causes do not wait for it.
  expect(called('increase', failed.slice(0, 1), 1)).toBe(`threat:increase:${at(1)}`);
  // What failed days ago is not gone on with.
  expect(called('danger', failed.slice(0, 1), 3000)).toBe(`threat:danger:${at(3000)}`);
});

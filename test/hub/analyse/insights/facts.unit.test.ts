// The bounds of a period, and how the reading of the routers is said in one word.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { summarizeCollection } from '#hub/analyse/insights/collection.ts';
import { createFactsHandler } from '#hub/analyse/insights/facts.ts';
import { resolvePeriod } from '#hub/analyse/insights/period.ts';

const now = 2_000_000_000_000;
const far = Number.MAX_SAFE_INTEGER;
const long = limits.factsMs;

test.each([
  [{ from: now - 1 }, { from: now - 1, to: now }],
  [{ from: now - long }, { from: now - long, to: now }],
  [{ from: now - long - 1 }, /^from lies more than 14 days before to/],
  [
    { from: 5, to: 6 },
    { from: 5, to: 6 },
  ],
  [{ from: 5, to: 5 }, /^to must be later than from/],
  [{ from: now }, /^to must be later than from/],
  [
    { from: 0, to: 1 },
    { from: 0, to: 1 },
  ],
  [{ from: 0, to: 0 }, /^to must be later than from/],
  [{ to: long }, { from: 0, to: long }],
  [{ to: long + 1 }, /^from lies more than 14 days before to/],
  [
    { from: far - 1, to: 2 * far },
    { from: far - 1, to: far },
  ],
  [{ from: far, to: 2 * far }, /^to must be later than from/],
  [{ from: 2 * far, to: 4 * far }, /^to must be later than from/],
])('%j is the period or the refusal %j', (asked, expected) => {
  for (const code of ['invalid_query', 'invalid_body'] as const) {
    const period = () => resolvePeriod(asked, now, code);
    if (expected instanceof RegExp) {
      expect(period).toThrow(expect.objectContaining({ code, message: expect.stringMatching(expected) }));
    } else {
      expect(period()).toEqual(expected);
    }
  }
});

type Routers = Parameters<typeof summarizeCollection>[0];
const router = (id: string, enabled: boolean, ready: boolean, lastSuccessAt: number | null) =>
  ({
    ...{ id, kind: 'vendor_a', name: `Router ${id}`, enabled, ready, sessionCount: 10, lastSuccessAt },
    ...{ ip: '192.168.1.1', lastError: 'a secret' },
  }) as unknown as Routers[number];

test.each([
  ['off', []],
  ['off', [router('a', false, false, 7)]],
  ['ok', [router('a', true, true, 7), router('b', false, false, 9)]],
  ['partial', [router('a', true, true, 7), router('b', true, false, 5), router('c', true, true, null)]],
  ['error', [router('a', true, false, null), router('b', false, true, 9)]],
] as const)('the collection is %s by its enabled routers alone', (health, routers) => {
  const enabled = routers.filter((one) => one.enabled);
  const times = enabled.flatMap(({ lastSuccessAt }) => lastSuccessAt ?? []);
  expect(summarizeCollection([...routers])).toEqual({
    health,
    enabledCount: enabled.length,
    readyCount: enabled.filter(({ ready }) => ready).length,
    reportedSessions: 10 * enabled.length,
    lastUpdatedAt: times.length === 0 ? null : Math.max(...times),
    routers: routers.map(({ id, kind, name, enabled: isEnabled, ready, sessionCount, lastSuccessAt }) => ({
      ...{ id, kind, displayName: name, enabled: isEnabled, ready, sessionCount, lastSuccessAt },
    })),
  });
});

test.each([
  [{}, null],
  [
    { sourceKind: 'router', sourceId: 'r1' },
    { sourceKind: 'router', sourceId: 'r1' },
  ],
  [{ sourceId: 'r1' }, null],
  [{ sourceKind: 'router' }, null],
] as const)('the facts of the scope %j ask log and coverage for two periods that meet', async (scope, sourceScope) => {
  const asked: object[] = [];
  const counted = { current: {}, previous: {}, topServices: [], topDestinations: [] };
  const answer = async (question: object, given: object) => {
    asked.push(question);
    return { share: asked.length, message: null, ...given };
  };
  const facts = createFactsHandler({
    clock: { now: () => now },
    connections: { compare: (question: object) => answer(question, counted) },
    coverage: { measure: (question: object) => answer(question, {}) },
    threat: { judged: () => ({ judged: 'full', judgedWhy: null }) },
    routers: { list: () => [] },
  } as unknown as Parameters<typeof createFactsHandler>[0]);
  const query = { from: now - 10, ...scope };
  const [current, previous] = [
    { from: now - 10, to: now },
    { from: now - 20, to: now - 10 },
  ];
  expect(await facts({ query, signal: AbortSignal.timeout(1e6) })).toMatchObject({
    ...{ serverTime: now, sourceScope, ...counted, judged: 'full', judgedWhy: null },
    ...{ range: { ...current, durationMs: 10 }, previousRange: { ...previous, durationMs: 10 } },
    ...{ coverage: { share: 2 }, previousCoverage: { share: 3 }, collection: { health: 'off' } },
  });
  expect(asked).toEqual([
    { current, previous, scope },
    { ...current, ...scope },
    { ...previous, ...scope },
  ]);
});

// A batch as one flow per key: extremes, what the latest observation knows, and the hours of the others.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MergedFlow, mergeObservations } from '#hub/record/connections/record/merge.ts';
import type { Observation } from '#hub/record/connections/store/observation.ts';
import { noon, seen } from '../../../support/connection-log.ts';

const hourOf = (at: number) => Math.floor(at / 3_600_000);
const now = noon + 50 * 60_000;
const evidence = fc.constantFrom('poll' as const, 'entry_timer' as const);
const span = fc.record({ from: fc.option(fc.nat(9)), to: fc.nat(9), by: evidence });

const observation: fc.Arbitrary<Observation> = fc
  .record({
    dst: fc.constantFrom('203.0.113.1', '::ffff:203.0.113.1', '2001:db8::1', '2001:DB8:0::1'),
    proto: fc.constantFrom('tcp', 'TCP', 'udp'),
    at: fc.integer({ min: -5, max: 3 }).map((steps) => noon + steps * 25 * 60_000),
    startedAt: fc.integer({ min: -7, max: 3 }).map((steps) => noon + steps * 25 * 60_000),
    sport: fc.option(fc.nat(9)),
    ttl: fc.option(fc.nat(9)),
    newSession: fc.constantFrom(undefined, undefined, 'exact' as const, 'poll' as const),
    times: fc.option(fc.record({ first: span, last: span }), { nil: undefined, freq: 6 }),
    agent: fc.option(
      fc.record({
        ...{ host: fc.constant('desk'), process: fc.constantFrom('a', 'b', 'c'), pid: fc.nat(9) },
        ...{ bytesIn: fc.option(fc.bigInt(0n, 9n)), bytesOut: fc.option(fc.bigInt(0n, 9n)) },
      }),
      { nil: undefined },
    ),
  })
  .map(seen);

function merged(observations: readonly Observation[], at = now): { flows: MergedFlow[]; turns: number } {
  const steps = mergeObservations(observations, at);
  for (let turns = 0; ; turns += 1) {
    const step = steps.next();
    if (step.done) {
      return { flows: step.value, turns };
    }
  }
}

const total = (bytes: readonly (bigint | null)[]) => {
  const known = bytes.filter((one) => one !== null);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one);
};
const least = (values: readonly (number | null)[]) =>
  values.includes(null) ? null : Math.min(...values.map((value) => value ?? 0));
const most = (values: readonly (number | null)[]) => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
};

/** What `all`, observations of one flow, say of it, and what of that has one answer only. */
function check(flow: MergedFlow, all: readonly Observation[]): void {
  const rows = all.map((one) => ({ ...one, at: Math.min(one.at, now) }));
  const starts = rows.map((one) => Math.min(one.startedAt, one.at));
  expect(flow.at).toBe(Math.max(...rows.map(({ at }) => at)));
  expect(flow.startedAt).toBe(Math.min(...starts));
  const latest = rows.filter(({ at }) => at === flow.at);
  for (const name of ['sport', 'ttl'] as const) {
    const known = latest.map((one) => one[name]).filter((value) => value !== null);
    const any = rows.map((one) => one[name]).filter((value) => value !== null);
    expect(known.length > 0 ? [known.at(-1)] : any.length > 0 ? any : [null]).toContain(flow[name]);
  }
  const hours = [...flow.alsoAt, flow.at].map(hourOf);
  expect(new Set(hours)).toEqual(new Set(rows.map(({ at }) => hourOf(at))));
  expect(flow.alsoAt.filter((at) => rows.every((one) => one.at !== at))).toEqual([]);
  expect(flow.alsoAt.length).toBeLessThan(rows.length);
  expect(flow.starts).toEqual(
    rows.flatMap(({ newSession }, row) =>
      newSession === undefined ? [] : { at: starts[row], isExact: newSession === 'exact' },
    ),
  );
  const agents = rows.flatMap(({ agent }) => agent ?? []);
  const newest = latest.flatMap(({ agent }) => agent ?? []).at(-1);
  expect(flow.agent?.process).toBe((newest ?? flow.agent)?.process);
  expect(flow.agent === undefined).toBe(agents.length === 0);
  expect(flow.agent?.bytesIn ?? null).toBe(total(agents.map(({ bytesIn }) => bytesIn)));
  expect(flow.agent?.bytesOut ?? null).toBe(total(agents.map(({ bytesOut }) => bytesOut)));
  const times = rows.flatMap((one) => one.times ?? []);
  const isTold = times.length === rows.length;
  expect(flow.times && [flow.times.first.from, flow.times.first.to, flow.times.last.from, flow.times.last.to]).toEqual(
    isTold
      ? [
          least(times.map(({ first }) => first.from)),
          least(times.map(({ first }) => first.to)),
          most(times.map(({ last }) => last.from)),
          most(times.map(({ last }) => last.to)),
        ]
      : undefined,
  );
}

test('a flow has the extremes of its observations and what the latest of them knows', () => {
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 12 }), (observations) => {
      const { flows } = merged(observations);
      const keyOf = ({ dst, proto }: { dst: string; proto: string }) =>
        `${/::ffff|203/.test(dst) ? '203.0.113.1' : '2001:db8::1'} ${proto.toUpperCase()}`;
      const groups = Map.groupBy(observations, keyOf);
      expect(flows.map(({ dst, proto }) => `${dst} ${proto}`)).toEqual([...groups.keys()]);
      for (const flow of flows) {
        check(flow, groups.get(keyOf(flow)) ?? []);
      }
    }),
    { numRuns: 400 },
  );
});

test('a merge lets others work after each 1,024 rows, and refuses what is no address', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, dport) => seen({ dport }));
  expect([1023, 1024, 2047, 2048].map((count) => merged(rows(count)).turns)).toEqual([0, 1, 1, 2]);
  const message = 'an observation names "pool.example", which is not an IP address';
  expect(() => merged([seen({ src: 'pool.example' })])).toThrow(message);
  expect(() => merged([seen({ dst: 'pool.example' })])).toThrow(message);
});

// Two periods that meet against the naive model: counts, top services and destinations, packed hours or not.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { comparePeriods } from '#hub/record/connections/query/compare.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { hour, openConnectionLog, openReader } from '../../../support/connection-log.ts';
import { createOracle, type Flow, flowsOf, verdictOf, type World } from '../../../support/connection-oracle.ts';
import { budget, runs } from '../../../support/property-runs.ts';
import { createDice, type Dice, monthMs, monthStart, randomPolls, randomWorld } from '../../../support/random-log.ts';
import { judgeWorld, recordWorld } from '../../../support/record-world.ts';

const seed = 20_261_125;
const day = 24 * hour;

/** Whole hours, sightings at an edge, a millisecond, two weeks. */
function randomPeriods(dice: Dice, flows: readonly Flow[]) {
  const at = monthStart + dice.whole(monthMs);
  const from = dice.pick([at, at - (at % hour), dice.pick(flows).firstSeen, dice.pick(flows).lastSeen]);
  const length = dice.pick([1, 60_000, hour, day, 14 * day]);
  return { current: { from, to: from + length }, previous: { from: from - length, to: from } };
}

/** The largest first, then by key in the order of its UTF-16 units. */
function ranked<K>(flows: readonly Flow[], keyOf: (flow: Flow) => string, show: (flow: Flow) => K, most: number) {
  const groups = Object.entries(Object.groupBy(flows, keyOf) as Record<string, Flow[]>);
  return groups
    .sort(([one, a], [other, b]) => b.length - a.length || (one < other ? -1 : 1))
    .slice(0, most)
    .map(([, members]) => ({ ...show(members[0] as Flow), connections: members.length }));
}

function modelOf(
  world: World,
  flows: readonly Flow[],
  { current, previous }: ReturnType<typeof randomPeriods>,
  scope: object,
) {
  const oracle = createOracle(flows, world);
  const within = ({ from, to }: { from: number; to: number }) =>
    oracle.matching({ from: String(from), to: String(to - 1), ...scope });
  const counts = (members: readonly Flow[]) => {
    const level = (wanted: string) =>
      members.filter(({ dst, dport }) => (verdictOf(world, dst, dport)?.level ?? 'safe') === wanted).length;
    return {
      connections: members.length,
      devices: new Set(members.map(({ src }) => src)).size,
      destinations: new Set(members.map(({ dst }) => dst)).size,
      ...{ safe: level('safe'), warn: level('warn'), danger: level('danger') },
    };
  };
  const now = within(current);
  const service = ({ dport, proto }: Flow) => ({ port: dport, protocol: proto });
  const destination = ({ dst }: Flow) => {
    const { host, org, country } = world.destinations.get(dst) ?? { host: null, org: null, country: null };
    return { ip: dst, host, org, country };
  };
  return {
    current: counts(now),
    previous: counts(within(previous)),
    topServices: ranked(now, ({ dport, proto }) => `${proto} ${dport}`, service, limits.factsServices),
    topDestinations: ranked(now, ({ dst }) => dst, destination, limits.factsDestinations),
  };
}

test(`every comparison equals the model, packed or not: ${budget(40, 200, 'polls')}`, async () => {
  const dice = createDice(seed);
  const world = randomWorld(dice);
  const polls = randomPolls(dice, world, runs(40, 200), 150);
  const flows = flowsOf(polls.flat());
  await using log = openConnectionLog();
  await recordWorld(log, world, polls);
  await judgeWorld(log, world);
  using reader = openReader(log);
  let connections = 0;
  for (const packed of [null, monthStart + monthMs / 2]) {
    if (packed !== null) {
      await packHours(log.db, packed);
    }
    for (let round = 0; round < 40; round += 1) {
      const periods = randomPeriods(dice, flows);
      const router = dice.pick([...world.routers.keys()]);
      const scope = dice.chance(0.3) ? { sourceKind: 'router' as const, sourceId: router } : {};
      const compared = comparePeriods(reader, { ...periods, scope });
      const label = `seed ${seed}: ${JSON.stringify({ ...periods, scope, packed })}`;
      expect(compared, label).toEqual(modelOf(world, flows, periods, scope));
      connections += compared.current.connections;
    }
  }
  expect(connections).toBeGreaterThan(1000);
});

test('a flow whose only sighting lies where two periods meet is in the later one alone', async () => {
  await using log = openConnectionLog();
  const at = monthStart + 5 * hour;
  await log.record([{ at }]);
  using reader = openReader(log);
  const compared = (from: number) => {
    const periods = { current: { from, to: from + hour }, previous: { from: from - hour, to: from } };
    const { current, previous } = comparePeriods(reader, { ...periods, scope: {} });
    return [previous.connections, current.connections];
  };
  expect([compared(at), compared(at + 1), compared(at - hour), compared(at + 1 - hour)]).toEqual([
    [0, 1],
    [1, 0],
    [0, 0],
    [0, 1],
  ]);
});

// The summary while the log changes, against the naive model: recorded on, packed, judged again, pruned, read anew.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { pruneConnections } from '#hub/record/connections/upkeep/prune.ts';
import { rejudgeFlows } from '#hub/record/connections/upkeep/rejudge.ts';
import { type ConnectionLog, hour, noon, openConnectionLog, seen } from '../support/connection-log.ts';
import {
  type Asked,
  createOracle,
  type Flow,
  flowsOf,
  prunedFlows,
  verdictOf,
  type World,
} from '../support/connection-oracle.ts';
import { budget, runs } from '../support/property-runs.ts';
import {
  createDice,
  monthMs,
  monthStart,
  randomListings,
  randomPolls,
  randomSources,
  randomWorld,
} from '../support/random-log.ts';
import { recordWorld } from '../support/record-world.ts';

const seed = 20_260_402;
const day = 24 * hour;

/** Some windows of every kind, all groups, the counts of threats. */
async function compare(log: ConnectionLog, dice: ReturnType<typeof createDice>, flows: readonly Flow[], world: World) {
  const oracle = createOracle(flows, world);
  for (let query = 0; query < 12; query += 1) {
    const start = dice.pick([monthStart + dice.whole(monthMs), dice.pick(flows).firstSeen, dice.pick(flows).lastSeen]);
    const length = dice.pick([0, 60_000, hour - 1, 5 * hour + 17, day, 9 * day, monthMs]);
    const bounds = { from: String(start), to: String(start + length) };
    const scope: Asked = dice.chance(0.2)
      ? { sourceKind: 'router', sourceId: dice.pick([...world.routers.keys()]) }
      : {};
    const src = randomSources(dice, world);
    const window: Asked = dice.pick([{}, { from: bounds.from }, { to: bounds.to }, bounds, bounds, bounds]);
    const { org, host, country } = dice.pick([...world.destinations.values()]);
    const target: Asked = dice.chance(0.2) ? { target: org ?? host ?? dice.pick([...world.destinations.keys()]) } : {};
    const towards: Asked = dice.chance(0.2) && country !== null ? { country } : {};
    const asked = { ...window, ...scope, src, ...target, ...towards, buckets: String(1 + dice.whole(90)) };
    const label = `seed ${seed}: ${JSON.stringify(asked)}`;
    const answer = await log.ask('summary', asked);
    const { appGroups, serverTime, cached, from, to, buckets, judged, judgedWhy, coverage, ...groups } = answer;
    expect(groups, label).toEqual(oracle.summary(asked));
    const { serverTime: _, ...counted } = await log.ask('threatCounts', { ...window, ...scope });
    const counts = { safe: counted.safe, warn: counted.warn, danger: counted.danger };
    expect(counts, label).toEqual(oracle.counts({ ...window, ...scope }));
  }
}

test(`every summary equals the model at every step: ${budget(40, 120, 'polls')}`, async () => {
  const dice = createDice(seed);
  const world = randomWorld(dice);
  const polls = randomPolls(dice, world, runs(40, 120), 150);
  await using log = openConnectionLog();
  log.setNow(monthStart + monthMs);
  const listings = new Map(world.listings);
  const now = { ...world, listings };
  const judge = ({ dst, dport }: { dst: string; dport: number }) => verdictOf(now, dst, dport);
  const factProvider = { describe: () => null, describeSource: () => null, judge };
  let flows: Flow[] = [];
  for (let from = 0; from < polls.length; from += 30) {
    await recordWorld(log, world, polls.slice(from, from + 30), factProvider);
    flows = flowsOf(polls.slice(0, from + 30).flat());
    await compare(log, dice, flows, now);
    await packHours(log.db, monthStart + dice.whole(monthMs));
    await compare(log, dice, flows, now);
    const changed = randomListings(dice, world.destinations, 0.05);
    for (const dst of [...listings.keys()].filter(() => dice.chance(0.3))) {
      listings.delete(dst);
      changed.delete(dst);
      await rejudgeFlows(log.db, { judge, destinations: [dst] });
    }
    for (const [dst, listing] of changed) {
      listings.set(dst, listing);
    }
    await rejudgeFlows(log.db, { judge, destinations: changed.keys() });
    await compare(log, dice, flows, now);
  }
  const cut = monthStart + monthMs / 3;
  await pruneConnections(log.db, cut);
  await compare(log, dice, prunedFlows(flows, cut), now);
});

test('a late sighting counts in an hour that was packed before it came, packed again or not', async () => {
  await using log = openConnectionLog();
  const at = (hours: number) => ({ at: noon - hours * hour });
  await log.record([at(3)]);
  await log.record([at(0)]);
  let now = noon;
  const timeline = async () => {
    now += limits.summaryCacheMs;
    log.setNow(now);
    const asked = { from: String(noon - 4 * hour), to: String(noon + hour - 1), buckets: '5' };
    const { timeline, observations } = await log.ask('summary', asked);
    return { buckets: timeline.map(({ bucket }) => bucket), observations };
  };
  await packHours(log.db, noon + hour);
  expect(await timeline()).toEqual({ buckets: [1, 4], observations: 2 });
  await log.record([seen(at(2))], { routerId: 'agent-1', kind: 'agent', now: noon });
  expect(await timeline()).toEqual({ buckets: [1, 2, 4], observations: 3 });
  await packHours(log.db, noon + hour);
  expect(await timeline()).toEqual({ buckets: [1, 2, 4], observations: 3 });
});

test('a flow that the retention removed no longer begins the window', async () => {
  await using log = openConnectionLog();
  await log.record([{ at: noon - 48 * hour + 7, dport: 1 }]);
  await log.record([{ at: noon, dport: 2 }]);
  expect(await log.ask('summary')).toMatchObject({ total: 2, from: noon - 48 * hour + 7, to: noon });
  await pruneConnections(log.db, noon - 24 * hour);
  log.setNow(noon + limits.summaryCacheMs);
  expect(await log.ask('summary')).toMatchObject({ total: 1, from: noon, to: noon });
});

test('a reader that is far behind the changes reads everything again', async () => {
  await using log = openConnectionLog();
  await log.record([{}]);
  expect((await log.ask('summary')).total).toBe(1);
  await log.record([{ dport: 1 }, { dport: 2 }]);
  await log.db.write((writer) => writer.prepare('DELETE FROM flow_change').run());
  await log.record([{ dport: 3 }]);
  log.setNow(noon + hour);
  expect((await log.ask('summary')).total).toBe(4);
});

test('hundreds of observations in one hour are all counted, stored or not', async () => {
  await using log = openConnectionLog();
  for (let minute = 0; minute < 300; minute += 1) {
    await log.record([{ at: noon - 3 * hour + minute * 11_000 }]);
  }
  const asked = { from: String(noon - 4 * hour), to: String(noon + hour), buckets: '1' };
  expect((await log.ask('summary', asked)).observations).toBe(300);
  await log.record([{ at: noon, dport: 53 }]);
  await log.db.write((writer) => writer.prepare('DELETE FROM flow_change').run());
  log.setNow(noon + hour);
  expect((await log.ask('summary', asked)).observations).toBe(301);
  const cut = { ...asked, from: String(noon - 3 * hour + 7 * 11_000 + 1) };
  expect((await log.ask('summary', cut)).observations).toBe(301);
});

test('the id of a flow that has gone may be that of another flow', async () => {
  await using log = openConnectionLog();
  const ask = async (now: number) => {
    log.setNow(now);
    const { byEdge, byDst, total, timeline } = await log.ask('summary', { buckets: '1' });
    return { edges: byEdge.map(({ src, key }) => `${src} ${key}`), dst: byDst.map(({ dst }) => dst), total, timeline };
  };
  await log.record([{ at: noon - 50 * hour, dst: '203.0.113.1' }]);
  expect((await ask(noon)).dst).toEqual(['203.0.113.1']);
  await pruneConnections(log.db, noon - 10 * hour);
  await log.record([{ at: noon, src: '192.168.1.9', dst: '203.0.113.2' }]);
  expect(log.db.prepare('SELECT group_concat(id) AS ids FROM flow').get()).toEqual({ ids: '1' });
  expect(await ask(noon + hour)).toEqual({
    edges: ['192.168.1.9 203.0.113.2'],
    dst: ['203.0.113.2'],
    total: 1,
    timeline: [{ key: '203.0.113.2', bucket: 0, count: 1 }],
  });
});

// Long ranges: what ClickHouse is asked, when the log answers instead, and that its rows become the summary of the model.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createHistory, type HistoryOptions } from '#hub/record/connections/history/history.ts';
import { openClient } from '#hub/record/sink/client.ts';
import { startHistoryServer } from '../../../support/clickhouse-history.ts';
import { createOracle, flowsOf, type World } from '../../../support/connection-oracle.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createDice, monthMs, monthStart, randomPolls, randomWorld } from '../../../support/random-log.ts';

const hour = 3_600_000;
const day = 24 * hour;
const { signal } = new AbortController();
const seed = 20_261_128;

type Params = Parameters<ReturnType<typeof createHistory>['summary']>[0];

async function startScene(changes: Partial<HistoryOptions> = {}) {
  await using opened = new AsyncDisposableStack();
  const dice = createDice(seed);
  const world = randomWorld(dice);
  const flows = flowsOf(randomPolls(dice, world, 30, 60).flat());
  const server = opened.use(await startHistoryServer(flows, world));
  const clock = new ManualClock(monthStart + 400 * day);
  const { sink } = server;
  const warnings: unknown[][] = [];
  const log = { warn: (...line: unknown[]) => void warnings.push(line) };
  const calls = { opened: 0, closed: 0, fails: 0 };
  const open = async () => {
    calls.opened += 1;
    if (calls.opened <= calls.fails) {
      throw new Error('no socket');
    }
    const client = await openClient(sink, sink.reader as NonNullable<typeof sink.reader>);
    const close = () => {
      calls.closed += 1;
      return client.close();
    };
    return { exec: client.exec.bind(client), close };
  };
  const history = opened.use(
    createHistory({
      ...{ clock, log, retentionDays: () => 30, keptSince: () => clock.now() - 30 * day },
      ...{ logBegins: () => null, source: { hub: 'attic', open } },
      ...changes,
    }),
  );
  const ask = (filter: Params['filter'], more: Partial<Params> = {}) =>
    history.summary({ filter, src: [], target: undefined, country: undefined, buckets: 4, ...more }, signal);
  const held = opened.move();
  return {
    ...{ dice, world, flows, server, clock, warnings, calls, history, ask, edge: clock.now() - 30 * day },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** By the first label of the host, where the port is one of the web. */
const byLabel: Record<string, string> = { mail: 'mail', ntp2: 'time', video: 'streaming' };

function applicationsOf(flows: readonly { dst: string; dport: number; proto: string }[], world: World) {
  const named = flows.map(({ dst, dport, proto }) => {
    const label = world.destinations.get(dst)?.host?.split('.')[0] ?? '';
    const web = byLabel[label] ?? 'web';
    return proto === 'ICMP' ? 'ping' : dport === 53 ? 'dns' : dport === 44_300 ? 'other' : web;
  });
  return [...Map.groupBy(named, (app) => app)]
    .map(([app, { length: count }]) => ({ app, count }))
    .sort((a, b) => b.count - a.count || (a.app < b.app ? -1 : 1));
}

test('what ClickHouse answers becomes the summary and the counts of the model', async () => {
  await using scene = await startScene();
  const { dice, world, flows, history, server } = scene;
  const oracle = createOracle(flows, world);
  for (let round = 0; round < 5; round += 1) {
    const from = monthStart + dice.whole(monthMs / 2);
    const to = from + dice.pick([hour, 5 * day, monthMs]);
    const routerId = round % 2 === 0 ? undefined : dice.pick([...world.routers.keys()]);
    const scope = routerId === undefined ? {} : { sourceKind: 'router' as const, sourceId: routerId };
    const buckets = 1 + dice.whole(20);
    const [one, other] = [...world.sources.keys()];
    const src = [[], [], ['192.0.2.1'], [one], [one, other, '192.0.2.1', other]][round]?.map(String) ?? [];
    const asked = { from: String(from), to: String(to), buckets: String(buckets), ...scope, src };
    const summary = await scene.ask({ from, to, ...scope }, { buckets, src });
    const appGroups = applicationsOf(oracle.matching(asked), world);
    const label = `seed ${seed}, round ${round}`;
    expect(summary?.answer, label).toEqual({ ...oracle.summary(asked), appGroups, buckets, from, to });
    const counts = await history.threatCounts({ from, to, ...scope }, signal);
    expect(counts?.answer, label).toEqual(oracle.counts({ from: String(from), to: String(to), ...scope }));
    expect(server.questions.at(-1)).toMatchObject({ from: String(from), to: String(to), router: routerId ?? '' });
  }
});

test('of more places than are shown the largest are, with their share of all sessions', async () => {
  await using scene = await startScene();
  const count = limits.summaryLocations + 1;
  const place = (index: number) => ({
    lat: index / 10,
    lon: -index / 10,
    count: 1 + (index % 2),
    sources: 1,
    level: 0,
  });
  const texts = { org: '', country: '', city: '', firstSeen: 5, lastSeen: 9 };
  scene.server.places = Array.from({ length: count }, (_, index) => ({
    ...texts,
    ...place(index),
    ttl: index === 1 ? 0 : -1,
  }));
  const { answer } = (await scene.ask({ from: 0, to: 1 })) ?? {};
  const totalSessions = count + Math.floor(count / 2);
  expect(answer?.mapCoverage).toEqual({
    ...{ limit: limits.summaryLocations, totalGroups: count, shownGroups: count - 1, capped: true },
    ...{ totalSessions, shownSessions: totalSessions - 1 },
    percent: Math.round(((totalSessions - 1) / totalSessions) * 1000) / 10,
  });
  const { key, lat, lon, maxTtl, firstSeen, lastSeen, srcCount } = answer?.byLocation[0] ?? {};
  expect({ key, lat, lon, maxTtl, firstSeen, lastSeen, srcCount }).toEqual({
    ...{ key: '|||0.1|-0.1', lat: 0.1, lon: -0.1, maxTtl: 0, firstSeen: 5, lastSeen: 9, srcCount: 1 },
  });
  scene.server.places = scene.server.places.slice(0, -1);
  expect((await scene.ask({ from: 0, to: 1 }))?.answer?.mapCoverage).toMatchObject({ capped: false, percent: 100 });
});

test('the hub is asked for what it keeps, ClickHouse for what begins a millisecond before', async () => {
  await using scene = await startScene();
  const { edge, server, clock } = scene;
  for (const from of [undefined, edge, edge + 1, clock.now()]) {
    expect(await scene.ask({ from })).toBeNull();
  }
  expect([server.questions, scene.calls.opened]).toEqual([[], 0]);
  server.held = { rows: 1, oldest: 1_600_000_000, newest: 1_600_003_600 };
  const more = { src: ['FD00:0:0::1', '192.0.2.1'], target: "O'Hare", country: 'NL', buckets: 7 };
  const found = await scene.ask({ from: edge - 1, sourceKind: 'router', sourceId: 'r1' }, more);
  const until = 1_600_007_200_000;
  const message =
    'Answered from ClickHouse, which holds hours from 2020-09-13T12:26Z to 2020-09-13T14:26Z: what came before or later is not in these totals.';
  expect(found?.longRange).toEqual({ answeredBy: 'clickhouse', until, message });
  expect(found?.answer).toMatchObject({ from: edge - 1, to: clock.now(), buckets: 7, total: 0, timeline: [] });
  const asked = { hub: 'attic', from: String(edge - 1), to: String(clock.now()), buckets: '7', router: 'r1' };
  for (const question of server.questions) {
    expect(question).toMatchObject({
      ...asked,
      src: "['fd00::1','192.0.2.1']",
      country: 'NL',
      max_execution_time: '20',
    });
    expect(question).toMatchObject({ max_result_rows: '100000', result_overflow_mode: 'throw' });
  }
  await scene.ask({ from: 5, to: 5 }, { src: ["no address\\'"] });
  expect(server.questions.at(-1)).toMatchObject({
    from: '5',
    to: '5',
    src: "['no address\\\\\\'']",
    target: '',
    router: '',
  });
  expect(scene.calls).toMatchObject({ opened: 1, closed: 0 });
  await scene.history[Symbol.asyncDispose]();
  expect(scene.calls.closed).toBe(1);
});

const kept = 'the hub keeps connections for 30 days: older ones are not in these totals';

test('a filter that ClickHouse cannot answer alike is the log’s', async () => {
  await using scene = await startScene();
  for (const filter of [
    { from: 1, fDst: ['203'] },
    { from: 1, to: 0 },
    { from: 1, sourceKind: 'agent' as const, sourceId: 'a' },
  ]) {
    const longRange = {
      answeredBy: 'log',
      until: null,
      message: `${kept}, and ClickHouse is not asked with this filter.`,
    };
    expect(await scene.ask(filter)).toEqual({ answer: null, longRange });
  }
  expect(scene.server.questions).toEqual([]);
  await using alone = await startScene({ source: null });
  expect((await alone.ask({ from: 1 }))?.longRange.message).toBe(`${kept}.`);
});

test('a window before what the limit of size has left is a long range too', async () => {
  const since = monthStart + 397 * day;
  await using scene = await startScene({ source: null, keptSince: () => since });
  expect(await scene.ask({ from: since })).toBeNull();
  expect((await scene.ask({ from: since - 1 }))?.longRange.message).toBe(
    `the hub keeps connections from ${new Date(since).toISOString().slice(0, 16)}Z on, by its limit of size: older ones are not in these totals.`,
  );
});

test('ClickHouse answers from the first hour on that the log has, and not when it holds less', async () => {
  const begins = { at: null as number | null };
  await using scene = await startScene({ logBegins: () => begins.at });
  scene.server.held = { rows: 1, oldest: 1_600_000_000, newest: 1_600_000_000 };
  for (const [at, by] of [
    [null, 'clickhouse'],
    [1_600_000_000_000, 'clickhouse'],
    [1_599_999_999_999, 'log'],
  ] as const) {
    begins.at = at;
    expect([at, (await scene.ask({ from: 1 }))?.longRange.answeredBy]).toEqual([at, by]);
  }
  const less = /^ClickHouse holds hours of this hub from 2020-09-13T12:26Z on, less than the log of the hub/;
  expect((await scene.ask({ from: 1 }))?.longRange.message).toMatch(less);
  scene.server.held = { rows: 0, oldest: 0, newest: 0 };
  begins.at = null;
  const message = `ClickHouse holds no hour of this hub, less than the log of the hub, which answers: ${kept}.`;
  expect(await scene.ask({ from: 1 })).toEqual({
    answer: null,
    longRange: { answeredBy: 'log', until: null, message },
  });
  expect(scene.warnings).toEqual([]);
});

test('a failure is told by 200 letters of its first line at most, the log answers, and the next range is asked again', async () => {
  await using scene = await startScene();
  scene.calls.fails = 1;
  const message = async () => (await scene.ask({ from: 1 }))?.longRange.message;
  expect(await message()).toBe(`ClickHouse did not answer (no socket), and ${kept}.`);
  const refuse = (text: string) => {
    scene.server.refusal = { status: 500, text: `Code: 241. DB::Exception: ${text}. (MEMORY_LIMIT_EXCEEDED)` };
  };
  refuse(`${'x'.repeat(150)}\n${'more\n'.repeat(50)}`);
  expect(await message()).toMatch(/^ClickHouse did not answer \(x{150}\), and the hub keeps/);
  refuse('x'.repeat(300));
  expect(await message()).toMatch(/^ClickHouse did not answer \(x{200}\), and the hub keeps/);
  scene.server.refusal = { status: 200, text: '' };
  expect(await message()).toContain('the answer has no row: does ClickHouse stand at this address?');
  const warning = 'a long range was not answered by ClickHouse: the log of the hub answers';
  expect(scene.warnings).toEqual(Array(4).fill([{ err: expect.any(Error) }, warning]));
  scene.server.refusal = null;
  expect((await scene.ask({ from: 1 }))?.longRange.answeredBy).toBe('clickhouse');
  expect(scene.calls.opened).toBe(2);
});

test('a caller who leaves gets his reason, and an answer that is late is told', async () => {
  const held = Promise.withResolvers<never>();
  await using scene = await startScene({ source: { hub: 'attic', open: () => held.promise } });
  const late = scene.ask({ from: 1 });
  await scene.clock.advance(limits.historyMs);
  const why = `no answer within ${limits.historyMs / 1000} s`;
  expect((await late)?.longRange.message).toBe(`ClickHouse did not answer (${why}), and ${kept}.`);
  const leaving = new AbortController();
  const left = scene.history.threatCounts({ from: 1 }, leaving.signal);
  leaving.abort(new Error('the client went away'));
  held.reject(new Error('no socket'));
  await expect(left).rejects.toThrow('the client went away');
  expect(scene.warnings).toHaveLength(1);
});

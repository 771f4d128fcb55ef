// What GET /api/coverage says of the connections that reads cannot see: without times in the table, with the events of Agents,
// while too little was counted, after tables that broke off, and whether a suggested interval does what it promises.
import { expect, test } from 'vitest';
import { isoTime } from '#kernel/time/clock.ts';
import { batchOf, enrolAgent, observation } from '../../../support/agents.ts';
import { type Lab, startLab } from '../../../support/lab.ts';

const betweenReads =
  'connections that begin and end between two reads, unless the router still lists them at the next read';
const plain = { kind: 'vendor_b', profile: 'ios12-legacy', hosts: 0 } as const;
const src = '192.168.100.23';

async function answerOf(lab: Lab<'a'>) {
  const { subjects } = await lab.as.admin.coverage.coverage({ query: {} });
  const found = subjects.find(({ id }) => id === lab.routers.a.id);
  if (!found?.unseen) {
    throw new Error('nothing is said of the router');
  }
  return { ...found.unseen, cannotSee: found.cannotSee };
}

const startPlain = (pollIntervalMs: number) =>
  startLab({ routers: { a: plain }, records: { a: { legacyAlgorithms: true } }, hub: { pollIntervalMs } });

/** A closed TCP connection of two seconds: its entry stays 62. */
const short = (number: number) => ({
  ...{ src, sport: 20_000 + number, dst: `203.0.113.${1 + (number % 200)}`, dport: 443 },
  ...({ proto: 'tcp', lastsMs: 2000, everyMs: 500, ends: 'fin' } as const),
});

test('a table without times misses nothing up to 60 s, if timers are as delivered; beyond, nobody knows', async () => {
  await using often = await startPlain(60_000);
  expect(await answerOf(often)).toMatchObject({
    share: null,
    by: null,
    message: expect.stringContaining('was read to'),
  });
  often.routers.a.flow(short(0));
  await often.advance(60_000);
  expect(await answerOf(often)).toMatchObject({
    ...{ share: 0, by: 'delivered_timers', intervalMs: 60_000, countedMs: 60_000, seen: 1, estimated: 1 },
    ...{ suggestion: null, cannotSee: [`${betweenReads}: about 0.00 %`] },
    message: expect.stringMatching(
      /^no connection is missed .* if the timers .* as delivered.*show ip nat translations verbose/,
    ),
  });
  await using seldom = await startPlain(120_000);
  seldom.routers.a.flow({ src, dst: '203.0.113.1', dport: 443 });
  await seldom.advance(120_000);
  expect(await answerOf(seldom)).toMatchObject({
    ...{ share: null, by: null, estimated: null, services: [], cannotSee: [betweenReads] },
    message: expect.stringMatching(/not known: .* 0 of the 50 events .*verbose.*POLL_INTERVAL_MS=60000/),
    suggestion: { intervalMs: 60_000, share: 0, message: expect.stringContaining('POLL_INTERVAL_MS=60000') },
  });
});

test('events of an Agent behind it say what a table without times misses', async () => {
  const everyMs = 120_000;
  await using lab = await startPlain(everyMs);
  const router = lab.routers.a;
  const { client } = await enrolAgent(lab);
  const deliver = async (observations: ReturnType<typeof observation>[]) => {
    await client.agents.ingest({ body: batchOf(lab.clock.now(), observations) });
    await lab.settled();
  };
  await deliver([observation(lab.clock.now(), { remoteAddress: '203.0.113.250' })]);
  router.flow({ src, sport: 19_999, dst: '203.0.113.251', dport: 443 });
  await lab.advance(everyMs);
  let [all, missed] = [0, 0];
  for (let read = 0; read < 10; read += 1) {
    const events: ReturnType<typeof observation>[] = [];
    for (let number = 0; number < 10; number += 1) {
      await lab.advance(11_000);
      const flow = short(all);
      router.flow(flow);
      events.push(event(lab.clock.now(), flow));
      // The next read comes so much later; an entry stays 62 s.
      missed += everyMs - (number + 1) * 12_000 + 1000 >= 62_000 ? 1 : 0;
      all += 1;
      await lab.advance(1000);
    }
    // Neither a local connection nor IPv6 is in such a table.
    const at = lab.clock.now() - 1000;
    await deliver([
      ...events,
      event(at, { sport: 1, dst: '192.168.100.7', dport: 443 }),
      event(at, { sport: 2, dst: '2001:db8::1', dport: 443 }),
      sampled(at),
    ]);
  }
  const { share, by, seen, estimated, services, message, suggestion } = await answerOf(lab);
  expect({ share, by, seen, estimated }).toEqual({
    share: missed / all,
    by: 'agent_events',
    seen: all - missed,
    estimated: all,
  });
  expect(services).toEqual([{ proto: 'TCP', dport: 443, seen: all - missed, estimated: all, share: missed / all }]);
  expect(message).toMatch(/^about \d\d\.\d % of the connections .* by 100 events of Agents/);
  expect(suggestion).toMatchObject({ intervalMs: 60_000, share: 0 });
});

/** What the Agent read from a socket table; its connections may be shorter. */
function sampled(at: number) {
  const [collector, confidence] = ['socket-table', 'sampled'] as const;
  return { ...event(at, { sport: 3, dst: '203.0.113.9', dport: 443 }), collector, confidence } as never;
}

function event(at: number, { sport, dst, dport }: { sport: number; dst: string; dport: number }) {
  const times = { firstObservedAt: isoTime(at), lastObservedAt: isoTime(at) };
  return observation(at, { localPort: sport, remoteAddress: dst, remotePort: dport, ...times });
}

const world = { kind: 'vendor_b', profile: 'c841m-ios155', hosts: 12, traffic: true, seed: 11 } as const;

test('nothing is said before ten reads, nor right after a start of the hub; tables that broke off are not counted', async () => {
  const everyMs = 120_000;
  await using lab = await startLab({ routers: { a: world }, hub: { pollIntervalMs: everyMs } });
  const router = lab.routers.a;
  const polls = async (times: number) => {
    for (let read = 0; read < times; read += 1) {
      await lab.advance(everyMs);
    }
    return answerOf(lab);
  };
  expect(await polls(9)).toMatchObject({
    share: null,
    by: null,
    message: expect.stringMatching(/so far there are 9 and \d+/),
  });
  const first = await polls(1);
  expect(first).toMatchObject({ by: 'entry_life', countedMs: 10 * everyMs, intervalMs: everyMs });
  expect(first.share).toBeGreaterThan(0.05);
  expect(first.estimated).toBeGreaterThan(first.seen);
  expect(first.cannotSee).toEqual([
    expect.stringMatching(/^connections that begin .* at the next read: about \d+\.\d+ %$/),
  ]);
  router.fail('garbage');
  const cut = await polls(3);
  router.clearFaults();
  expect(cut).toEqual(first);
  // The first whole table after these has none to begin from.
  const again = await polls(1);
  expect([again.seen, again.estimated, again.countedMs]).toEqual([first.seen, first.estimated, first.countedMs]);
  expect((await polls(1)).countedMs).toBe(11 * everyMs);
  await lab.restart();
  await lab.settled();
  expect(await answerOf(lab)).toMatchObject({
    share: null,
    countedMs: 0,
    message: expect.stringContaining('there are 0 and 0'),
  });
});

test('with the suggested interval no more is missed than was promised', async () => {
  const observed = async (pollIntervalMs: number, reads: number) => {
    const options = { ...world, profile: 'isr-xe17', hosts: 24 };
    await using lab = await startLab({ routers: { a: options }, hub: { pollIntervalMs } });
    for (let read = 0; read < reads; read += 1) {
      await lab.advance(pollIntervalMs);
    }
    return await answerOf(lab);
  };
  const before = await observed(300_000, 12);
  const { suggestion } = before;
  expect(before.share).toBeGreaterThan(0.3);
  expect(suggestion).toMatchObject({
    message: expect.stringMatching(/^set POLL_INTERVAL_MS=\d+ and start the hub again/),
  });
  const after = await observed(suggestion?.intervalMs ?? 0, 60);
  expect(after.share).toBeLessThanOrEqual((suggestion?.share ?? 0) + 0.01);
  expect(after.suggestion).toBeNull();
});

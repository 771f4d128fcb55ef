// The pipeline: a batch that is stored in the last moment of a run is recorded without another one, and a failure of one
// Agent is its own.
import path from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { createIngest } from '#hub/collect/agents/ingest.ts';
import { startPipeline } from '#hub/collect/agents/pipeline.ts';
import { createSessionLog } from '#hub/collect/agents/session-log.ts';
import { createChangedConnections } from '#hub/record/connections/query/changed.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import type { RecordBatch } from '#hub/record/connections/record/recorder.ts';
import { createLog } from '#kernel/process/log.ts';
import { insertAgents, storedAgent } from '../../../support/agent-registry.ts';
import { parsedBatch } from '../../../support/agents.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { keepAll } from '../../../support/no-marks.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

async function openStore(opened: AsyncDisposableStack, agents: readonly number[]) {
  const folder = opened.use(temporaryFolder());
  const db = opened.adopt(openDatabase(path.join(folder.path, 'monitor.db')), (open) => open.close());
  const clock = new ManualClock();
  await insertAgents(db, ...agents);
  const ingest = createIngest({ db, clock, marks: keepAll, tellUnkept: async () => {} });
  const record: RecordBatch = (batch) => recordObservations(db, batch);
  return {
    clock,
    options: {
      ...{ db, clock, log: createLog('hub', 'silent'), sessionLog: createSessionLog(db), record },
      devices: { record: async () => undefined },
      announcer: { collect: () => createChangedConnections(10), publish: async () => undefined },
    },
    deliver(agent: number, last: number) {
      return ingest.store(storedAgent(agent), parsedBatch(clock.now(), [{ remoteAddress: `203.0.113.${last}` }]));
    },
    ...{ db, ingest },
    flows: () => db.prepare('SELECT COUNT(*) FROM flow').pluck().get(),
  };
}

test('what is stored while the changes of a run are published is recorded too', async () => {
  await using opened = new AsyncDisposableStack();
  const { options, deliver, flows } = await openStore(opened, [1]);
  let published = 0;
  const publish = async () => {
    published += 1;
    if (published <= 3) {
      await deliver(1, published);
      pipeline.wake();
    }
  };
  const pipeline = opened.use(startPipeline({ ...options, announcer: { ...options.announcer, publish } }));
  await pipeline.settled();
  expect([published, flows()]).toEqual([4, 3]);
});

test('while there is more to record, changes are published when more than two seconds have passed', async () => {
  await using opened = new AsyncDisposableStack();
  const { options, deliver, clock } = await openStore(opened, [1]);
  for (let last = 1; last <= 30; last += 1) {
    await deliver(1, last);
  }
  // Each step records six batches.
  const lasts = [2000, 1, 2001, 0, 0];
  const record: RecordBatch = async (batch) => {
    clock.skip(lasts.shift() ?? 0);
    return options.record(batch);
  };
  const left: number[] = [];
  const publish = async () => void left.push(lasts.length);
  const pipeline = opened.use(startPipeline({ ...options, record, announcer: { ...options.announcer, publish } }));
  await pipeline.settled();
  expect(left).toEqual([3, 2, 0]);
});

test('an Agent whose batches cannot be recorded holds up no other one, and is tried again after five minutes', async () => {
  await using opened = new AsyncDisposableStack();
  const { options, deliver, flows, clock } = await openStore(opened, [1, 2]);
  const starts: unknown[] = [];
  const record: RecordBatch = async (batch) => {
    if (batch.routerId === 'agent-1') {
      starts.push(...[...batch.observations].map(({ newSession }) => newSession));
      if (starts.length === 1) {
        throw new Error('a fault');
      }
    }
    return options.record(batch);
  };
  await deliver(1, 1);
  await deliver(2, 2);
  const pipeline = opened.use(startPipeline({ ...options, record }));
  await pipeline.settled();
  expect([starts, flows()]).toEqual([['exact'], 1]);
  await deliver(2, 3);
  pipeline.wake();
  await pipeline.settled();
  expect([starts, flows()]).toEqual([['exact'], 2]);
  await clock.advance(limits.agentReconcileEveryMs);
  await pipeline.settled();
  // What could not be recorded has not begun: it is a start the second time too.
  expect([starts, flows()]).toEqual([['exact', 'exact'], 3]);
});

test('what each Agent delivered is recorded once and in its order, six batches at a time, and its parts are no starts', async () => {
  await using opened = new AsyncDisposableStack();
  const { options, clock, db, ingest, flows } = await openStore(opened, [1, 2]);
  const recorded: Record<string, number[][]> = { 'agent-1': [], 'agent-2': [] };
  const starts: unknown[] = [];
  const sighted: unknown[] = [];
  const news: unknown[] = [];
  const record: RecordBatch = (batch) => {
    const all = [...batch.observations];
    all.forEach((one) => void batch.changed?.note(one));
    recorded[batch.routerId]?.push(all.map(({ dport }) => dport));
    starts.push(...all.map(({ newSession, sport, times, agent }) => ({ newSession, sport, times, agent })));
    expect(batch).toMatchObject({ kind: 'agent', name: 'desk', now: clock.now() });
    return options.record(batch);
  };
  const devices = { record: async (seen: unknown) => void sighted.push(seen) };
  const announcer = {
    ...options.announcer,
    publish: async (changed: { count(): number }) => void news.push(changed.count()),
  };
  const at = clock.now();
  const deliver = (agent: number, ...rows: Record<string, unknown>[]) =>
    ingest.store(storedAgent(agent), parsedBatch(at, rows));
  for (let port = 1; port <= 13; port += 1) {
    await deliver(1, { remotePort: port }, { remotePort: 100 + port });
  }
  await deliver(2, { remotePort: 1, localAddress: '127.0.0.1' });
  const pipeline = opened.use(startPipeline({ ...options, record, devices, announcer }));
  await pipeline.settled();
  const both = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => [from + n, 100 + from + n]).flat();
  expect(recorded).toEqual({ 'agent-1': [both(1, 6), both(7, 12), both(13, 13)], 'agent-2': [[1]] });
  expect([flows(), news]).toEqual([27, [27]]);
  expect(starts.every((one) => (one as { newSession: unknown }).newSession === 'exact')).toBe(true);
  const sighting = {
    address: '192.168.100.23',
    mac: null,
    heardAt: at,
    sources: ['agent'],
    observerId: 'agent-1',
    agentId: 'agent-1',
  };
  // Loopback says nothing of a device.
  expect(sighted).toEqual(Array(3).fill({ observerId: 'agent-1', sightings: [sighting] }));
  const address = () => db.prepare('SELECT * FROM agent_address').all();
  expect(address()).toEqual([{ address: '192.168.100.23', agent: 1, first_at: at, last_at: at }]);
  starts.length = 0;
  const [early, late] = [at - 60_000, at + 60_000].map((ms) => new Date(ms).toISOString());
  await deliver(
    1,
    { remotePort: 1, bytesIn: null },
    { remotePort: 50, confidence: 'sampled', localPort: 0 },
    { remotePort: 50, confidence: 'sampled', localPort: 0 },
  );
  await deliver(1, { remotePort: 51, firstObservedAt: early, lastObservedAt: late });
  pipeline.wake();
  await pipeline.settled();
  const first = at - 4000;
  const told = { host: 'desk', process: 'backupd', pid: 812, bytesIn: 1200n, bytesOut: 90_000n };
  const times = (by: string, from: number | null, begun: number, end: number) => ({
    first: { from, to: begun, by },
    last: { from, to: end, by },
  });
  const polled = { sport: null, times: times('agent_poll', null, first, at), agent: told };
  expect(starts).toEqual([
    {
      newSession: undefined,
      sport: 50_211,
      times: times('agent_event', first, first, at),
      agent: { ...told, bytesIn: null },
    },
    { newSession: 'poll', ...polled },
    { newSession: undefined, ...polled },
    {
      newSession: 'exact',
      sport: 50_211,
      times: times('agent_event', at - 60_000, at - 60_000, at + 60_000),
      agent: told,
    },
  ]);
  // No device was heard in the future.
  expect(sighted.at(-1)).toEqual({ observerId: 'agent-1', sightings: [sighting] });
  expect(address()).toMatchObject([{ first_at: at, last_at: at + 60_000 }]);
});

test('what cannot be published is logged, and a stop leaves the rest to the next start', async () => {
  await using opened = new AsyncDisposableStack();
  const { options, deliver, flows } = await openStore(opened, [1, 2]);
  const { log, lines } = collectLog('error');
  await deliver(1, 1);
  const publish = async () => {
    throw new Error('nobody listens');
  };
  const failing = startPipeline({ ...options, log, announcer: { ...options.announcer, publish } });
  await failing.settled();
  expect([lines.map(({ msg }) => msg), flows()]).toEqual([
    [expect.stringMatching(/^what Agents delivered cannot be read, or published/)],
    1,
  ]);
  await failing[Symbol.asyncDispose]();
  for (let last = 2; last <= 9; last += 1) {
    await deliver(1, last);
  }
  let ended: PromiseLike<void> | undefined;
  const record: RecordBatch = async (batch) => {
    ended ??= stopping[Symbol.asyncDispose]();
    return options.record(batch);
  };
  const stopping = startPipeline({ ...options, record });
  await stopping.settled();
  await ended;
  expect(flows()).toBe(7);
  const next = opened.use(startPipeline(options));
  await next.settled();
  expect(flows()).toBe(9);
});

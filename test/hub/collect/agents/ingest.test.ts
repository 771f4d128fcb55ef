// What Agents deliver against a model of it: what is stored, what is a duplicate or a replay, and what is refused for itself.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AgentBatch, agentBatch } from '#contract/agent-ingest.ts';
import { limits } from '#contract/limits.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { createIngest, type StoredBatch } from '#hub/collect/agents/ingest.ts';
import { startAgentRetention } from '#hub/collect/agents/retention.ts';
import { createLog } from '#kernel/process/log.ts';
import { hourMs } from '#kernel/time/time.ts';
import { insertAgents, storedAgent } from '../../../support/agent-registry.ts';
import { agentFacts, batchOf, observation, parsedBatch } from '../../../support/agents.ts';
import { countSteps } from '../../../support/counted-steps.ts';
import { holdWrites } from '../../../support/held-writes.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { keepAll } from '../../../support/no-marks.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

async function openStore() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const db = opened.adopt(openDatabase(path.join(folder.path, 'monitor.db')), (open) => open.close());
  const clock = new ManualClock();
  await insertAgents(db, 1, 2);
  const whole = opened.move();
  return {
    ...{ db, clock, ingest: createIngest({ db, clock, marks: keepAll, tellUnkept: async () => {} }) },
    count: (table: string) => Number(db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get()),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

const ids = Array.from({ length: 6 }, () => randomUUID());
const batchIds = Array.from({ length: 4 }, () => randomUUID());
const delivery = fc.record({
  agent: fc.constantFrom(1, 2),
  batchId: fc.constantFrom(...batchIds),
  observations: fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 4 }),
  /** Before the others have ended, so that it shares their transaction. */
  atOnce: fc.boolean(),
  fault: fc.constantFrom(null, null, null, null, 'too old', 'too new', 'a later end'),
});

test('each batch is stored once with what is new in it, and one that is refused changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(delivery, { minLength: 1, maxLength: 14 }), async (deliveries) => {
      await using store = await openStore();
      const { clock, ingest } = store;
      const seen = new Set<string>();
      const batches = new Map<string, StoredBatch & { content: string }>();
      const model = (agent: number, { batchId, observations }: AgentBatch): Partial<StoredBatch> | null => {
        const key = `${agent} ${batchId}`;
        const content = JSON.stringify(observations);
        const known = batches.get(key);
        if (known) {
          const { accepted, duplicate, receivedAt } = known;
          return { accepted, duplicate, receivedAt, replayed: true, differs: known.content !== content };
        }
        const isOut = observations.some(
          ({ firstObservedAt, lastObservedAt }) =>
            lastObservedAt < clock.now() - limits.agentPastMs ||
            Math.max(firstObservedAt, lastObservedAt) > clock.now() + limits.agentFutureMs,
        );
        if (isOut) {
          return null;
        }
        const fresh = observations.filter(({ observationId }) => !seen.has(`${agent} ${observationId}`));
        fresh.forEach(({ observationId }) => void seen.add(`${agent} ${observationId}`));
        const counts = { accepted: fresh.length, duplicate: observations.length - fresh.length };
        const stored = { ...counts, receivedAt: clock.now(), replayed: false, differs: false };
        batches.set(key, { ...stored, content });
        return stored;
      };
      const waiting: Promise<unknown>[] = [];
      for (const { agent, batchId, observations, atOnce, fault } of deliveries) {
        if (!atOnce) {
          await Promise.all(waiting.splice(0));
          clock.jump(clock.now() + 1000);
        }
        const at = {
          'too old': clock.now() - limits.agentPastMs - 1,
          'too new': clock.now() + limits.agentFutureMs + 1,
          'a later end': clock.now() + limits.agentFutureMs,
          none: clock.now() - limits.agentPastMs,
        }[fault ?? 'none'];
        const rows = observations.map((observationId) => observation(at, { observationId }));
        const batch = agentBatch.parse(batchOf(clock.now(), rows, { batchId }));
        const wanted = model(agent, batch);
        const outcome = ingest.store(storedAgent(agent), batch).catch((error: unknown) => error);
        waiting.push(
          outcome.then((stored) =>
            wanted === null
              ? expect(stored).toMatchObject({
                  code: 'observation_window',
                  message: expect.stringContaining('outside the last 7 days and the next 24 hours'),
                  details: {
                    rejected: rows.map((_, index) => ({
                      index,
                      reason: fault === 'too old' ? 'outside_retention' : 'future_timestamp',
                    })),
                  },
                })
              : expect(stored).toEqual(wanted),
          ),
        );
      }
      await Promise.all(waiting);
      expect([store.count('agent_batch'), store.count('agent_observation')]).toEqual([batches.size, seen.size]);
      const counted = store.db.prepare('SELECT SUM(accepted), SUM(duplicate) FROM agent_batch').raw().get();
      const all = [...batches.values()];
      const sum = (of: 'accepted' | 'duplicate') =>
        all.reduce((total, one) => total + one[of], 0) || (all.length ? 0 : null);
      expect(counted).toEqual([sum('accepted'), sum('duplicate')]);
    }),
    { numRuns: 12, seed: 5 },
  );
});

test('an Agent that was revoked meanwhile is told so; those that wait with it are stored', async () => {
  await using store = await openStore();
  const { clock, ingest, db } = store;
  await db.write((writer) => writer.prepare('UPDATE agent SET revoked_at = 1 WHERE id = 1').run());
  const outcomes = await Promise.allSettled(
    [2, 1, 2].map((agent) => ingest.store(storedAgent(agent), parsedBatch(clock.now(), [{}]))),
  );
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { reason: { code: 'unauthorized' } },
    { status: 'fulfilled' },
  ]);
  expect(store.count('agent_batch')).toBe(2);
});

test('what the database refuses fails all that wait for it, and what comes after it is stored', async () => {
  await using store = await openStore();
  const { clock, ingest, db } = store;
  await db.write((writer) =>
    writer.prepare("CREATE TRIGGER t AFTER INSERT ON agent_observation BEGIN SELECT RAISE(ABORT, 'no'); END").run(),
  );
  const outcomes = await Promise.allSettled(
    [1, 2].map((agent) => ingest.store(storedAgent(agent), parsedBatch(clock.now(), [{}]))),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(store.count('agent_batch')).toBe(0);
  await db.write((writer) => writer.prepare('DROP TRIGGER t').run());
  expect(await ingest.store(storedAgent(1), parsedBatch(clock.now(), [{}]))).toMatchObject({
    accepted: 1,
    replayed: false,
  });
});

test('what waits shares one transaction, and the clock of the Agent and its facts are noted with it', async () => {
  await using store = await openStore();
  const { clock, db } = store;
  const counted = countSteps(db);
  const ingest = createIngest({ db: counted, clock, marks: keepAll, tellUnkept: async () => {} });
  const release = holdWrites(db);
  const all = [1, 2, 3, 4].map(() => ingest.store(storedAgent(1), parsedBatch(clock.now(), [{}, {}])));
  await release();
  expect((await Promise.all(all)).map(({ accepted }) => accepted)).toEqual([2, 2, 2, 2]);
  // The first delivery has begun before the others come.
  expect(counted.writes).toEqual([0, 0]);
  const noted = () => db.prepare('SELECT skew_ms, updated_at, os_version FROM agent WHERE id = 1').raw().get();
  expect(noted()).toEqual([0, 0, '6.12']);
  const at = clock.now();
  const renewed = batchOf(at + 5000, [observation(at)], { agent: { ...agentFacts, osVersion: '6.13' } });
  await ingest.store(storedAgent(1), agentBatch.parse(renewed));
  expect(noted()).toEqual([5000, at, '6.13']);
  await ingest.store(storedAgent(1), parsedBatch(at, Array(149).fill({})));
  await ingest.store(storedAgent(1), parsedBatch(at, Array(150).fill({})));
  // A write gives way after every fiftieth observation.
  expect(counted.writes.slice(-2)).toEqual([2, 3]);
});

test('after seven days what is recorded goes, in batches of its own; what is not recorded, and what a retry needs, stays', async () => {
  await using store = await openStore();
  const { clock, ingest, db } = store;
  const start = clock.now();
  const old = (ms: number) => ({
    firstObservedAt: new Date(start - ms).toISOString(),
    lastObservedAt: new Date(start - ms).toISOString(),
  });
  // By age and by what holds them: gone, half gone, not recorded, young.
  await ingest.store(storedAgent(1), parsedBatch(start, [old(hourMs), old(hourMs)]));
  await ingest.store(
    storedAgent(1),
    parsedBatch(start, [old(hourMs), { lastObservedAt: new Date(start + 2 * hourMs).toISOString() }]),
  );
  await ingest.store(storedAgent(2), parsedBatch(start, [old(hourMs)]));
  clock.jump(start + 90_000);
  await ingest.store(storedAgent(1), parsedBatch(clock.now(), [{}]));
  await db.write((writer) => {
    writer.prepare('UPDATE agent SET recorded_batch = 99 WHERE id = 1').run();
    writer.prepare("INSERT INTO observer (router_id, kind) VALUES ('r', 'vendor_a')").run();
    const session = writer.prepare(`INSERT INTO router_session VALUES (1, '192.168.1.2', ?, 'd', 1, 'TCP', 0, ?)`);
    const address = writer.prepare('INSERT INTO agent_address VALUES (?, 1, 0, ?)');
    const due = start + 60_000;
    for (let port = 0; port < 1200; port += 1) {
      session.run(port, due - 1);
    }
    session.run(1200, due);
    address.run('192.168.1.2', due - 1);
    address.run('192.168.1.3', due);
  });
  clock.jump(start + limits.agentRetentionMs);
  await using _retention = startAgentRetention({ db, clock, log: createLog('agents', 'silent') });
  await clock.advance(limits.retentionFirstMs);
  await db.settled();
  const left = db.prepare('SELECT batch, place FROM agent_observation ORDER BY batch, place').raw().all();
  expect(left).toEqual([
    [2, 1],
    [3, 0],
    [4, 0],
  ]);
  expect(db.prepare('SELECT id FROM agent_batch ORDER BY id').pluck().all()).toEqual([2, 3, 4]);
  expect(db.prepare('SELECT sport FROM router_session').pluck().all()).toEqual([1200]);
  expect(db.prepare('SELECT address FROM agent_address').pluck().all()).toEqual(['192.168.1.3']);
});

// The pipeline: a batch that is stored in the last moment of a run is recorded without another one, and a failure of one
// Agent is its own.
import path from 'node:path';
import { expect, test } from 'vitest';
import { agentBatch } from '#contract/agent-ingest.ts';
import { limits } from '#contract/limits.ts';
import { createIngest } from '#hub/agents/ingest.ts';
import { startPipeline } from '#hub/agents/pipeline.ts';
import { createSessionLog } from '#hub/agents/session-log.ts';
import { createChangedConnections } from '#hub/connections/query/changed.ts';
import { recordObservations } from '#hub/connections/record/record.ts';
import type { RecordBatch } from '#hub/connections/record/recorder.ts';
import { createLog } from '#kernel/log.ts';
import { Db, migrate } from '#kernel/sqlite.ts';
import { agentFacts, batchOf, observation } from '../../support/agents.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const agentOf = (id: number) => ({
  ...{ id, agentId: `agent-${id}`, ...agentFacts },
  ...{ createdAt: 0, updatedAt: 0, lastSeenAt: null, revokedAt: null },
});

async function openStore(opened: AsyncDisposableStack, agents: readonly number[]) {
  const folder = opened.use(temporaryFolder());
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, path.join(import.meta.dirname, '../../../src/hub/migrations'));
  const db = opened.adopt(new Db(file), (open) => open.close());
  const clock = new ManualClock();
  await db.write((writer) => {
    const insert = writer.prepare(
      `INSERT INTO agent (id, agent_id, platform, host_name, os_version, agent_version, created_at, updated_at)
       VALUES (?, ?, 'linux', 'desk', '1', '1', 0, 0)`,
    );
    for (const id of agents) {
      insert.run(id, agentOf(id).agentId);
    }
  });
  const ingest = createIngest(db, clock);
  const record: RecordBatch = (batch) => recordObservations(db, batch);
  return {
    clock,
    options: {
      ...{ db, clock, log: createLog('hub', 'silent'), sessionLog: createSessionLog(db), record },
      devices: { record: async () => undefined },
      announcer: { collect: () => createChangedConnections(10), publish: async () => undefined },
    },
    deliver(agent: number, last: number) {
      const one = observation(clock.now(), { remoteAddress: `203.0.113.${last}` });
      return ingest.store(agentOf(agent), agentBatch.parse(batchOf(clock.now(), [one])));
    },
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

// The pipeline: a batch that is stored in the last moment of a run is recorded without another one.
import path from 'node:path';
import { expect, test } from 'vitest';
import { agentBatch } from '#contract/agent-ingest.ts';
import { createIngest } from '#hub/agents/ingest.ts';
import { startPipeline } from '#hub/agents/pipeline.ts';
import { createSessionLog } from '#hub/agents/session-log.ts';
import { createChangedConnections } from '#hub/connections/query/changed.ts';
import { recordObservations } from '#hub/connections/record/record.ts';
import { createLog } from '#kernel/log.ts';
import { Db, migrate } from '#kernel/sqlite.ts';
import { agentFacts, batchOf, observation } from '../../support/agents.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const stored = {
  id: 1,
  agentId: 'an-agent',
  ...agentFacts,
  createdAt: 0,
  updatedAt: 0,
  lastSeenAt: null,
  revokedAt: null,
};

test('what is stored while the changes of a run are published is recorded too', async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, path.join(import.meta.dirname, '../../../src/hub/migrations'));
  await using opened = new AsyncDisposableStack();
  const db = opened.adopt(new Db(file), (open) => open.close());
  const clock = new ManualClock();
  await db.write((writer) =>
    writer
      .prepare(
        `INSERT INTO agent (id, agent_id, platform, host_name, os_version, agent_version, created_at, updated_at)
         VALUES (1, 'an-agent', 'linux', 'desk', '1', '1', 0, 0)`,
      )
      .run(),
  );
  const ingest = createIngest(db, clock);
  const deliver = (last: number) => {
    const one = observation(clock.now(), { remoteAddress: `203.0.113.${last}` });
    return ingest.store(stored, agentBatch.parse(batchOf(clock.now(), [one])));
  };
  let published = 0;
  const pipeline = opened.use(
    startPipeline({
      ...{ db, clock, log: createLog('hub', 'silent'), sessionLog: createSessionLog(db) },
      record: (batch) => recordObservations(db, batch),
      devices: { record: async () => undefined },
      announcer: {
        collect: () => createChangedConnections(10),
        async publish() {
          published += 1;
          if (published <= 3) {
            await deliver(published);
            pipeline.wake();
          }
        },
      },
    }),
  );
  await pipeline.settled();
  const flows = db.prepare('SELECT COUNT(*) FROM flow').pluck().get();
  expect([published, flows]).toEqual([4, 3]);
});

// The hub is killed, or loses its power, while Agents deliver: what it acknowledged is stored exactly once, and counted once.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { createRandom } from '#simulators/support/random.ts';
import { createDeliveries, waitingBatches } from '../support/agent-deliveries.ts';
import { type AgentFolder, agentFolder } from '../support/agent-program-lab.ts';
import { enrolAgent } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';
import { type HubProcessOptions, startHubProcess } from '../support/hub-process.ts';
import { loseUnsynced, traceOptions } from '../support/power-cut.ts';
import { startProgram } from '../support/program.ts';
import { runs } from '../support/property-runs.ts';
import { withPrograms } from '../support/real-programs.ts';
import { batchIdOf } from '../support/spool-lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const seed = 20_261_123;
const kills = runs(8, 30);
const cuts = runs(4, 12);
/** Of the Agent; the hub is killed twice in each. */
const agentKills = runs(4, 10);
const longestLifeMs = 1500;
const env = { MONITOR_AGENT_INGEST_REQUESTS_PER_MINUTE: '10000', MONITOR_AGENT_INGEST_WRITES_PER_IP: '100000' };

function newHub(folder: string, more: Pick<HubProcessOptions, 'under' | 'port'> = {}) {
  return startHubProcess({
    dataDir: folder,
    adminToken: 'token-of-the-agent-kill-test',
    env,
    isMeasured: true,
    ...more,
  });
}

async function enrolled(folder: string, agents: number): Promise<string[]> {
  await using hub = await newHub(folder);
  const all: string[] = [];
  for (let index = 0; index < agents; index += 1) {
    all.push((await enrolAgent(hub, { hostName: `host-${index}` })).token);
  }
  hub.program.kill('SIGTERM');
  await hub.program.ended;
  return all;
}

/** Delivers what is open and waits until all of it is recorded. */
async function finish(folder: string, deliveries: ReturnType<typeof createDeliveries>): Promise<void> {
  await using hub = await newHub(folder);
  await deliveries.finish(hub.url);
  await expect.poll(() => waitingBatches(folder)).toBe(0);
  hub.program.kill('SIGTERM');
  await hub.program.ended;
}

test(`a hub killed ${kills} times while batches flow stores each acknowledged one exactly once`, async () => {
  using folder = temporaryFolder();
  const random = createRandom(seed);
  const deliveries = createDeliveries(await enrolled(folder.path, 4), random);
  for (let life = 0; life < kills; life += 1) {
    await using hub = await newHub(folder.path);
    const stop = deliveries.start(hub.url);
    await systemClock.sleep(Math.floor(random.next() * longestLifeMs));
    hub.program.kill('SIGKILL');
    await hub.program.ended;
    await stop();
    deliveries.requireStored(folder.path);
  }
  await finish(folder.path, deliveries);
  deliveries.requireStored(folder.path);
  deliveries.requireRecorded(folder.path);
  console.log(
    `seed ${seed}: ${kills} kills, ${deliveries.acked.size} batches acknowledged, ${deliveries.replayed()} of them when they came again`,
  );
  expect(deliveries.acked.size).toBeGreaterThan(kills);
});

test(`an Agent killed ${agentKills} times, at a hub killed ${2 * agentKills} times: each batch that was on disk is stored once`, async () => {
  using data = temporaryFolder();
  using agent = agentFolder();
  const random = createRandom(seed);
  const port = await freePort();
  await enrolProgram(agent, data.path, port);
  const onDisk = new Set<string>();
  for (let life = 0; life < agentKills; life += 1) {
    agent.seen(900);
    await using program = agent.start(['run', '--every', '5']);
    await program.printed(/^gatehouse agent ready /m);
    for (let hubLife = 0; hubLife < 2; hubLife += 1) {
      await using hub = await newHub(data.path, { port });
      await systemClock.sleep(1500 + Math.floor(random.next() * 2500));
      hub.program.kill('SIGKILL');
      await hub.program.ended;
    }
    if (life % 2 === 1) {
      // A quick machine has delivered everything by now: while the hub is away, the next look stays on the disk.
      await expect.poll(() => agent.spooled().length).toBeGreaterThan(0);
    }
    program.kill('SIGKILL');
    await program.ended;
    for (const name of agent.spooled().filter((file) => file.endsWith('.json'))) {
      onDisk.add(batchIdOf(name));
    }
  }
  agent.seen(0);
  await using hub = await newHub(data.path, { port });
  await using last = agent.start(['run', '--every', '5']);
  await last.printed(/^gatehouse agent ready /m);
  await expect.poll(() => agent.spooled().length).toBe(0);
  last.kill('SIGTERM');
  expect((await last.ended).code).toBe(0);
  await expect.poll(() => waitingBatches(data.path)).toBe(0);
  hub.program.kill('SIGTERM');
  await hub.program.ended;
  const db = new Database(path.join(data.path, 'monitor.db'));
  const stored = new Set(db.prepare('SELECT batch_id FROM agent_batch').pluck().all() as string[]);
  const { rows } = db.prepare('SELECT COUNT(*) AS rows FROM agent_observation').get() as { rows: number };
  const { accepted, duplicate } = db
    .prepare('SELECT SUM(accepted) AS accepted, SUM(duplicate) AS duplicate FROM agent_batch')
    .get() as { accepted: number; duplicate: number };
  const bytes = db.prepare('SELECT SUM(CAST(bytes_in AS INTEGER)) FROM flow').pluck().get();
  db.close();
  console.log(`${onDisk.size} batches were on disk at the kills of the Agent, ${stored.size} are stored`);
  expect([...onDisk].filter((id) => !stored.has(id))).toEqual([]);
  expect({ accepted, duplicate, bytes }).toEqual({ accepted: rows, duplicate: 0, bytes: rows * 1200 });
  expect(agent.parked()).toEqual([]);
  expect(onDisk.size).toBeGreaterThan(agentKills);
}, 300_000);

/** Enrols the Agent's program at a hub that listens there. */
async function enrolProgram(agent: AgentFolder, dataDir: string, port: number): Promise<void> {
  await using hub = await newHub(dataDir, { port });
  const { code } = await hub.as.admin.agents.createCode({ body: {} });
  await using program = agent.start(['enroll', '--hub', hub.url.origin, '--code', code, '--store', 'file']);
  const { requestId } = await eventually(
    () => hub.as.admin.agents.requests({}),
    ({ requests }) => requests[0],
  );
  await hub.as.admin.agents.approve({ params: { requestId }, body: {} });
  expect((await program.ended).code, program.stderr()).toBe(0);
  hub.program.kill('SIGTERM');
  await hub.program.ended;
}

withPrograms('strace', ['strace'], () => {
  test(`after ${cuts} power cuts, of which only synced bytes survive, nothing acknowledged is missing`, async () => {
    using folder = temporaryFolder();
    const data = path.join(folder.path, 'data');
    const random = createRandom(seed);
    const deliveries = createDeliveries(await enrolled(data, 4), random);
    let lost = 0;
    let life = 0;
    // A cut may come when all is synced; it goes on until one took something.
    for (; life < cuts || lost === 0; life += 1) {
      const log = path.join(folder.path, `trace-${life}`);
      await using hub = await newHub(data, {
        under: { command: 'strace', args: [...traceOptions(log), process.execPath] },
      });
      using traced = killedAtEnd(hub.program.pid);
      const stop = deliveries.start(hub.url);
      await systemClock.sleep(500 + Math.floor(random.next() * longestLifeMs));
      traced.kill();
      await hub.program.ended;
      await stop();
      for (const name of ['monitor.db', 'monitor.db-wal']) {
        lost += loseUnsynced(log, path.join(data, name), random);
      }
      // The index of the log is memory of the processes that use it.
      rmSync(path.join(data, 'monitor.db-shm'), { force: true });
      deliveries.requireStored(data);
    }
    await finish(data, deliveries);
    deliveries.requireStored(data);
    deliveries.requireRecorded(data);
    console.log(`${life} power cuts, ${lost} sectors lost, ${deliveries.acked.size} batches acknowledged`);
    expect(deliveries.acked.size).toBeGreaterThan(cuts);
  });

  test('a program that tells of commits before they are synced loses some of them in the same way', async () => {
    using folder = temporaryFolder();
    const random = createRandom(seed);
    let missing = 0;
    for (let life = 0; life < 5; life += 1) {
      const [file, log] = [path.join(folder.path, `${life}.db`), path.join(folder.path, `trace-${life}`)];
      const script = `const { Db } = await import('./src/kernel/sqlite/sqlite.ts');
        const db = new Db(${JSON.stringify(file)});
        await db.save((writer) => writer.prepare('CREATE TABLE told (id INTEGER PRIMARY KEY, filler)').run());
        for (let id = 1; ; id += 1) {
          await db.write((writer) => writer.prepare('INSERT INTO told VALUES (?, randomblob(3000))').run(id));
          process.stdout.write(id + '\\n');
          await new Promise((resolve) => setTimeout(resolve, 5));
        }`;
      const args = [...traceOptions(log), process.execPath, '--input-type=module', '--eval', script];
      await using program = startProgram(args, { command: 'strace' });
      await program.printed(/^20$/m);
      using traced = killedAtEnd(program.pid);
      traced.kill();
      await program.ended;
      const told = Math.max(...program.stdout().trim().split('\n').map(Number));
      loseUnsynced(log, `${file}-wal`, random);
      rmSync(`${file}-shm`, { force: true });
      const db = new Database(file);
      missing += told - Number(db.prepare('SELECT COUNT(*) FROM told').pluck().get());
      db.close();
    }
    expect(missing).toBeGreaterThan(0);
  });
});

/** What a tracer runs: it would go on without its tracer. */
function killedAtEnd(tracer: number) {
  const pid = Number(readFileSync(`/proc/${tracer}/task/${tracer}/children`, 'utf8').trim().split(' ')[0]);
  let isRunning = true;
  const kill = () => {
    if (isRunning) {
      isRunning = false;
      process.kill(pid, 'SIGKILL');
    }
  };
  return { kill, [Symbol.dispose]: kill };
}

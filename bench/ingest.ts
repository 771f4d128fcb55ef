// Agents that deliver over HTTP, four at once: observations a second until they are recorded as flows, how long an ACK takes,
// how long /healthz takes meanwhile, next to bare inserts of the same observations in the same run.
import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import Database from 'better-sqlite3';
import { Pool } from 'undici';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { isoTime, parseIsoTime, stopwatch, systemClock } from '#kernel/time/clock.ts';
import { hourOf } from '#kernel/time/time.ts';
import { createRandom, type Random } from '#simulators/support/random.ts';
import { batchOf, enrolAgent, observation } from '../test/support/agents.ts';
import { quantile, startHealthProbe } from '../test/support/health-probe.ts';
import { cpuMs, type HubProcess, memoryMb, startHubProcess } from '../test/support/hub-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';

export const ingestBenchmark: Benchmark = {
  summary: 'deliveries of four Agents at once over HTTP, next to bare inserts of the same observations',
  options: {
    batches: 'batches of 200 observations, 40 to 5000 (400)',
    'cpu-prof': 'folder for CPU profiles of the hub',
  },
  runs: 3,
  by: ['observations'],
  async run(values, runs, progress) {
    const count = wholeOption(values, 'batches', 400, 40, 5000);
    const { 'cpu-prof': profile } = values;
    const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profile)}`];
    const figures: IngestFigures[] = [];
    for (let run = 0; run <= runs; run += 1) {
      progress(`run ${run} of ${runs}`);
      // The first round warms the file cache of the machine up.
      figures.push(...(await oneRun(count, nodeOptions)).slice(0, run === 0 ? 0 : 1));
    }
    return figures;
  },
};

interface IngestFigures {
  observations: number;
  /** Until the last one is recorded as a flow. */
  perSecond: number;
  /** Until the last ACK. */
  ackedPerSecond: number;
  ackP50Ms: number;
  ackP99Ms: number;
  healthP50Ms: number;
  healthP99Ms: number;
  /** CPU time of the hub for each observation. */
  cpuUs: number;
  rssMb: number;
  /** The same observations as rows of the tables that hold them, by prepared statements, each batch synced. */
  barePerSecond: number;
  ratio: number;
}

type Batch = ReturnType<typeof batchOf>;

const agents = 4;
const perBatch = 200;

async function oneRun(count: number, nodeOptions: readonly string[]): Promise<IngestFigures[]> {
  using folder = temporaryFolder();
  const random = createRandom(7);
  const batches = Array.from({ length: count }, (_, index) => batchFrom(random, index % agents));
  const barePerSecond = bareInserts(path.join(folder.path, 'bare.db'), batches);
  await using hub = await startHubProcess({
    dataDir: path.join(folder.path, 'data'),
    adminToken: randomBytes(24).toString('hex'),
    isMeasured: true,
    nodeOptions,
    command: nodeOptions.length > 0 ? 'src/main.ts' : 'bin/gatehouse.js',
    env: { MONITOR_AGENT_INGEST_REQUESTS_PER_MINUTE: '10000', MONITOR_AGENT_INGEST_WRITES_PER_IP: '100000' },
  });
  const bearers = await Promise.all(
    Array.from({ length: agents }, (_, index) => enrolAgent(hub, { hostName: `bench-${index}` })),
  );
  await using health = startHealthProbe(hub.url);
  const cpuBefore = cpuMs(hub.program.pid);
  const took = stopwatch();
  const acks = await deliver(
    hub,
    batches,
    bearers.map(({ token }) => token),
  );
  const ackedMs = took();
  await recorded(path.join(folder.path, 'data', 'monitor.db'), count * perBatch);
  const wholeMs = took();
  const { elapsedMs, failed } = await health.take();
  if (failed.length > 0) {
    throw new Error(`/healthz failed: ${failed[0]}`);
  }
  const observations = count * perBatch;
  const perSecond = observations / (wholeMs / 1000);
  const cpuUs = ((cpuMs(hub.program.pid) - cpuBefore) * 1000) / observations;
  const { rss } = memoryMb(hub.program.pid);
  // A profile is written at the end.
  hub.program.kill('SIGTERM');
  await hub.program.ended;
  return [
    {
      observations,
      perSecond,
      ackedPerSecond: observations / (ackedMs / 1000),
      ackP50Ms: quantile(acks, 0.5),
      ackP99Ms: quantile(acks, 0.99),
      healthP50Ms: quantile(elapsedMs, 0.5),
      healthP99Ms: quantile(elapsedMs, 0.99),
      cpuUs,
      rssMb: Math.round(rss),
      barePerSecond,
      ratio: perSecond / barePerSecond,
    },
  ];
}

/** Each Agent delivers its batches one after the other; returns how long each ACK took. */
async function deliver(hub: HubProcess, batches: readonly Batch[], tokens: readonly string[]): Promise<number[]> {
  await using stack = new AsyncDisposableStack();
  const pool = stack.adopt(new Pool(hub.url.origin, { connections: agents }), (open) => open.close());
  const acks: number[] = [];
  const texts = batches.map((batch) => JSON.stringify(batch));
  await Promise.all(
    tokens.map(async (token, agent) => {
      for (let index = agent; index < texts.length; index += agents) {
        const took = stopwatch();
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: '/api/agent/ingest',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: texts[index] ?? '',
        });
        const answer = (await body.json()) as { accepted?: number };
        if (statusCode !== 200 || answer.accepted !== perBatch) {
          throw new Error(`a batch was answered with ${statusCode}: ${JSON.stringify(answer)}`);
        }
        acks.push(took());
      }
    }),
  );
  return acks;
}

/** Resolves when so many observations are recorded as flows. */
async function recorded(file: string, wanted: number): Promise<void> {
  const db = new Db(file);
  try {
    const read = db.prepare(
      'SELECT COUNT(*) AS done FROM agent_observation o JOIN agent a ON a.id = o.agent WHERE o.batch <= a.recorded_batch',
    );
    while ((read.get() as { done: number }).done < wanted) {
      await systemClock.sleep(5);
    }
  } finally {
    await db.close();
  }
}

/** Observations a second by bare statements: batch, observation, and the flow and the hour that each goes into. */
function bareInserts(file: string, batches: readonly Batch[]): number {
  migrate(file, path.join(import.meta.dirname, '../src/hub/base/migrations'));
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(`INSERT INTO agent (id, agent_id, platform, host_name, os_version, agent_version, created_at, updated_at)
      VALUES (1, 'bare', 'linux', 'bare', '1', '1', 0, 0);
    INSERT INTO observer (id, router_id, kind) VALUES (1, 'bare', 'agent');
    INSERT INTO observer_set (id, members) VALUES (1, '1')`);
  const insertBatch = db.prepare(
    `INSERT INTO agent_batch (agent, batch_id, content, accepted, duplicate, sent_at, received_at)
     VALUES (1, ?, zeroblob(32), 200, 0, 0, 0)`,
  );
  const insert = db.prepare(
    `INSERT INTO agent_observation (batch, place, agent, observation_id, proto, local_address, local_port,
       remote_address, remote_port, process_id, process, bundle_id, first_at, last_at, bytes_in, bytes_out, collector,
       confidence)
     VALUES (?, ?, 1, ?, 'TCP', ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, 'socket-events', 'exact')`,
  );
  const source = dictionary(db, 'source');
  const destination = dictionary(db, 'destination');
  const flow = db
    .prepare(
      `INSERT INTO flow (source_id, destination_id, dport, proto, first_seen, last_seen, observer_set_id, agent_host,
         process, pid, bytes_in, bytes_out)
       VALUES (?, ?, ?, 'TCP', ?, ?, 1, 'bare', ?, ?, ?, ?)
       ON CONFLICT (source_id, destination_id, dport, proto) DO UPDATE SET last_seen = excluded.last_seen,
         process = excluded.process, pid = excluded.pid, bytes_in = bytes_in + excluded.bytes_in,
         bytes_out = bytes_out + excluded.bytes_out
       RETURNING id`,
    )
    .pluck();
  const hour = db.prepare(
    `INSERT INTO flow_hour (hour, flow_id, observations, first, last) VALUES (?, ?, 1, ?, ?)
     ON CONFLICT (hour, flow_id) DO UPDATE SET observations = observations + 1, last = excluded.last`,
  );
  const took = stopwatch();
  for (const { batchId, observations } of batches) {
    db.exec('BEGIN IMMEDIATE');
    const batch = insertBatch.run(batchId).lastInsertRowid;
    for (const [place, one] of observations.entries()) {
      const { localAddress, localPort, remoteAddress, remotePort, processID, processName, bytesIn, bytesOut } = one;
      const id = Buffer.from(one.observationId.replaceAll('-', ''), 'hex');
      const first = parseIsoTime(one.firstObservedAt) ?? 0;
      const last = parseIsoTime(one.lastObservedAt) ?? 0;
      const ends = [localAddress, localPort, remoteAddress, remotePort, processID, processName];
      insert.run(batch, place, id, ...ends, first, last, bytesIn, bytesOut);
      const key = [source(localAddress), destination(remoteAddress), remotePort];
      const flowId = flow.get(...key, first, last, processName, processID, bytesIn, bytesOut);
      hour.run(hourOf(last), flowId, first, last);
    }
    db.exec('COMMIT');
  }
  const ms = took();
  db.close();
  return (batches.length * perBatch) / (ms / 1000);
}

/** Number of an address in its table, stored at first sight. */
function dictionary(db: Database.Database, table: 'source' | 'destination'): (address: string) => unknown {
  const insert = db.prepare(`INSERT INTO ${table} (address, first_seen) VALUES (?, 0)`);
  const known = new Map<string, unknown>();
  return (address) => {
    if (!known.has(address)) {
      known.set(address, insert.run(address).lastInsertRowid);
    }
    return known.get(address);
  };
}

/** What a machine does in some seconds: a few programs, most of it to a few destinations, some to any of thousands. */
function batchFrom(random: Random, agent: number): Batch {
  const at = systemClock.now();
  const observations = Array.from({ length: perBatch }, () => {
    const near = random.next() < 0.8;
    const index = Math.floor(random.next() * (near ? 40 : 10_000));
    return observation(at, {
      observationId: randomUUID(),
      localAddress: `192.168.210.${10 + agent}`,
      localPort: 32_768 + Math.floor(random.next() * 28_000),
      remoteAddress: `22.${agent}.${index >> 8}.${index & 255}`,
      remotePort: random.next() < 0.9 ? 443 : 80,
      processName: `program-${Math.floor(random.next() * 12)}`,
      firstObservedAt: isoTime(at - Math.floor(random.next() * 15_000)),
    });
  });
  return batchOf(at, observations);
}

// What the sink costs: the latencies of a hub with and without it at work, and how fast closed hours go to a server.
import { randomBytes, randomUUID } from 'node:crypto';
import { setPriority } from 'node:os';
import path from 'node:path';
import type { ClickHouseClient } from '@clickhouse/client';
import { Pool, request } from 'undici';
import { createClosedHours } from '#hub/record/connections/closed-hours/closed-hours.ts';
import { hourColumns } from '#hub/record/connections/closed-hours/row-text.ts';
import { openClient } from '#hub/record/sink/client.ts';
import { createSender, sinkTarget } from '#hub/record/sink/sender.ts';
import { createSinkStore } from '#hub/record/sink/sink-store.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { stopwatch, systemClock } from '#kernel/time/clock.ts';
import { startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { engineMissing, openEngine } from '../test/engine/engine.ts';
import { batchOf, enrolAgent, observation } from '../test/support/agents.ts';
import { quantile, startHealthProbe } from '../test/support/health-probe.ts';
import { cpuMs, type HubProcess, memoryMb, startHubProcess } from '../test/support/hub-process.ts';
import { startProgram } from '../test/support/program.ts';
import { sinkSettingsFor } from '../test/support/sink-lab.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';
import { seedLog } from './seed.ts';

const flowsOption = 'flows of the log, 1000 to 1000000 (100000)';

export const sinkBenchmark: Benchmark = {
  summary: 'latencies of a hub with and without a sink at work',
  options: { flows: flowsOption, seconds: 'how long is measured, 5 to 300 (20)' },
  runs: 2,
  by: ['sink'],
  async run(values, runs, progress) {
    const flows = wholeOption(values, 'flows', 100_000, 1000, 1_000_000);
    const seconds = wholeOption(values, 'seconds', 20, 5, 300);
    const figures: object[] = [];
    for (let run = 1; run <= runs; run += 1) {
      for (const sink of ['off', 'on'] as const) {
        progress(`run ${run} of ${runs}, sink ${sink}`);
        figures.push(await hubFigures(sink, flows, seconds));
      }
    }
    return figures;
  },
};

export const sinkRateBenchmark: Benchmark = {
  summary: 'closed hours to a simulated server and, where test:engine has installed it, to the engine in process',
  options: { flows: flowsOption },
  runs: 2,
  by: ['server'],
  async run(values, runs, progress) {
    const flows = wholeOption(values, 'flows', 100_000, 1000, 1_000_000);
    using folder = temporaryFolder();
    await seedLog({ rows: flows, dataDir: folder.path, now: systemClock.now(), progress: () => undefined });
    const file = path.join(folder.path, 'monitor.db');
    const figures: object[] = [];
    for (let run = 1; run <= runs; run += 1) {
      progress(`run ${run} of ${runs}`);
      await using server = await startClickHouse();
      const settings = sinkSettingsFor(server);
      figures.push(await rate('simulator', file, await openClient(settings, settings.writer)));
      if (engineMissing === null) {
        figures.push(await rate('engine', file, await openEngine()));
      }
    }
    return figures;
  },
};

/** One Agent delivers, a client asks for the list, /healthz is asked every 20 ms. */
async function hubFigures(sink: 'on' | 'off', flows: number, seconds: number) {
  using folder = temporaryFolder();
  await seedLog({ rows: flows, dataDir: folder.path, now: systemClock.now(), progress: () => undefined });
  await using server = await startServer();
  const env = { MONITOR_CLICKHOUSE_URL: server.url, MONITOR_CLICKHOUSE_PASSWORD: server.password };
  await using hub = await startHubProcess({
    dataDir: folder.path,
    adminToken: randomBytes(24).toString('hex'),
    isMeasured: true,
    command: 'bin/gatehouse.js',
    env: { MONITOR_AGENT_INGEST_REQUESTS_PER_MINUTE: '10000', ...(sink === 'on' ? env : {}) },
  });
  const { token } = await enrolAgent(hub, { hostName: 'bench' });
  while (sink === 'on' && (await server.inserted()) === 0) {
    await systemClock.sleep(100);
  }
  await using health = startHealthProbe(hub.url);
  const before = { cpu: cpuMs(hub.program.pid), rows: await server.inserted() };
  const { lists, acks } = await load(hub, token, seconds * 1000);
  const { elapsedMs } = await health.take();
  return {
    sink,
    rowsPerSecond: Math.round(((await server.inserted()) - before.rows) / seconds),
    listP50Ms: quantile(lists, 0.5),
    listP99Ms: quantile(lists, 0.99),
    ackP50Ms: quantile(acks, 0.5),
    ackP99Ms: quantile(acks, 0.99),
    healthP50Ms: quantile(elapsedMs, 0.5),
    healthP99Ms: quantile(elapsedMs, 0.99),
    cpuShare: (cpuMs(hub.program.pid) - before.cpu) / (seconds * 1000),
    rssMb: Math.round(memoryMb(hub.program.pid).rss),
  };
}

/**
 * A simulated server in a process of its own, last in the order of the processor: in a home it is another machine, and what it
 * does with the rows is no cost of the hub.
 */
async function startServer() {
  const program = startProgram(['src/main.ts', 'sim', 'clickhouse', '--port', '0', '--control-port', '0']);
  setPriority(program.pid, 19);
  const [line] = await program.printed(/^\{.*\}$/m);
  const { url, control, writer } = JSON.parse(line) as { url: string; control: string; writer: { password: string } };
  return {
    url: new URL(url).origin,
    password: writer.password,
    async inserted() {
      const state = await request(`${control}/state`);
      return ((await state.body.json()) as { inserted: number }).inserted;
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** A delivery of 50 observations and a page of the list, four times a second. */
async function load(hub: HubProcess, token: string, ms: number) {
  await using stack = new AsyncDisposableStack();
  const pool = stack.adopt(new Pool(hub.url.origin, { connections: 2 }), (open) => open.close());
  const [lists, acks]: [number[], number[]] = [[], []];
  const whole = stopwatch();
  while (whole() < ms) {
    const now = systemClock.now();
    const some = Array.from({ length: 50 }, (_, index) =>
      observation(now, { observationId: randomUUID(), localPort: 40_000 + index }),
    );
    const acked = stopwatch();
    const delivered = await pool.request({
      method: 'POST',
      path: '/api/agent/ingest',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(batchOf(now, some)),
    });
    await delivered.body.dump();
    acks.push(acked());
    const listed = stopwatch();
    await hub.as.admin.connections.list({ query: { limit: '100' } });
    lists.push(listed());
    await systemClock.sleep(250);
  }
  return { lists, acks };
}

/** Sends everything without a rest between inserts. */
async function rate(server: 'simulator' | 'engine', file: string, client: ClickHouseClient) {
  await using stack = new AsyncDisposableStack();
  stack.defer(() => client.close());
  const db = stack.adopt(new Db(file), (open) => open.close());
  const settings = {
    url: new URL('http://127.0.0.1:8123'),
    database: 'gatehouse',
    ca: null,
    hub: 'bench',
    ttlDays: null,
    writer: { name: 'writer', password: '' },
    reader: null,
  };
  const store = createSinkStore(db);
  await store.open(sinkTarget(settings));
  await store.forget();
  let bytes = 0;
  const reader = createClosedHours(file);
  const hours: typeof reader = {
    ...reader,
    async unit(params, signal) {
      const unit = await reader.unit(params, signal);
      bytes += unit.bodies.reduce((sum, body) => sum + body.bytes.byteLength, 0);
      return unit;
    },
  };
  const sender = createSender({ clock: systemClock, settings, store, hours, columns: hourColumns, client, paceMs: 0 });
  const { signal } = new AbortController();
  const took = stopwatch();
  const cpu = process.cpuUsage();
  await sender.look(signal, { sweeps: true });
  let rows = 0;
  for (let step = await sender.step(signal); step.did !== 'nothing'; step = await sender.step(signal)) {
    if (step.did === 'failed') {
      throw new Error(step.failure.sentence);
    }
    rows += step.rows;
  }
  const { user, system } = process.cpuUsage(cpu);
  const stored = server === 'engine' ? await storedBytes(client) : null;
  return {
    server,
    rows,
    rowsPerSecond: Math.round(rows / (took() / 1000)),
    sentBytesPerRow: Math.round(bytes / rows),
    storedBytesPerRow: stored === null ? null : Math.round((10 * stored) / rows) / 10,
    // Of this process, which has the server in it.
    cpuUsPerRow: (user + system) / rows,
  };
}

async function storedBytes(client: ClickHouseClient): Promise<number> {
  await client.command({ query: 'OPTIMIZE TABLE gatehouse.flow_hour FINAL' });
  const query = `SELECT toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts WHERE active AND table = 'flow_hour'`;
  const answer = await client.query({ query, format: 'JSONEachRow' });
  return ((await answer.json()) as { bytes: number }[])[0]?.bytes ?? 0;
}

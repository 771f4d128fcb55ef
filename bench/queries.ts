// Every kind of query of the connection log through HTTP, one client, beside the same rows straight from SQLite and
// beside a bare server that sends as many bytes; then eight of the slowest at once, and the memory after all.
import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '#kernel/process/program.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { quantile, startHealthProbe } from '../test/support/health-probe.ts';
import { type HubProcess, memoryMb, startHubProcess } from '../test/support/hub-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import type { Benchmark } from './benchmark.ts';
import { type Ask, asker, findNewest } from './query-client.ts';
import { type Floors, startFloors } from './query-floors.ts';
import { type QueryRequest, queryRequests } from './query-requests.ts';

const seeded = {
  data: 'a folder that npm run bench:seed wrote',
  against: 'another checkout: both are asked in turns. An older one needs a log that it, or an older one, seeded',
};

export const queriesBenchmark: Benchmark = {
  summary: 'every kind of query through HTTP, one client, then eight of the slowest at once',
  options: { ...seeded, only: 'requests whose name holds this text' },
  runs: 7,
  by: ['request'],
  run: ({ data, against, only = '' }, runs, progress) =>
    benchQueries({ dataDir: folderOf(data), against, only, runs, progress }),
};

export const exportBenchmark: Benchmark = {
  summary: 'exports of 50,000 connections through HTTP',
  options: seeded,
  runs: 7,
  by: ['request'],
  run: ({ data, against }, runs, progress) =>
    benchQueries({ dataDir: folderOf(data), against, only: 'export', runs, progress }),
};

function folderOf(data: string | undefined): string {
  if (data === undefined) {
    throw new UsageError('--data must name a folder that npm run bench:seed wrote');
  }
  return path.resolve(data);
}

interface QueriesBenchOptions {
  /** Folder of a seeded log, not in use by another hub. */
  dataDir: string;
  against: string | undefined;
  only: string;
  runs: number;
  progress(text: string): void;
}

/** One kind of request, or eight at once of it. Times in milliseconds. */
interface QueryFigures {
  request: string;
  /** `p50Ms` to the floor, and to the median of the other checkout. */
  ratio: number | string;
  toOther: number | string;
  /** The first request: nothing is remembered yet. */
  firstMs: number;
  p50Ms: number;
  bestMs: number;
  targetMs: number | string;
  /** As they came: packed, where the hub packs. */
  bytes: number;
  /** The same rows straight from SQLite, and the same bytes from a bare server. */
  floorMs: number | string;
  /** `/healthz` meanwhile, asked every 20 ms. */
  healthP99Ms: number;
  /** Memory of the hub after it. */
  rssMb: number;
}

const atOnce = 8;

async function benchQueries({ dataDir, against, only, runs, progress }: QueriesBenchOptions): Promise<QueryFigures[]> {
  await using floors = await startFloors(path.join(dataDir, 'monitor.db'), runs);
  // First, since the hub of this checkout brings the log to its own schema.
  await using other = against === undefined ? null : await startAsked(dataDir, path.resolve(against));
  await using own = await startAsked(dataDir, null);
  await using probe = startHealthProbe(own.hub.url);
  const newest = await findNewest(own.hub);
  const requests = queryRequests(newest, floors.flows).filter(({ name }) => name.includes(only));
  const figures: QueryFigures[] = [];
  const measure = async (name: string, request: QueryRequest, times: number, width: number) => {
    progress(name);
    await probe.take();
    const taken: number[] = [];
    const takenByOther: number[] = [];
    let bytes = 0;
    for (let run = 0; run < times; run += 1) {
      for (const [{ ask }, all] of [[own, taken], ...(other ? [[other, takenByOther] as const] : [])] as const) {
        const elapsed = stopwatch();
        [bytes = 0] = await Promise.all(
          Array.from({ length: width }, (_, index) => ask(request.target(run * width + index))),
        );
        all.push(elapsed());
      }
    }
    const { elapsedMs } = await probe.take();
    const floor = width === 1 ? await floorOf(floors, request, bytes) : null;
    const p50Ms = quantile(taken, 0.5);
    figures.push({
      request: name,
      ratio: floor === null ? '-' : p50Ms / floor,
      toOther: other === null ? '-' : p50Ms / quantile(takenByOther, 0.5),
      firstMs: taken[0] ?? 0,
      p50Ms,
      bestMs: Math.min(...taken),
      targetMs: width === 1 ? request.targetMs(floors.flows) : '-',
      bytes,
      floorMs: floor ?? '-',
      healthP99Ms: quantile(elapsedMs, 0.99),
      rssMb: Math.round(memoryMb(own.hub.program.pid).rss),
    });
  };
  for (const request of requests) {
    await measure(request.name, request, runs, 1);
  }
  for (const request of requests.filter(({ isSlow }) => isSlow)) {
    await measure(`${atOnce} at once: ${request.name}`, request, Math.ceil(runs / 3), atOnce);
  }
  return figures;
}

interface Asked extends AsyncDisposable {
  hub: HubProcess;
  ask: Ask;
}

/** Starts the hub of this checkout on `dataDir`, or that of another one on a copy. */
async function startAsked(dataDir: string, checkout: string | null): Promise<Asked> {
  await using opened = new AsyncDisposableStack();
  // Settings of its own: the token of an earlier run is not this one's.
  const folder = opened.use(temporaryFolder());
  if (checkout !== null) {
    cpSync(dataDir, path.join(folder.path, 'data'), { recursive: true });
  }
  const adminToken = randomBytes(24).toString('hex');
  const hub = opened.use(
    await startHubProcess({
      isMeasured: true,
      dataDir: checkout === null ? dataDir : path.join(folder.path, 'data'),
      adminToken,
      env: { MONITOR_CONFIG_PATH: path.join(folder.path, 'monitor.json') },
      command: path.join(checkout ?? '', 'bin/gatehouse.js'),
    }),
  );
  const held = opened.move();
  return { hub, ask: asker(hub, adminToken), [Symbol.asyncDispose]: () => held.disposeAsync() };
}

async function floorOf(floors: Floors, { sql }: QueryRequest, bytes: number): Promise<number> {
  return floors.sqlMs(sql) + (await floors.replyMs(bytes));
}

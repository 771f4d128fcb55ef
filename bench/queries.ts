// Every kind of query of the connection log through HTTP, one client, beside the same rows straight from SQLite.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { ReadConnection } from '#kernel/sqlite.ts';
import { quantile, startHealthProbe } from '../test/support/health-probe.ts';
import { type HubProcess, memoryMb, startHubProcess } from '../test/support/hub-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, UsageError } from './benchmark.ts';

export const queriesBenchmark: Benchmark = {
  summary: 'every kind of query through HTTP, on a folder that npm run bench:seed wrote',
  options: { data: 'the seeded folder' },
  runs: 7,
  by: ['request'],
  async run({ data }, runs, progress) {
    if (data === undefined) {
      throw new UsageError('--data must name a folder that npm run bench:seed wrote');
    }
    return benchQueries({ dataDir: path.resolve(data), runs, progress });
  },
};

export interface QueriesBenchOptions {
  /** Folder of a seeded log (`seedLog`). */
  dataDir: string;
  /** Requests of each kind; the first, which finds nothing remembered, is shown apart. */
  runs: number;
  progress(text: string): void;
}

/** One kind of request. Floor: the default page's SQL on a connection of its own, measured in the same run. */
export interface QueryFigures {
  request: string;
  firstMs: number;
  p50Ms: number;
  bytes: number;
  floorMs: number;
  /** Worst answer of `/healthz` meanwhile, asked every 20 ms. */
  healthMaxMs: number;
  memoryMb: number;
}

const dayMs = 86_400_000;

/** Asks a hub on `dataDir`, which must not be in use by another. */
export async function benchQueries({ dataDir, runs, progress }: QueriesBenchOptions): Promise<QueryFigures[]> {
  const adminToken = randomBytes(24).toString('hex');
  // Settings of its own: the token of an earlier run is not this one's.
  using settings = temporaryFolder();
  const env = { MONITOR_CONFIG_PATH: path.join(settings.path, 'monitor.json') };
  const floor = floorOf(path.join(dataDir, 'monitor.db'), runs);
  await using hub = await startHubProcess({ dataDir, adminToken, env });
  await using probe = startHealthProbe(hub.url);
  const figures: QueryFigures[] = [];
  for (const [request, target] of requestsOf(await lastSeenOf(hub))) {
    progress(request);
    await probe.take();
    const times: number[] = [];
    let bytes = 0;
    for (let run = 0; run < runs; run += 1) {
      const started = performance.now();
      const response = await fetch(new URL(target(run), hub.url), { headers: { 'x-admin-token': adminToken } });
      bytes = (await response.arrayBuffer()).byteLength;
      times.push(performance.now() - started);
      if (response.status !== 200) {
        throw new Error(`${request} was answered with ${response.status}`);
      }
    }
    const { elapsedMs } = await probe.take();
    figures.push({
      request,
      firstMs: times[0] ?? 0,
      p50Ms: quantile(times, 0.5),
      bytes,
      floorMs: floor,
      healthMaxMs: Math.max(0, ...elapsedMs),
      memoryMb: Math.round(memoryMb(hub.program.pid).rss),
    });
  }
  return figures;
}

async function lastSeenOf(hub: HubProcess): Promise<number> {
  const { connections } = await hub.as.admin.connections.list({ query: { limit: '1' } });
  const [newest] = connections;
  if (!newest) {
    throw new Error('the log is empty: seed it first');
  }
  return newest.lastSeen;
}

/** Name and target of each request; the summary gets another range each time, so that no kept answer serves it. */
function requestsOf(now: number): [name: string, target: (run: number) => string][] {
  const list = (query: string) => () => `/api/connections?${query}`;
  const day = `from=${now - dayMs}&to=${now}`;
  const fortnight = `from=${now - 14 * dayMs}&to=${now}`;
  const words = ['fDst=edge', 'fDst=edge-3999', 'fDst=absent-word', 'fOrg=net', 'fOrg=Org 399', 'fCountry=US'];
  const sorts = ['src', 'dst', 'dport', 'proto', 'country', 'org'];
  return [
    ['page of 100, 24 h', list(`${day}&limit=100`)],
    ['page of 100, 14 d', list(`${fortnight}&limit=100`)],
    ['page of 1,000', list(`${fortnight}&limit=1000`)],
    ['page of 100, a day a week ago', list(`from=${now - 8 * dayMs}&to=${now - 7 * dayMs}&limit=100`)],
    ['offset 450,000', list(`${fortnight}&limit=100&offset=450000`)],
    ...words.map((word): [string, () => string] => [word, list(`${fortnight}&limit=100&${encodeURI(word)}`)]),
    ...sorts.map((sort): [string, () => string] => [`sort ${sort}`, list(`${fortnight}&limit=100&sort=${sort}`)]),
    ...['safe', 'warn', 'danger'].map((level): [string, () => string] => [
      `fThreat ${level}`,
      list(`${fortnight}&limit=100&fThreat=${level}`),
    ]),
    ['threat-counts 14 d', () => `/api/connections/threat-counts?${fortnight}`],
    ['threat-connections 14 d', () => `/api/connections/threat-connections?${fortnight}`],
    ['new-nodes 24 h', () => `/api/connections/new-nodes?${day}`],
    ['summary 14 d', (run) => `/api/connections/summary?from=${now - 14 * dayMs}&to=${now + run}`],
    ['summary 24 h', (run) => `/api/connections/summary?from=${now - dayMs}&to=${now + run}`],
    ['unpaged 50,000', list(fortnight)],
    ['export 50,000 CSV', () => `/api/connections/export?format=csv&${fortnight}`],
  ];
}

/** Median of the default page's rows read straight, with a reused statement. */
function floorOf(file: string, runs: number): number {
  const reader = new ReadConnection(file, 16_384);
  const page = reader.prepare(
    `SELECT * FROM flow f JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id
     ORDER BY f.last_seen DESC LIMIT 100`,
  );
  const times = Array.from({ length: Math.max(runs, 5) }, () => {
    const started = performance.now();
    page.all();
    return performance.now() - started;
  });
  reader.close();
  return quantile(times, 0.5);
}

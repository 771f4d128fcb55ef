// Memory of a hub by the size of its log: after the start, after lists, after summaries, after everything; and the number
// of flows at which the target of memory ends, by a line through the points.
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '#kernel/time/clock.ts';
import { type HubProcess, memoryMb, startHubProcess } from '../test/support/hub-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, listOption } from './benchmark.ts';
import { mergeByMedian } from './median.ts';
import { asker, findNewest } from './query-client.ts';
import { type QueryRequest, queryRequests } from './query-requests.ts';
import { seedLog } from './seed.ts';

export const memoryByFlowsBenchmark: Benchmark = {
  summary: 'memory of a hub on logs of several sizes, and the flows at which its target ends',
  options: {
    flows: 'flows of each log, 1000 to 10000000, separated by commas (100000,1000000,3000000)',
    data: 'folder of the seeded logs, DIR/FLOWS each: seeded where one is missing, and kept',
  },
  runs: 1,
  by: ['flows'],
  async run(values, runs, progress) {
    const sizes = listOption(values, 'flows', '100000,1000000,3000000', 1000, 10_000_000);
    using scratch = temporaryFolder();
    const data = path.resolve(values.data ?? scratch.path);
    const all: MemoryFigures[] = [];
    for (const flows of sizes) {
      const dataDir = path.join(data, String(flows));
      const tell = (text: string) => progress(`${flows} flows: ${text}`);
      if (!existsSync(path.join(dataDir, 'monitor.db'))) {
        await seedLog({ rows: flows, dataDir, now: systemClock.now(), progress: tell });
      }
      for (let run = 1; run <= runs; run += 1) {
        all.push(await measure(dataDir, flows, (text) => tell(`run ${run} of ${runs}, ${text}`)));
      }
    }
    process.stdout.write(`${whereTargetsEnd(mergeByMedian(all, ['flows']))}\n`);
    return all;
  },
};

/** Resident memory of the hub in MiB. */
interface MemoryFigures {
  flows: number;
  /** The file of the log. */
  logMb: number;
  /** Ready, nothing asked yet. */
  startMb: number;
  /** After lists, filters, sorts and counts of the log. */
  listsMb: number;
  /** After summaries too. */
  summariesMb: number;
  /** After unpaged lists and exports too: after every kind of query, which is what the targets are about. */
  wholeMb: number;
  /** After the slowest of all these, eight at once. */
  allMb: number;
  /** The most so far. */
  peakMb: number;
}

/** MiB that a hub may take after every kind of query, by the number of flows. */
const targets = [
  { flows: 1_000_000, mb: 350 },
  { flows: 5_000_000, mb: 450 },
];
const restMs = 10_000;

async function measure(dataDir: string, flows: number, progress: (text: string) => void): Promise<MemoryFigures> {
  const adminToken = randomBytes(24).toString('hex');
  // Settings of its own: the token of an earlier run is not this one's.
  using settings = temporaryFolder();
  const env = { MONITOR_CONFIG_PATH: path.join(settings.path, 'monitor.json') };
  await using hub = await startHubProcess({ isMeasured: true, dataDir, adminToken, env, command: 'bin/gatehouse.js' });
  await untilReady(hub);
  const rested = async () => {
    await systemClock.sleep(restMs);
    return Math.round(memoryMb(hub.program.pid).rss);
  };
  const startMb = await rested();
  const ask = asker(hub, adminToken);
  const requests = queryRequests(await findNewest(hub), flows);
  const after = async (wanted: (request: QueryRequest) => boolean, rounds = 7, width = 1) => {
    for (const request of requests.filter(wanted)) {
      progress(request.name);
      for (let round = 0; round < rounds; round += 1) {
        await Promise.all(Array.from({ length: width }, (_, at) => ask(request.target(round * width + at))));
      }
    }
    return rested();
  };
  const isSummary = ({ name }: QueryRequest) => name.startsWith('summary');
  const isWhole = ({ name }: QueryRequest) => /^(?:unpaged|export)/.test(name);
  return {
    flows,
    logMb: Math.round(statSync(path.join(dataDir, 'monitor.db')).size / 1_048_576),
    startMb,
    listsMb: await after((request) => !isSummary(request) && !isWhole(request)),
    summariesMb: await after(isSummary),
    wholeMb: await after(isWhole),
    allMb: await after(({ isSlow }) => isSlow === true, 3, 8),
    peakMb: Math.round(memoryMb(hub.program.pid).peak),
  };
}

async function untilReady(hub: HubProcess): Promise<void> {
  while ((await hub.as.raw({ method: 'GET', path: '/readyz' })).status !== 200) {
    await systemClock.sleep(100);
  }
}

function whereTargetsEnd(points: readonly MemoryFigures[]): string {
  const line = crossings(
    points,
    targets.map(({ mb }) => mb),
  );
  if (line === null) {
    return 'one size of a log shows no line';
  }
  const ends = targets.map(
    ({ flows, mb }, at) => `${mb} MB (the target at ${flows} flows) at ${line.millions[at]?.toFixed(2)} million`,
  );
  return `${line.baseMb.toFixed(0)} MB and ${line.mbPerMillion.toFixed(0)} MB for each million flows: ${ends.join(', ')}`;
}

/**
 * The line by least squares through what logs of several sizes take after every kind of query, and at how many million
 * flows it comes to each of `heights`; null when all logs are of one size.
 */
export function crossings(
  points: readonly Pick<MemoryFigures, 'flows' | 'wholeMb'>[],
  heights: readonly number[],
): { baseMb: number; mbPerMillion: number; millions: number[] } | null {
  const at = points.map(({ flows, wholeMb }) => ({ x: flows / 1e6, y: wholeMb }));
  const meanX = mean(at.map(({ x }) => x));
  const meanY = mean(at.map(({ y }) => y));
  const spread = at.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (spread === 0) {
    return null;
  }
  const mbPerMillion = at.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const baseMb = meanY - mbPerMillion * meanX;
  return { baseMb, mbPerMillion, millions: heights.map((height) => (height - baseMb) / mbPerMillion) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

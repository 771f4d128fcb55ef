// From starting `gatehouse hub` to the first 200 of /readyz, beside the least such a server can be.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '#kernel/process/program.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { type HubProcess, memoryMb, startHubProcess } from '../test/support/hub-process.ts';
import { type Program, startProgram } from '../test/support/program.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import type { Benchmark } from './benchmark.ts';
import { asker, findNewest } from './query-client.ts';

export const startupBenchmark: Benchmark = {
  summary: 'start of the hub to /readyz 200: the first, a second, and one on a seeded log',
  options: { data: 'a folder that npm run bench:seed wrote' },
  runs: 7,
  by: ['folder'],
  async run({ data }, runs, progress) {
    if (data !== undefined && !existsSync(path.join(data, 'monitor.db'))) {
      throw new UsageError('--data must name a folder that npm run bench:seed wrote');
    }
    const figures: StartupFigures[] = [];
    // The settings of a seeded log are sealed with the key of its folder, so they are not those of the fresh ones.
    using seeded = temporaryFolder();
    for (let run = 1; run <= runs; run += 1) {
      progress(`run ${run} of ${runs}`);
      using fresh = temporaryFolder();
      figures.push(await start('first', fresh.path, fresh.path), await start('again', fresh.path, fresh.path));
      if (data !== undefined) {
        figures.push(await start('seeded', path.resolve(data), seeded.path));
      }
    }
    return figures;
  },
};

interface StartupFigures {
  /** On nothing (passwords and keys are made, nothing is compiled), on what that left, on a seeded log. */
  folder: 'first' | 'again' | 'seeded';
  readyMs: number;
  bareMs: number;
  ratio: number;
  rssMb: number;
  /** Of a seeded log: the first summary of 14 days after it; from the second run on with the index of the run before. */
  summaryMs: number | string;
}

const adminToken = randomBytes(24).toString('hex');

/** Settings and compiled code lie apart from the data: a seeded log is started with those of the runs before it. */
async function start(folder: StartupFigures['folder'], dataDir: string, settings: string): Promise<StartupFigures> {
  const file = path.join(dataDir, 'monitor.db');
  const cache = { XDG_CACHE_HOME: settings, CACHE_DIRECTORY: '', NODE_COMPILE_CACHE: '' };
  const bareMs = await bare(existsSync(file) ? file : '', cache);
  const env = { MONITOR_CONFIG_PATH: path.join(settings, 'monitor.json'), ...cache };
  const elapsed = stopwatch();
  await using hub = await startHubProcess({ isMeasured: true, dataDir, adminToken, env, command: 'bin/gatehouse.js' });
  await untilReady(hub.url);
  const readyMs = elapsed();
  const rssMb = Math.round(memoryMb(hub.program.pid).rss);
  const summaryMs = folder === 'seeded' ? await summarise(hub) : '-';
  await stopped(hub.program);
  return { folder, readyMs, bareMs, ratio: readyMs / bareMs, rssMb, summaryMs };
}

async function summarise(hub: HubProcess): Promise<number> {
  const to = await findNewest(hub);
  const elapsed = stopwatch();
  await asker(hub, adminToken)(`/api/connections/summary?from=${to - 14 * 86_400_000}&to=${to}`);
  return elapsed();
}

async function bare(file: string, env: Record<string, string>): Promise<number> {
  const elapsed = stopwatch();
  await using program = startProgram(['scripts/launch.mjs', 'bench/bare-server.ts', file], { env });
  const [, origin = ''] = await program.printed(/^bare server ready (\S+)$/m);
  await untilReady(new URL(origin));
  const readyMs = elapsed();
  await stopped(program);
  return readyMs;
}

/** Stops it as an operator does: what was compiled is kept at a clean end. */
async function stopped(program: Program): Promise<void> {
  program.kill('SIGTERM');
  await program.ended;
}

async function untilReady(url: URL): Promise<void> {
  const response = await fetch(new URL('/readyz', url));
  await response.arrayBuffer();
  if (response.status !== 200) {
    throw new Error(`/readyz answered ${response.status} after the program had said that it is ready`);
  }
}

// Backups of a large log while routers are polled: how long each step takes, and whether the hub answers meanwhile.
import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { computeChecksum } from '#kernel/files/large-files.ts';
import { copyDatabase, databaseFaults } from '#kernel/sqlite/database-copy.ts';
import { stopwatch, systemClock } from '#kernel/time/clock.ts';
import { raw } from '../test/support/actors.ts';
import { type HealthProbe, type HealthSamples, quantile, startHealthProbe } from '../test/support/health-probe.ts';
import { type HubProcess, memoryMb, startHubProcess } from '../test/support/hub-process.ts';
import { startRouterProcess } from '../test/support/router-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';
import { seedLog } from './seed.ts';

export const backupBenchmark: Benchmark = {
  summary:
    'create, verify, preview and restore of a large log while routers are polled: time, /healthz, the swap, polls',
  options: {
    rows: 'flows of the log, 1000 to 5000000 (1000000)',
    data: 'a seeded folder that is copied, in place of seeding one',
    'cpu-prof': 'folder for CPU profiles of the hub',
  },
  runs: 1,
  by: ['step'],
  async run(values, runs, progress) {
    const rows = wholeOption(values, 'rows', 1_000_000, 1000, 5_000_000);
    const { data, 'cpu-prof': profile } = values;
    const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profile)}`];
    using seeded = temporaryFolder();
    if (data === undefined) {
      await seedLog({ rows, dataDir: seeded.path, now: systemClock.now(), progress });
    }
    const all: StepFigures[] = [];
    for (let run = 1; run <= runs; run += 1) {
      const tell = (text: string) => progress(`run ${run} of ${runs}, ${text}`);
      all.push(...(await benchBackup({ from: data ?? seeded.path, nodeOptions, progress: tell })));
    }
    return all;
  },
};

interface Options {
  from: string;
  nodeOptions: readonly string[];
  progress(text: string): void;
}

/** `/healthz` every 20 ms outside of the swap; `swapMs` is how long /readyz did not say ready. */
export interface StepFigures {
  step: string;
  wallMs: number;
  megabytesPerSecond: number;
  healthP50Ms: number;
  healthP99Ms: number;
  healthMaxMs: number;
  probes: number;
  failed: number;
  swapMs: number;
  /** Polls that ended meanwhile, and pauses between two of a router that were longer than one and a half intervals. */
  polls: number;
  missed: number;
  peakMb: number;
}

const pollIntervalMs = 10_000;
const restMs = 15_000;

async function benchBackup({ from, nodeOptions, progress }: Options): Promise<StepFigures[]> {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(temporaryFolder());
  const dataDir = path.join(folder, 'data');
  cpSync(from, dataDir, { recursive: true });
  const floor = await floorOf(path.join(dataDir, 'monitor.db'), path.join(folder, 'floor.db'));
  const adminToken = randomBytes(24).toString('hex');
  const env = { POLL_INTERVAL_MS: String(pollIntervalMs) };
  const hub = stack.use(await startHubProcess({ isMeasured: true, dataDir, adminToken, nodeOptions, env }));
  for (const kind of ['vendor_a', 'vendor_b'] as const) {
    const router = stack.use(await startRouterProcess({ kind, sessions: 1000, state: { latency: 'none' } }));
    await hub.as.admin.routers.create({ body: router.record });
  }
  await hub.as.admin.backup.config({ body: { intervalHours: 1_000_000 } });
  // Its first summary, scheduled backup and packing are over.
  await hub.as.admin.connections.summary({ query: { from: '0', to: String(systemClock.now()) } });
  await systemClock.sleep(45_000);
  const probe = stack.use(startHealthProbe(hub.url));
  const scene: Scene = { hub, probe, dbMb: floor.megabytes };
  const made = { name: '' };
  const figures: StepFigures[] = [floor.figures];
  const measure = async (step: string, work: () => Promise<unknown>) => {
    progress(step);
    figures.push(await measured(scene, step, work));
  };
  await measure('rest', () => systemClock.sleep(restMs));
  await measure('create', async () => {
    made.name = (await post(hub, adminToken, '/api/backup/create', {})).name ?? '';
  });
  await measure('preview', async () => {
    await post(hub, adminToken, '/api/backup/prune', { execute: false });
    while ((await hub.as.admin.backup.list({})).pruneJob?.status === 'running') {
      await systemClock.sleep(50);
    }
  });
  await measure('restore', () => post(hub, adminToken, '/api/backup/restore', { name: made.name }));
  await measure('rest after it', () => systemClock.sleep(restMs));
  return figures;
}

interface Scene {
  hub: HubProcess;
  probe: HealthProbe;
  dbMb: number;
}

async function measured({ hub, probe, dbMb }: Scene, step: string, work: () => Promise<unknown>): Promise<StepFigures> {
  const outside: HealthSamples[] = [];
  await probe.take();
  const over = new AbortController();
  const swap = watchSwap(hub, over.signal, async (side) => {
    const samples = await probe.take();
    if (side === 'before') {
      outside.push(samples);
    }
  });
  const polls = watchPolls(hub, over.signal);
  const elapsed = stopwatch();
  await work();
  const wallMs = elapsed();
  over.abort();
  const swapMs = await swap;
  const counted = await polls;
  outside.push(await probe.take());
  const health = outside.flatMap(({ elapsedMs }) => elapsedMs);
  return {
    step,
    wallMs,
    megabytesPerSecond: (dbMb * 1000) / wallMs,
    healthP50Ms: quantile(health, 0.5),
    healthP99Ms: quantile(health, 0.99),
    healthMaxMs: Math.max(...health),
    probes: health.length,
    failed: outside.flatMap(({ failed }) => failed).length,
    swapMs,
    ...counted,
    peakMb: memoryMb(hub.program.pid).peak,
  };
}

/** The longest time in which /readyz did not say ready; `turn` is called when it begins and when it ends. */
async function watchSwap(hub: HubProcess, over: AbortSignal, turn: (side: 'before' | 'within') => Promise<void>) {
  let since = null as (() => number) | null;
  let longest = 0;
  while (!over.aborted || since !== null) {
    const { status } = await raw(hub.url, { method: 'GET', path: '/readyz' });
    if (status !== 200 && since === null) {
      since = stopwatch();
      await turn('before');
    } else if (status === 200 && since !== null) {
      longest = Math.max(longest, since());
      since = null;
      await turn('within');
    }
    await systemClock.sleep(10);
  }
  return longest;
}

async function watchPolls(hub: HubProcess, over: AbortSignal): Promise<Pick<StepFigures, 'polls' | 'missed'>> {
  const seen = new Map<string, number[]>();
  while (!over.aborted) {
    // Refused while the database is replaced.
    const routers = await hub.as.admin.routers.list({}).then(
      (answer) => answer.routers,
      () => [],
    );
    for (const { id, lastSuccessAt } of routers) {
      const times = seen.get(id) ?? [];
      if (lastSuccessAt !== null && times.at(-1) !== lastSuccessAt) {
        seen.set(id, [...times, lastSuccessAt]);
      }
    }
    await systemClock.sleep(500, over).catch(() => undefined);
  }
  const pauses = [...seen.values()].flatMap((times) => times.slice(1).map((at, index) => at - (times[index] ?? at)));
  return { polls: pauses.length, missed: pauses.filter((pause) => pause > 1.5 * pollIntervalMs).length };
}

/** A restore of a large log takes longer than the typed client waits. */
async function post(hub: HubProcess, token: string, route: string, body: object): Promise<{ name?: string }> {
  const headers = { 'x-admin-token': token, 'content-type': 'application/json' };
  const answer = await raw(hub.url, { method: 'POST', path: route, headers, body: JSON.stringify(body) });
  if (answer.status >= 300) {
    throw new Error(`${route} answered ${answer.status}: ${answer.text}`);
  }
  return answer.body as { name?: string };
}

/** What a backup cannot do without: the copy, its check, its checksum, by this process and nothing else. */
async function floorOf(file: string, copy: string): Promise<{ megabytes: number; figures: StepFigures }> {
  const elapsed = stopwatch();
  copyDatabase(file, copy);
  databaseFaults(copy, 'whole');
  const { size } = await computeChecksum(copy);
  const wallMs = elapsed();
  const megabytes = size / 1e6;
  const none = { healthP50Ms: 0, healthP99Ms: 0, healthMaxMs: 0, probes: 0, failed: 0, swapMs: 0, polls: 0, missed: 0 };
  const figures = {
    step: 'floor of create',
    wallMs,
    megabytesPerSecond: (megabytes * 1000) / wallMs,
    ...none,
    peakMb: 0,
  };
  return { megabytes, figures };
}

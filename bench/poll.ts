// One router with a full table, polled over SSH: what it costs the hub, and whether the hub still answers meanwhile.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { messageOf } from '#kernel/errors.ts';
import { UsageError } from '#kernel/process/program.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startHealthProbe } from '../test/support/health-probe.ts';
import { type HubProcess, startHubProcess } from '../test/support/hub-process.ts';
import { type RouterProcess, startRouterProcess } from '../test/support/router-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';
import { type HubFigures, startMeasuring } from './hub-figures.ts';

export const pollBenchmark: Benchmark = {
  summary: 'one router with a full table, polled over SSH: CPU time, memory and /healthz of the hub',
  options: {
    sessions: 'rows of the table, 100 to 65000 (65000)',
    kind: 'vendor_a or vendor_b (both)',
    'cpu-prof': 'folder for CPU profiles of the hub',
  },
  runs: 3,
  by: ['kind', 'cycle'],
  async run(values, runs, progress) {
    const sessions = wholeOption(values, 'sessions', 65_000, 100, 65_000);
    const { kind: only, 'cpu-prof': profile } = values;
    const kinds = (['vendor_a', 'vendor_b'] as const).filter((kind) => only === undefined || kind === only);
    if (kinds.length === 0) {
      throw new UsageError(`--kind must be vendor_a or vendor_b, not "${only}"`);
    }
    const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profile)}`];
    const all: CycleFigures[] = [];
    for (const kind of kinds) {
      for (let run = 1; run <= runs; run += 1) {
        const tell = (text: string) => progress(`run ${run} of ${runs}, ${text}`);
        all.push(...(await benchPoll({ kind, sessions, nodeOptions, progress: tell })));
      }
    }
    return all;
  },
};

export interface PollBenchOptions {
  kind: 'vendor_a' | 'vendor_b';
  sessions: number;
  /** Options for the hub's Node, such as `--cpu-prof`. */
  nodeOptions: readonly string[];
  progress(text: string): void;
}

/** One poll cycle. */
export interface CycleFigures extends HubFigures {
  kind: string;
  cycle: 'all new' | '90 % known' | 'all known';
  sessions: number;
}

const pollIntervalMs = 15_000;
/** Start-up work of the hub's process that would count as the first cycle's. */
const settleMs = 1000;

/** Three cycles: a full table nobody knows, one of which a tenth is new, and the same one again. */
export async function benchPoll(options: PollBenchOptions): Promise<CycleFigures[]> {
  const { kind, sessions, progress } = options;
  const fresh = Math.floor(sessions / 10);
  const settings = { tableLimit: 100_000, ...(kind === 'vendor_a' ? { lines: 'infinity' } : {}) };
  const state = { latency: 'none', settings };
  await using router = await startRouterProcess({ kind, sessions: sessions - fresh, state });
  const figures: CycleFigures[] = [];
  await withHub(options, router, async (cycle) => {
    progress(`${kind}: a first poll of ${sessions - fresh} sessions`);
    await cycle('all new');
    progress(`${kind}: ${fresh} new flows`);
    await addFlows(router, fresh);
    progress(`${kind}: 90 % known`);
    figures.push(await cycle('90 % known'));
    progress(`${kind}: all known`);
    figures.push(await cycle('all known'));
  });
  await withHub(options, router, async (cycle) => {
    progress(`${kind}: all new`);
    figures.unshift(await cycle('all new'));
  });
  return figures;
}

type MeasureCycle = (name: CycleFigures['cycle']) => Promise<CycleFigures>;

/** A hub on an empty folder with this one router; `work` measures its cycles one after another. */
async function withHub(
  { kind, nodeOptions }: PollBenchOptions,
  router: RouterProcess,
  work: (cycle: MeasureCycle) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder();
  const adminToken = randomBytes(24).toString('hex');
  const env = { POLL_INTERVAL_MS: String(pollIntervalMs) };
  await using hub = await startHubProcess({ isMeasured: true, dataDir: folder.path, adminToken, nodeOptions, env });
  await using probe = startHealthProbe(hub.url);
  await systemClock.sleep(settleMs);
  let isAdded = false;
  const measure: MeasureCycle = async (name) => {
    const before = isAdded ? await untilNextPoll(hub) : null;
    const measured = await startMeasuring(hub, probe);
    if (!isAdded) {
      await hub.as.admin.routers.create({ body: router.record });
      isAdded = true;
    }
    const status = await untilPolled(hub, before);
    return { kind, cycle: name, sessions: status.sessionCount, ...(await measured()) };
  };
  try {
    await work(measure);
  } catch (cause) {
    throw new Error(`${messageOf(cause)}; the hub's log: ${hub.program.stderr() || 'empty'}`, { cause });
  }
  // The end of its own accord is what makes Node write a CPU profile.
  hub.program.kill('SIGTERM');
  await hub.program.ended;
}

async function statusOf(hub: HubProcess) {
  const { routers } = await hub.as.admin.routers.list({});
  const [router] = routers;
  if (!router) {
    throw new Error('the hub has lost its router');
  }
  return router;
}

/** Resolves when the next poll begins, to the time of the last success before it. */
async function untilNextPoll(hub: HubProcess): Promise<number | null> {
  const { nextPollAt, lastSuccessAt } = await statusOf(hub);
  await systemClock.sleep(Math.max(0, (nextPollAt ?? 0) - systemClock.now()));
  return lastSuccessAt;
}

async function untilPolled(hub: HubProcess, before: number | null) {
  for (;;) {
    await systemClock.sleep(50);
    const status = await statusOf(hub);
    if (status.lastError !== null) {
      throw new Error(`the poll failed: ${status.message}`);
    }
    if (status.lastSuccessAt !== before) {
      return status;
    }
  }
}

async function addFlows(router: RouterProcess, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const add = async () => {
    for (const index of numbers) {
      await router.control('POST', '/flows', {
        src: `192.168.100.${2 + (index % 12)}`,
        dst: `192.0.2.${1 + (index % 250)}`,
        dport: 1024 + Math.floor(index / 250),
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, add));
}

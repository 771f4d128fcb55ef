// Real polling for a long time beside busy loops: whether healthy routers stay ready, and whether memory keeps growing.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { systemClock } from '#kernel/time/clock.ts';
import { measureGrowth } from '../test/soak/invariants/growth.ts';
import { eventually } from '../test/support/eventually.ts';
import { type HubProcess, startHubProcess } from '../test/support/hub-process.ts';
import { root } from '../test/support/program.ts';
import { type RouterProcess, startRouterProcess } from '../test/support/router-process.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';

const sampleEveryMs = 30_000;
/** What a start and the first tables need is not growth. */
const warmUpMs = 600_000;

export const soakBenchmark: Benchmark = {
  summary: 'four routers polled each 10 s beside busy loops: states, and memory after the first ten minutes',
  options: {
    minutes: 'how long, 11 to 1440 (60)',
    sessions: 'rows of each table, 100 to 20000 (1000)',
    'new-flows': 'flows that begin in each router every 30 s, 0 to 500 (50)',
    busy: 'loops that do nothing but keep a core busy, 0 to 16 (4)',
  },
  runs: 1,
  by: ['memory'],
  async run(values, runs, progress) {
    const options = {
      minutes: wholeOption(values, 'minutes', 60, 11, 1440),
      sessions: wholeOption(values, 'sessions', 1000, 100, 20_000),
      newFlows: wholeOption(values, 'new-flows', 50, 0, 500),
      busy: wholeOption(values, 'busy', 4, 0, 16),
    };
    const all: object[] = [];
    for (let run = 0; run < runs; run += 1) {
      all.push(...(await soak(options, progress)));
    }
    return all;
  },
};

interface SoakOptions {
  minutes: number;
  sessions: number;
  newFlows: number;
  busy: number;
}

/** MiB of the hub's process; all but the first three after a collection of garbage, the next two of its main thread. */
interface Memory {
  rss: number;
  /** Of `rss`: what the process made, and files it has mapped. */
  anonymous: number;
  files: number;
  heapUsed: number;
  external: number;
  /** Of all threads that answered, and how many these were. */
  threadHeaps: number;
  threads: number;
}

interface Sample extends Memory {
  atMs: number;
  /** Rows of the log. */
  connections: number;
}

async function soak({ minutes, sessions, newFlows, busy }: SoakOptions, progress: (text: string) => void) {
  using folder = temporaryFolder();
  await using stack = new AsyncDisposableStack();
  stack.use(startBusyLoops(busy));
  const kinds = ['vendor_a', 'vendor_b', 'vendor_a', 'vendor_b'] as const;
  const routers: RouterProcess[] = [];
  for (const [at, kind] of kinds.entries()) {
    routers.push(stack.use(await startRouterProcess({ kind, sessions, seed: at + 1 })));
  }
  const hub = stack.use(
    await startHubProcess({
      isMeasured: true,
      dataDir: folder.path,
      adminToken: randomBytes(24).toString('hex'),
      command: 'bin/gatehouse.js',
      nodeOptions: ['--expose-gc', '--import', path.join(root, 'test/support/report-memory.ts')],
    }),
  );
  for (const { record } of routers) {
    await hub.as.admin.routers.create({ body: record });
  }
  const samples: Sample[] = [];
  const troubles = new Map<string, number>();
  const startedAt = systemClock.now();
  for (let turn = 0; systemClock.now() - startedAt < minutes * 60_000; turn += 1) {
    await addFlows(routers, newFlows, turn);
    await systemClock.sleep(sampleEveryMs);
    const { routers: states } = await hub.as.admin.routers.list({});
    for (const { kind, state, message, complete, failure, lastError } of states) {
      if (state === 'ready' && complete && failure === null) {
        continue;
      }
      const trouble = `${kind}: ${state}, ${complete ? 'complete' : 'incomplete'}: ${lastError ?? message}`;
      troubles.set(trouble, (troubles.get(trouble) ?? 0) + 1);
    }
    const atMs = systemClock.now() - startedAt;
    const { total } = await hub.as.admin.connections.list({ query: { limit: '1' } });
    samples.push({ atMs, ...(await memoryOf(hub, samples.length)), connections: total });
    if (turn % 10 === 9) {
      process.stdout.write(`${JSON.stringify(samples.at(-1))}\n`);
    }
    progress(
      `${Math.floor(atMs / 60_000)} of ${minutes} minutes, ${samples.at(-1)?.rss} MiB, ${troubles.size} troubles`,
    );
  }
  for (const [trouble, times] of troubles) {
    process.stdout.write(`not ready, seen ${times} times: ${trouble}\n`);
  }
  const seen = [...troubles.values()].reduce((sum, times) => sum + times, 0);
  return rowsOf(samples).map((row) => ({
    ...row,
    minutes,
    looks: samples.length * 4,
    notReady: seen,
  }));
}

function startBusyLoops(count: number): Disposable {
  const loops: ChildProcess[] = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;) {}']));
  return {
    [Symbol.dispose]() {
      for (const loop of loops) {
        loop.kill('SIGKILL');
      }
    },
  };
}

async function addFlows(routers: readonly RouterProcess[], count: number, turn: number): Promise<void> {
  for (const router of routers) {
    for (let index = 0; index < count; index += 1) {
      await router.control('POST', '/flows', {
        src: `192.168.100.${2 + (index % 12)}`,
        dst: `192.0.2.${1 + ((turn * 7 + index) % 250)}`,
        dport: 1024 + ((turn * count + index) % 4000),
        everyMs: 5000,
        lastsMs: 40_000,
      });
    }
  }
}

async function memoryOf({ program }: HubProcess, before: number): Promise<Memory> {
  program.kill('SIGUSR2');
  const lines = () => Promise.resolve(program.stderr().match(/^\{"memory":.*$/gm) ?? []);
  const line = await eventually(lines, (all) => all[before]);
  return (JSON.parse(line) as { memory: Memory }).memory;
}

/** One row per figure: at ten minutes, at the end, and the slope between by least squares. */
function rowsOf(samples: readonly Sample[]) {
  const late = samples.filter(({ atMs }) => atMs >= warmUpMs);
  return (['rss', 'anonymous', 'files', 'heapUsed', 'external', 'threadHeaps', 'threads', 'connections'] as const).map(
    (memory) => ({
      memory,
      first: late[0]?.[memory] ?? 0,
      last: late.at(-1)?.[memory] ?? 0,
      perHour:
        Math.round(
          measureGrowth(late.map((sample) => ({ x: sample.atMs / 3_600_000, y: sample[memory] }))).slope * 10,
        ) / 10,
    }),
  );
}

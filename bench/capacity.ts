// One hub at 60 s under more and more routers, sessions and Agents: the first step whose polls no longer fit.
import { oneOfOption } from '#kernel/process/option-value.ts';
import { type LatencyName, latencies } from '#simulators/router/latency.ts';
import { type Benchmark, listOption } from './benchmark.ts';
import type { CapacityStep } from './capacity-parts.ts';
import { intervalMs, measureStep, type StepFigures } from './capacity-step.ts';

export const capacityBenchmark: Benchmark = {
  summary:
    'one hub polling each 60 s under more and more routers, sessions and Agents, to the first step that does not fit',
  options: {
    routers: 'how many, 1 to 10, separated by commas (1,4,10)',
    sessions: 'rows of each table, 100 to 65000, separated by commas (10000,65000)',
    agents: 'Agents that deliver 200 observations each 15 s, 0 to 100, separated by commas (8)',
    latency: 'how quick the routers are: none, modern (400 kB/s) or old (60 kB/s) (none)',
  },
  runs: 1,
  by: ['routers', 'sessions', 'agents', 'latency', 'cycle'],
  async run(values, runs, progress) {
    const latency = oneOfOption('latency', values.latency ?? 'none', Object.keys(latencies) as LatencyName[]);
    const ladder = buildLadder({
      routers: listOption(values, 'routers', '1,4,10', 1, 10),
      sessions: listOption(values, 'sessions', '10000,65000', 100, 65_000),
      agents: listOption(values, 'agents', '8', 0, 100),
    }).map((step) => ({ ...step, latency }));
    const all: StepFigures[] = [];
    for (let run = 1; run <= runs; run += 1) {
      all.push(...(await climb(ladder, (text) => progress(`run ${run} of ${runs}, ${text}`))));
    }
    return all;
  },
};

interface Ladder {
  routers: readonly number[];
  sessions: readonly number[];
  agents: readonly number[];
}

/** Every combination, that with the fewest sessions first. */
export function buildLadder({ routers, sessions, agents }: Ladder) {
  const steps = routers.flatMap((count) =>
    sessions.flatMap((rows) => agents.map((some) => ({ routers: count, sessions: rows, agents: some }))),
  );
  return steps.toSorted((a, b) => a.routers * a.sessions - b.routers * b.sessions || a.agents - b.agents);
}

/** Measures step after step, to the first that does not fit, and says which that was. */
async function climb(ladder: readonly CapacityStep[], progress: (text: string) => void): Promise<StepFigures[]> {
  const all: StepFigures[] = [];
  let fitting: CapacityStep | null = null;
  for (const step of ladder) {
    const cycles = await measureStep(step, (text) => progress(`${nameOf(step)}: ${text}`));
    all.push(...cycles);
    for (const { cycle, wallMs, cpuMs, fits } of cycles) {
      say(`${nameOf(step)}, ${cycle}: ${wallMs} ms, CPU of the hub ${cpuMs} ms, fits: ${fits}`);
    }
    if (cycles.some(({ fits }) => fits === 'no')) {
      const before = fitting === null ? 'no step before' : nameOf(fitting);
      say(`does not fit into ${intervalMs / 1000} s: ${nameOf(step)}; the last that fits: ${before}`);
      return all;
    }
    fitting = step;
  }
  say(`all steps fit into ${intervalMs / 1000} s; the greatest: ${fitting === null ? '-' : nameOf(fitting)}`);
  return all;
}

function nameOf({ routers, sessions, agents }: CapacityStep): string {
  return `${routers} routers of ${sessions} sessions, ${agents} Agents`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

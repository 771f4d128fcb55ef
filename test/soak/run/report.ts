// The table at the end of a soak, and the line of progress.
import type { FaultName } from '../catalogue.ts';
import type { Growth } from '../invariants/growth.ts';
import { clock, type PlannedFault } from '../plan.ts';
import { allocator } from '../world/allocator.ts';
import { type Broken, type Checks, type InvariantName, invariantNames } from './checks.ts';
import { leastLifeMs } from './judged-samples.ts';
import type { HealthSummary } from './watch-health.ts';
import type { MemorySummary } from './watch-memory.ts';

export interface Outcome {
  seed: number;
  /** How long it ran. */
  ranMs: number;
  planned: number;
  done: ReadonlyMap<FaultName, number>;
  checks: Checks;
  memory: MemorySummary;
  health: HealthSummary;
  /** What clients were acknowledged: batches of Agents, writes; and messages the workspace got. */
  acknowledged: { batches: number; writes: number; messages: number };
  lives: number;
  withoutDisk: string | null;
}

export function describeOutcome(outcome: Outcome): string {
  const { seed, ranMs, planned, done, checks, memory, health, acknowledged, lives, withoutDisk } = outcome;
  const total = [...done.values()].reduce((sum, each) => sum + each, 0);
  const lines = [
    `soak of seed ${seed}: ${clock(ranMs)} minutes, ${total} of ${planned} faults, ${lives} lives of the hub`,
    '',
    'fault                 times',
    ...[...done]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, times]) => `${kind.padEnd(22)}${String(times).padStart(5)}`),
    ...(withoutDisk === null ? [] : [`disk-full did nothing: no small disk can be mounted here (${withoutDisk})`]),
    '',
    'invariant          checks  says',
    ...Object.entries(invariantNames).map(
      ([name, says]) =>
        `${name.padEnd(17)}${String(checks.counts[name as InvariantName]).padStart(8)}  ${says}${checks.broken?.invariant === name ? ': BROKEN' : ''}`,
    ),
    '',
    `acknowledged       ${acknowledged.batches} batches of Agents, ${acknowledged.writes} notes and settings; ${acknowledged.messages} alerts were told`,
    ...describeMemory(memory),
    `descriptors        ${memory.descriptors ? `fewest in the first minutes ${memory.descriptors.first}, in the last ${memory.descriptors.last}; most ${memory.descriptors.most}` : 'the run was too short'}`,
    `/healthz           ${health.asked} answers: ${latency(health.hub)}; bare server next to it: ${latency(health.bare)}`,
  ];
  return lines.join('\n');
}

export interface BrokenAt extends Broken {
  /** Since the start. */
  ms: number;
  /** Under way then. */
  faults: readonly PlannedFault[];
  minutes: number;
  seed: number;
  only: FaultName | null;
}

export function describeBroken({ ms, faults, invariant, problem, minutes, seed, only }: BrokenAt): string {
  const names = faults.map(({ number, kind, subject }) => `${kind} of ${subject} (${number})`);
  const again = `npm run soak -- --minutes ${minutes} --seed ${seed}${only === null ? '' : ` --only ${only}`}`;
  return `
BROKEN in second ${Math.floor(ms / 1000)} (${clock(ms)}): ${invariant}: ${problem}
faults under way: ${names.join(', ') || 'none'}
the same schedule again: ${again}`;
}

function describeMemory(memory: MemorySummary): string[] {
  const { inUse, objects, code, native, anonymous, resident, connections, lastMb } = memory;
  if (!inUse || !objects || !code || !native || !anonymous || !resident || !connections || !lastMb) {
    return [`memory             not judged: no life of the hub was as long as ${leastLifeMs / 60_000} minutes`];
  }
  return [
    `memory, an hour    in use ${change(inUse, 'MiB')} (${inUse.points} samples)`,
    `                   of it objects ${change(objects, 'MiB')}, compiled code among them ${change(code, 'MiB')}`,
    `                   of it native code ${change(native, 'MiB')}, allocated by ${allocator().name}`,
    `                   anonymous ${change(anonymous, 'MiB')}, resident ${change(resident, 'MiB')}`,
    `                   at the end: resident ${lastMb.rss}, anonymous ${lastMb.anonymous}, in use ${lastMb.inUse.toFixed(1)}, native code ${lastMb.native.toFixed(1)} MiB; the log grew by ${connections.slope.toFixed(0)} connections an hour`,
  ];
}

function change({ slope, within }: Growth, unit: string): string {
  return `${slope >= 0 ? '+' : ''}${slope.toFixed(2)} ± ${within.toFixed(2)} ${unit}`;
}

function latency({ p50, p99, longest }: HealthSummary['hub']): string {
  return `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, longest ${longest.toFixed(0)} ms`;
}

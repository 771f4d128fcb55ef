// The soak in real time: the whole system, the faults of a plan, and every invariant looked at while it runs.
import { appendFileSync } from 'node:fs';
import { systemClock } from '#kernel/time/clock.ts';
import type { FaultName } from './catalogue.ts';
import { clock, drawPlan, type PlannedFault } from './plan.ts';
import { type Checks, createChecks } from './run/checks.ts';
import { createFill } from './run/fill.ts';
import { leastLifeMs } from './run/judged-samples.ts';
import { checkFailure, keepLooking } from './run/look.ts';
import { describeBroken, describeOutcome } from './run/report.ts';
import { runSchedule, type Schedule } from './run/schedule.ts';
import { watchDisk } from './run/watch-disk.ts';
import { createFeedWatch } from './run/watch-feeds.ts';
import { startHealthWatch } from './run/watch-health.ts';
import { createMemoryWatch } from './run/watch-memory.ts';
import { services, watchService, watchStatus } from './run/watch-status.ts';
import { createStoredWatch } from './run/watch-stored.ts';
import { print } from './verdict.ts';
import { startWorld, type World } from './world/world.ts';

export interface RealOptions {
  minutes: number;
  seed: number;
  /** Nothing but this kind of fault; null: all kinds. */
  only: FaultName | null;
  /** Where the samples of memory are written; null: nowhere. */
  samplesFile: string | null;
  /** Aborted by Ctrl-C: what was measured so far is printed. */
  stop: AbortSignal;
}

const second = 1000;

/** Resolves to the exit code: 0 when every invariant held, 1 when one did not. */
export async function runReal({ minutes, seed, only, samplesFile, stop }: RealOptions): Promise<number> {
  const plan = drawPlan({ seed, minutes, only });
  print(`soak of seed ${seed}: ${minutes} minutes, ${plan.length} faults; the world is being started`);
  await using world = await startWorld(seed);
  print('the world stands; Ctrl-C ends it and prints what was measured so far');
  const checks = createChecks();
  // Ctrl-C in a terminal reaches the programs of the world as well.
  stop.addEventListener('abort', checks.close, { once: true });
  const failed = new AbortController();
  const ends = AbortSignal.any([stop, failed.signal]);
  const schedule = runSchedule(world, plan, ends);
  const stored = createStoredWatch(world, checks);
  const memory = createMemoryWatch(world, checks, systemClock.now, (sample) => {
    if (samplesFile !== null) {
      appendFileSync(samplesFile, `${JSON.stringify(sample)}\n`);
    }
  });
  await using health = startHealthWatch(world, checks);
  const passed = () => systemClock.now() - world.startedAt;
  const fill = minutes * 60_000 > leastLifeMs ? createFill(world, systemClock.now) : async () => undefined;
  const watching = watchAll({ world, checks, stop: ends, stored, memory, health, fill });
  let shown = 0;
  let at: { ms: number; faults: readonly PlannedFault[] } | null = null;
  while (passed() < minutes * 60_000 && !stop.aborted) {
    await systemClock.sleep(second, stop).catch(() => undefined);
    const trouble = schedule.failure() ?? world.hub.unasked;
    if (trouble === null) {
      checks.check('alive', null);
    } else {
      await checkFailure(trouble, checks);
    }
    if (checks.broken) {
      at = { ms: passed(), faults: schedule.underWay() };
      break;
    }
    if (passed() - shown >= 30_000) {
      shown = passed();
      print(progress(passed(), schedule, checks, stored.acknowledged));
    }
  }
  failed.abort(new Error('the soak is over'));
  await Promise.all([watching, schedule.ended]);
  memory.judge();
  at ??= checks.broken ? { ms: passed(), faults: schedule.underWay() } : null;
  print(
    `\n${describeOutcome({
      ...{ seed, ranMs: passed(), planned: plan.length, done: schedule.done, checks },
      memory: memory.summary(),
      health: health.summary(),
      acknowledged: { batches: stored.acknowledged, writes: world.ledger.acknowledged, messages: stored.told },
      lives: world.hub.life,
      withoutDisk: world.withoutDisk,
    })}`,
  );
  if (checks.broken && at) {
    print(describeBroken({ ...at, ...checks.broken, minutes, seed, only }));
    return 1;
  }
  return 0;
}

interface Watching {
  world: World;
  checks: Checks;
  stop: AbortSignal;
  stored: ReturnType<typeof createStoredWatch>;
  memory: ReturnType<typeof createMemoryWatch>;
  health: ReturnType<typeof startHealthWatch>;
  fill: () => Promise<void>;
}

/** Each look in a loop of its own: a slow one delays no other. */
async function watchAll({ world, checks, stop, stored, memory, health, fill }: Watching): Promise<void> {
  const feeds = createFeedWatch(world, checks);
  const every = (everyMs: number, look: () => Promise<unknown> | unknown) =>
    keepLooking(look, { everyMs, checks, stop });
  await Promise.all([
    every(second, () => watchStatus(world, checks)),
    every(second, () => health.look()),
    every(second, () => whilePresent(world, fill)),
    every(second, () => {
      const lines = world.sims.journal();
      stored.read(lines);
      feeds.read(lines);
      memory.countDescriptors();
    }),
    every(second / 2, async () => {
      const problems = world.hub.absence() === null ? await world.ledger.step() : null;
      if (problems !== null) {
        checks.check('answered-writes', problems[0] ?? null);
      }
    }),
    every(4 * second, () => stored.look()),
    every(3 * second, () => whilePresent(world, feeds.look)),
    every(3 * second, () => whilePresent(world, () => watchDisk(world, checks))),
    every(20 * second, () => whilePresent(world, memory.sample)),
    ...services.map((service) => every(6 * second, () => watchService(world, service, checks))),
  ]);
}

/** What it looks at may go away while it looks: only what the hub owed is a failure. */
async function whilePresent({ hub }: World, look: () => Promise<unknown>): Promise<void> {
  const since = hub.presentSince();
  if (hub.absence() === null) {
    await look().catch(async (error: unknown) => {
      if (await hub.stillOwes(since)) {
        throw error;
      }
    });
  }
}

function progress(ms: number, { done, underWay }: Schedule, { counts }: Checks, batches: number): string {
  const faults = [...done.values()].reduce((sum, each) => sum + each, 0);
  const all = Object.values(counts).reduce((sum, each) => sum + each, 0);
  const now = underWay().map(({ kind, subject }) => `${kind} of ${subject}`);
  return `${clock(ms)}  ${faults} faults, ${all} checks, ${batches} batches acknowledged; under way: ${now.join(', ') || 'nothing'}`;
}

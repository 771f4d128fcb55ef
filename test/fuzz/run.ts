// One target tried with so many inputs: fast-check draws and shrinks them, the rest of the way down is `smaller`.
import fc from 'fast-check';
import { stopwatch, yieldToEventLoop } from '#kernel/time/clock.ts';
import { createInputs } from './input.ts';
import { smaller } from './smaller.ts';
import type { Target } from './target.ts';

export interface Outcome {
  cases: number;
  /** Null when nothing was wrong. */
  failure: { problem: string; input: Buffer } | null;
  /** CPU time of the slowest input, in milliseconds for 64 kB of it (a shorter one counts as 64 kB). */
  slowestMs: number;
}

export interface RunOptions {
  seed: number;
  cases: number;
  /** Most CPU time for 64 kB, milliseconds; not judged when absent. */
  cpuMs?: number;
  /** Asked between two inputs: whether to end here. */
  isOver?: () => boolean;
  /** Told every input that was tried. */
  onInput?: (input: Buffer) => void;
}

const speedBytes = 65_536;

export async function runTarget(target: Target, { seed, cases, cpuMs, isOver, onInput }: RunOptions): Promise<Outcome> {
  let tried = 0;
  let slowestMs = 0;
  /** Not made smaller: that would take as long again for each try. */
  let slow: { problem: string; input: Buffer } | null = null;
  const judge = async (input: Buffer): Promise<string | null> => {
    const [ms, problem] = await timed(target, input);
    if (cpuMs === undefined || problem !== null) {
      return problem;
    }
    const scale = speedBytes / Math.max(speedBytes, input.length) / target.readings;
    // What is slow once may have been interrupted, or not compiled yet.
    let best = ms * scale;
    const tries = best > 20 * cpuMs ? 0 : best > cpuMs ? 4 : 1;
    for (let again = 0; again < tries && best > slowestMs; again += 1) {
      best = Math.min(best, (await timed(target, input))[0] * scale);
    }
    slowestMs = Math.max(slowestMs, best);
    return best > cpuMs ? `takes ${best.toFixed(0)} ms of CPU for 64 kB, more than ${cpuMs} ms` : null;
  };
  const property = fc.asyncProperty(createInputs(target), async (input) => {
    if (isOver?.() || slow !== null) {
      return;
    }
    tried += 1;
    if (tried % 256 === 0) {
      // Signals and timers have a turn.
      await yieldToEventLoop();
    }
    onInput?.(input);
    const problem = await judge(input);
    if (problem !== null) {
      slow = problem.startsWith('takes ') ? { problem, input } : null;
      throw new Error(problem);
    }
  });
  const found = await fc.check(property, { seed, numRuns: cases });
  const [first] = found.counterexample ?? [];
  if (!found.failed || first === undefined || slow !== null) {
    return { cases: tried, failure: slow, slowestMs };
  }
  const kindOf = (problem: string | null) => problem?.slice(0, 24).replace(/\d+/g, '') ?? null;
  const wanted = kindOf(await judge(first));
  if (wanted === null) {
    const problem = `${found.errorInstance instanceof Error ? found.errorInstance.message : 'failed'}, and not when it was tried again`;
    return { cases: tried, failure: { problem, input: first }, slowestMs };
  }
  const input = await smaller(first, async (next) => kindOf(await judge(next)) === wanted);
  return { cases: tried, failure: { problem: (await judge(input)) ?? wanted, input }, slowestMs };
}

/** CPU time counts in ticks of milliseconds on some systems: what took less by the clock took less. */
async function timed(target: Target, input: Buffer): Promise<[ms: number, problem: string | null]> {
  const elapsed = stopwatch();
  const before = process.threadCpuUsage();
  const judged = target.judge(input);
  const problem = judged instanceof Promise ? await judged : judged;
  const { user, system } = process.threadCpuUsage(before);
  const took = elapsed();
  const cpu = (user + system) / 1000;
  return [cpu === 0 ? took : Math.min(took, cpu), problem];
}

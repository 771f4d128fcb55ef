// How a run of a seed is told: what was not as it must be, then one line.
import { stopwatch } from '#kernel/time/clock.ts';

export interface Verdict {
  seed: number;
  /** What was not as it must be; empty when all was. */
  problems: readonly string[];
  /** Ended by Ctrl-C. */
  isStopped?: boolean;
  /** What was done, for the line. */
  facts: readonly string[];
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints the verdict of `run`, and resolves to whether nothing was wrong. */
export async function printVerdict(run: () => Promise<Verdict>): Promise<boolean> {
  const elapsed = stopwatch();
  const { seed, problems, isStopped = false, facts } = await run();
  for (const problem of problems) {
    print(`  ${problem}`);
  }
  const verdict = problems.length > 0 ? 'BAD' : isStopped ? 'stopped' : 'good';
  print(`seed ${seed}: ${[verdict, ...facts].join(', ')}, ${(elapsed() / 1000).toFixed(0)} s`);
  return problems.length === 0;
}

/** The stack of an error, or the text of what was thrown in its place. */
export function toStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

// `npm run mutation -- AREA`: changes the sources of an area, one place at a time, and sees whether its tests turn red.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type OptionValues, runProgram, UsageError } from '#kernel/process/program.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { areas, leastScore } from './areas.ts';
import { describeSurvivor, type Outcome, outcomeOf, scoreRow, worstOf } from './outcome.ts';
import { runMutation } from './run.ts';
import { writeScore } from './scores.ts';

const usage = `Usage: npm run mutation -- AREA [--count N] [--seed N,…] [--file PATH]

Changes the sources of an area, one place at a time, runs the tests that pass there, and lists the changes that no test
saw. The score is the share of the others, for the worst seed; docs/testing.md keeps it for each area. It ends with 1
below ${leastScore} %.

Areas: ${Object.keys(areas).join(', ')}, or "all" of them

Options
  --count N    how many changes are tried (60), a third of them on error paths
  --seed N,…   which ones (1,2,3); the seeds share one run
  --file PATH  only changes of this file; the score is not kept
  --jobs N     how many at once (2); most of their time is waiting
`;

const text = (value: string) => ({ type: 'string', default: value }) as const;
const program = {
  name: 'mutation',
  typed: 'npm run mutation',
  usage,
  options: { count: text('60'), seed: text('1,2,3'), jobs: text('2'), file: { type: 'string' } },
  operands: { name: 'area', most: 1 },
} as const;
type Values = OptionValues<typeof program.options>;

process.exitCode = await runProgram(process.argv.slice(2), program, async (values, [asked = '']) => {
  const names = asked === 'all' ? Object.keys(areas) : [asked];
  const seeds = values.seed.split(',');
  const numbers = [values.count, ...seeds, values.jobs].map(Number);
  if (!names.every((name) => Object.hasOwn(areas, name)) || numbers.some((n) => !Number.isSafeInteger(n) || n < 1)) {
    throw new UsageError('name one of the areas, and whole numbers from 1 on');
  }
  const scores = [];
  for (const name of names) {
    scores.push(await measure(name, seeds, values));
  }
  if (Math.min(...scores) < leastScore) {
    throw new Error(`an area is below ${leastScore} %`);
  }
});

/** Prints the outcome of each seed and keeps the row of the table; resolves to the worst score in per cent. */
async function measure(name: string, seeds: string[], values: Values): Promise<number> {
  const elapsed = stopwatch();
  const found = await runMutation(areas[name] as (typeof areas)[string], { ...values, seeds });
  const outcomes = found.map(({ seed, results }) => ({ seed, ...outcomeOf(results) }));
  for (const outcome of outcomes) {
    print(`${name}, seed ${outcome.seed}`, outcome, elapsed() / 1000);
  }
  if (values.file === undefined) {
    writeScore(name, scoreRow(name, outcomes, elapsed() / 60_000));
  }
  return worstOf(outcomes).score;
}

function print(name: string, { killed, tried, score, survivors }: Outcome, seconds: number): void {
  for (const survivor of survivors) {
    const file = path.relative(process.cwd(), survivor.fileName);
    process.stdout.write(`${describeSurvivor(survivor, file, readFileSync(survivor.fileName, 'utf8'))}\n`);
  }
  process.stdout.write(`${name}: ${killed} of ${tried} changes seen (${score} %), ${Math.round(seconds)} s\n`);
}

// `npm run mutation -- AREA`: changes the sources of an area, one place at a time, and sees whether its tests turn red.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1,2,3' },
    jobs: { type: 'string', default: '2' },
    file: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) {
  process.stdout.write(usage);
} else {
  await run(positionals[0] ?? '');
}

async function run(asked: string): Promise<void> {
  const names = asked === 'all' ? Object.keys(areas) : [asked];
  const seeds = values.seed.split(',');
  const numbers = [values.count, ...seeds, values.jobs].map(Number);
  if (!names.every((name) => Object.hasOwn(areas, name)) || numbers.some((n) => !Number.isSafeInteger(n) || n < 1)) {
    process.stderr.write(`mutation: an area is needed, and whole numbers from 1 on\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  for (const name of names) {
    const elapsed = stopwatch();
    const found = await runMutation(areas[name] as (typeof areas)[string], { ...values, seeds });
    const outcomes = found.map(({ seed, results }) => ({ seed, ...outcomeOf(results) }));
    for (const outcome of outcomes) {
      print(`${name}, seed ${outcome.seed}`, outcome, elapsed() / 1000);
    }
    if (values.file === undefined) {
      writeScore(name, scoreRow(name, outcomes, elapsed() / 60_000));
    }
    process.exitCode = worstOf(outcomes).score < leastScore ? 1 : process.exitCode;
  }
}

function print(name: string, { killed, tried, score, survivors }: Outcome, seconds: number): void {
  for (const survivor of survivors) {
    const file = path.relative(process.cwd(), survivor.fileName);
    process.stdout.write(`${describeSurvivor(survivor, file, readFileSync(survivor.fileName, 'utf8'))}\n`);
  }
  process.stdout.write(`${name}: ${killed} of ${tried} changes seen (${score} %), ${Math.round(seconds)} s\n`);
}

// `npm run fuzz`: every reader of outside bytes with many inputs; ends with 1 when one failed, and stores what failed.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { sha256 } from '#kernel/text/digest.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { root } from '../support/program.ts';
import { runTarget } from './run.ts';
import { corpusFolder, type Target } from './target.ts';
import { targets } from './targets.ts';

/** Most CPU time for 64 kB of input. */
const cpuMs = 50;

const usage = `Usage: npm run fuzz -- [--cases N] [--seed N] [--target NAME]

Tries every reader of outside bytes with inputs made from the captures of fixtures/ and test/fuzz/corpus: changed, mixed, cut,
and stretched to 64 kB. An input fails when its reader throws what it does not declare, takes more than ${cpuMs} ms of CPU
for 64 kB, or returns what must not be. It is made as small as it can be and stored in test/fuzz/corpus/TARGET, where
"npm test" tries it from then on. Ctrl-C prints what was found so far.

Options
  --cases N      inputs for each target (100000)
  --seed N       the same seed makes the same inputs (a new one each time)
  --target NAME  only targets whose name has these letters; may be repeated
`;

const { values } = parseArgs({
  options: {
    cases: { type: 'string' },
    seed: { type: 'string' },
    target: { type: 'string', multiple: true },
    help: { type: 'boolean', short: 'h' },
  },
});
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

if (values.help) {
  process.stdout.write(usage);
} else {
  await run();
}

async function run(): Promise<void> {
  const cases = Number(values.cases ?? 100_000);
  const seed = Number(values.seed ?? Number(process.hrtime.bigint() % 1_000_000_000n));
  const wanted = targets.filter(({ name }) => values.target?.some((letters) => name.includes(letters)) ?? true);
  if (!Number.isSafeInteger(cases) || cases < 1 || !Number.isSafeInteger(seed) || seed < 0 || wanted.length === 0) {
    const names = targets.map(({ name }) => name).join(', ');
    process.stderr.write(`fuzz: whole numbers, and a target of ${names}\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  process.stdout.write(`seed ${seed}, ${cases} cases for each of ${wanted.length} targets\n`);
  const whole = stopwatch();
  let [tried, failed] = [0, 0];
  for (const target of wanted) {
    if (!stop.signal.aborted) {
      const outcome = await runOne(target, cases, seed);
      tried += outcome.cases;
      failed += outcome.isGood ? 0 : 1;
    }
  }
  const end = stop.signal.aborted ? ', interrupted' : '';
  process.stdout.write(
    `${tried} cases in ${(whole() / 1000).toFixed(0)} s${end}: ${failed} of ${wanted.length} targets failed; seed ${seed}\n`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

async function runOne(target: Target, cases: number, seed: number): Promise<{ cases: number; isGood: boolean }> {
  const elapsed = stopwatch();
  const show = process.stdout.isTTY ? progressOf(target.name, cases) : undefined;
  const isOver = () => stop.signal.aborted;
  const { failure, slowestMs, ...done } = await runTarget(target, {
    seed,
    cases,
    cpuMs,
    isOver,
    ...(show ? { onInput: show } : {}),
  });
  const rate = Math.round(done.cases / Math.max(0.001, elapsed() / 1000));
  const figures = `${String(done.cases).padStart(8)} cases ${String(rate).padStart(7)}/s, slowest ${slowestMs.toFixed(1).padStart(5)} ms for 64 kB`;
  process.stdout.write(`${target.name.padEnd(24)}${figures}${failure ? '  FAILED' : ''}\n`);
  if (failure) {
    const folder = path.join(corpusFolder, target.name);
    const file = path.join(folder, `${sha256(failure.input).slice(0, 12)}.bin`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, failure.input);
    const shown = JSON.stringify(failure.input.toString('latin1', 0, 300));
    process.stdout.write(
      `  ${failure.problem.split('\n').slice(0, 6).join('\n  ')}\n  ${failure.input.length} bytes: ${shown}\n  stored in ${path.relative(root, file)}; again: npm run fuzz -- --target ${target.name} --seed ${seed} --cases ${cases}\n`,
    );
  }
  return { cases: done.cases, isGood: failure === null };
}

/** A line that says how far it is, on a terminal. */
function progressOf(name: string, cases: number): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count % 1000 === 0) {
      process.stdout.write(`\r${name} ${Math.min(100, Math.floor((count / cases) * 100))} %\r`);
    }
  };
}

// `npm run storm`: storms by their seeds, one after the other; ends with 1 when something was not as it must be.
import { parseArgs } from 'node:util';
import { stopwatch } from '#kernel/time/clock.ts';
import { runStorm } from './storm.ts';

const usage = `Usage: npm run storm -- [--seeds N] [--from N] [--seed N]

Runs the storm test of the hub: two minutes of virtual time with edits, logins, restarts, refused writes and clients that
leave, all at once; afterwards the hub must be as its answers said.

Options
  --seeds N  how many storms (10)
  --from N   seed of the first one (1)
  --seed N   one storm, that of this seed
`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) {
  process.stdout.write(usage);
} else {
  await run();
}

async function run(): Promise<void> {
  const first = Number(values.seed ?? values.from ?? 1);
  const count = values.seed === undefined ? Number(values.seeds ?? 10) : 1;
  if (![first, count].every((number) => Number.isSafeInteger(number) && number > 0)) {
    process.stderr.write(`storm: seeds are whole numbers from 1 on\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  const bad: number[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const elapsed = stopwatch();
    const { actions, restarts, refused, problems } = await runStorm(seed);
    const met = Object.entries(refused).map(([how, times]) => `${how} ${times}`);
    const seconds = (elapsed() / 1000).toFixed(1);
    process.stdout.write(
      `seed ${seed}: ${problems.length === 0 ? 'good' : 'BAD'}, ${actions} actions, ${restarts} restarts, ${met.join(', ')}, ${seconds} s\n`,
    );
    for (const problem of problems) {
      process.stdout.write(`  ${problem}\n`);
    }
    bad.push(...(problems.length === 0 ? [] : [seed]));
  }
  process.stdout.write(
    `${count - bad.length} of ${count} storms good${bad.length > 0 ? `; bad: ${bad.join(', ')}` : ''}\n`,
  );
  process.exitCode = bad.length === 0 ? 0 : 1;
}

// `npm run soak` and `npm run storm`: the whole system, or a hub, under faults drawn from a seed. Two minutes of virtual
// time with everything at once (`storm`), days of virtual time (`--virtual`), or real time (`--minutes`).
import { parseArgs } from 'node:util';
import { messageOf } from '#kernel/errors.ts';
import { oneOfOption, wholeOption } from '#kernel/process/option-value.ts';
import { UsageError } from '#kernel/process/program.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { faultNames, findKind } from './catalogue.ts';
import { describePlan, drawPlan } from './plan.ts';
import { runReal } from './real.ts';
import { runStorms } from './storm/storms.ts';
import { runVirtual } from './virtual/run.ts';

const usage = `Usage: npm run soak -- [--minutes N] [--seed N]
       npm run soak -- --virtual SPAN [--seed N]
       npm run storm -- [--seeds N] [--from N] [--seed N]

Runs the whole system on simulators and does to it what happens in a home: reboots, outages, full disks, kills. A storm
runs a hub through two minutes of virtual time with edits, logins, restarts, refused writes and clients that leave, all at
once. Ends with 0 when every invariant held, with 1 when one did not, with 2 when an option is wrong.

Options
  --minutes N     how long, in real time, 1 to 1440 (60)
  --virtual SPAN  in virtual time instead, such as 30d
  --seed N        which faults, and when (1); of a storm: this one alone
  --only FAULT    nothing but this fault
  --samples FILE  writes what the hub holds in memory there, each 20 seconds a line of JSON
  --plan          prints the schedule of faults, and runs nothing
  --seeds N       how many storms (10)
  --from N        seed of the first storm (1)
  --help          this text

Faults
${faultNames.map((name) => `  ${name.padEnd(20)} ${findKind(name).says}`).join('\n')}
`;

const text = { type: 'string' } as const;
const help = { type: 'boolean', short: 'h' } as const;
const seedRange = [1, 2_147_483_647] as const;

/** Resolves to the exit code; throws a UsageError. */
async function runSoak(args: string[]): Promise<number> {
  const options = {
    minutes: text,
    virtual: text,
    seed: text,
    only: text,
    samples: text,
    plan: { type: 'boolean' },
    help,
  } as const;
  const { values } = parseArgs({ args, options });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const seed = wholeOption('seed', values.seed ?? '1', seedRange);
  if (values.virtual !== undefined) {
    return runVirtual({ span: values.virtual, seed, stop: stopSignal() });
  }
  const minutes = wholeOption('minutes', values.minutes ?? '60', [1, 1440]);
  const only = values.only === undefined ? null : oneOfOption('only', values.only, faultNames);
  if (values.plan) {
    process.stdout.write(describePlan(drawPlan({ seed, minutes, only })));
    return 0;
  }
  return runReal({ minutes, seed, only, samplesFile: values.samples ?? null, stop: stopSignal() });
}

/** Resolves to the exit code; throws a UsageError. */
async function runStorm(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { seeds: text, from: text, seed: text, help } });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const first = values.seed ?? values.from ?? '1';
  return runStorms({
    first: wholeOption(values.seed === undefined ? 'from' : 'seed', first, seedRange),
    count: values.seed === undefined ? wholeOption('seeds', values.seeds ?? '10', seedRange) : 1,
  });
}

const [word, ...rest] = process.argv.slice(2);
try {
  process.exitCode = word === 'storm' ? await runStorm(rest) : await runSoak(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`${word === 'storm' ? word : 'soak'}: ${messageOf(error)}\n${isUsage ? `\n${usage}` : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}

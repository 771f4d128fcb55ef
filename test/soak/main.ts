// `npm run soak`: the whole system under faults drawn from a seed, in real time (`--minutes`) or virtual time (`--virtual`).
import { parseArgs } from 'node:util';
import { messageOf } from '#kernel/errors.ts';
import { oneOfOption, wholeOption } from '#kernel/process/option-value.ts';
import { UsageError } from '#kernel/process/program.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { faultNames, kindOf } from './catalogue.ts';
import { describePlan, drawPlan } from './plan.ts';
import { runReal } from './real.ts';
import { runVirtual } from './virtual/run.ts';

const usage = `Usage: npm run soak -- [--minutes N] [--seed N]
       npm run soak -- --virtual SPAN [--seed N]

Runs the whole system on simulators and does to it what happens in a home: reboots, outages, full disks, kills. Ends with 0
when every invariant held, with 1 and the first one that did not, with 2 when an option is wrong.

Options
  --minutes N     how long, in real time, 1 to 1440 (60)
  --virtual SPAN  in virtual time instead, such as 30d
  --seed N        which faults, and when (1)
  --only FAULT    nothing but this fault
  --samples FILE  writes what the hub holds in memory there, each 20 seconds a line of JSON
  --plan          prints the schedule of faults, and runs nothing
  --help          this text

Faults
${faultNames.map((name) => `  ${name.padEnd(20)} ${kindOf(name).says}`).join('\n')}
`;

/** Resolves to the exit code; throws a UsageError. */
async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      virtual: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      samples: { type: 'string' },
      plan: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const seed = wholeOption('seed', values.seed ?? '1', [1, 2_147_483_647]);
  if (values.virtual !== undefined) {
    return runVirtual({ span: values.virtual, seed, stop: stopSignal() });
  }
  const minutes = wholeOption('minutes', values.minutes ?? '60', [1, 1440]);
  const only = values.only === undefined ? null : oneOfOption('only', values.only, faultNames);
  if (values.plan) {
    process.stdout.write(describePlan(drawPlan({ seed, minutes, only })));
    return 0;
  }
  const print = (text: string) => void process.stdout.write(text);
  return runReal({ minutes, seed, only, samplesFile: values.samples ?? null, stop: stopSignal(), print });
}

try {
  process.exitCode = await run();
} catch (error) {
  const isUsage = error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`soak: ${messageOf(error)}\n${isUsage ? `\n${usage}` : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}

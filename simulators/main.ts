// `gatehouse sim KIND`: one simulator, or all of them, with the control surface of each, until a signal ends it.
import { once } from 'node:events';
import { messageOf } from '#kernel/errors.ts';
import { listenFailure } from '#kernel/http/listen-failure.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { commands } from './commands.ts';
import { formatUsage, type Plan, parsePlan } from './plan.ts';
import { reportEntry } from './support/report-entry.ts';
import { createShiftedClock } from './support/shifted-clock.ts';
import type { Entry } from './support/simulator.ts';

/** Runs simulators with the arguments of `program`, the words that the user typed before them; resolves to the exit code. */
export async function runSimulator(argv: readonly string[], program = 'gatehouse sim'): Promise<number> {
  const [word, verb = ''] = argv;
  if (word === 'lab') {
    const { runScenario } = await import('./scenario/main.ts');
    return runScenario(argv.slice(1), `${program} lab`);
  }
  const runVerb = commands.find(({ kind }) => kind === word)?.verbs?.[verb];
  if (runVerb) {
    return runVerb(argv.slice(2), `${program} ${word} ${verb}`);
  }
  let plan: Plan;
  try {
    plan = parsePlan(argv);
  } catch (error) {
    // parseArgs adds advice behind its first sentence.
    process.stderr.write(`${program}: ${messageOf(error).split('. ')[0]}\n`);
    return 2;
  }
  if (plan.print !== null) {
    process.stdout.write(plan.print === 'help' ? formatUsage(plan.kind, program) : `${packageVersion()}\n`);
    return 0;
  }
  const stop = stopSignal();
  try {
    await using stack = new AsyncDisposableStack();
    for (const { command, place, start } of plan.starts) {
      const { kind } = command;
      const clock = createShiftedClock();
      const { host, port, controlPort } = place;
      const options = { host, port, clock, onEntry: (entry: Entry) => reportEntry(kind, entry) };
      const line = await start({ options, controlPort, seed: plan.seed, stack });
      process.stdout.write(`${JSON.stringify({ simulator: kind, ...line })}\n`);
    }
    if (!stop.aborted) {
      await once(stop, 'abort');
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${program}: ${listenFailure(error, portOptions(plan, error)) ?? messageOf(error)}\n`);
    return 1;
  }
}

/** The options that help against a port in use. All kinds together can only take free ports. */
function portOptions({ starts }: Plan & { print: null }, error: unknown) {
  const { port } = error as { port?: number };
  const isControl = starts.some(({ place }) => place.controlPort === port);
  return { port: starts.length > 1 ? '--port 0' : isControl ? '--control-port' : '--port', host: '--host' };
}

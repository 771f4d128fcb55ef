// The `upsget` command: parses arguments, reads once or repeatedly, sets the exit code.
import { clearInterval, setInterval } from 'node:timers';
import { Failure, Failures, Interrupted, UsageError } from './failure.ts';
import { parseOptions } from './options.ts';
import { createTerminal, type Terminal } from './terminal.ts';

async function main(argv: readonly string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const options = parseOptions(argv);
  if (options === 'help') {
    await terminal.print((await import('./usage.ts')).usage);
    return 0;
  }
  if (options === 'version') {
    await terminal.print(`${(await import('./version.ts')).packageVersion()}\n`);
    return 0;
  }
  const { resolveSettings } = await import('./settings.ts');
  const settings = resolveSettings(options, env, terminal.warn);
  const { listenForSignals } = await import('./signals.ts');
  const signal = listenForSignals();
  const { readOnce } = await import('./reading.ts');
  using availability = settings.mqtt?.discovery
    ? (await import('./availability.ts')).createAvailability(settings, env, terminal, signal)
    : null;
  const readAlone = () => readOnce(settings, env, terminal, signal);
  const read = () => availability?.reading(readAlone) ?? readAlone();
  if (settings.watchMs === null) {
    await read();
    // Also a signal that came too late to change anything, so that the exit code is consistent.
    signal.throwIfAborted();
  } else {
    const { watch } = await import('./watch.ts');
    try {
      await watch(read, settings.watchMs, (failure) => printFailure(failure, terminal), signal);
    } finally {
      await availability?.gone();
    }
  }
  return 0;
}

/** Prints one line per failure. Any error other than a Failure is a bug and is printed with its stack. */
function printFailure(error: unknown, terminal: Terminal): number {
  if (error instanceof UsageError) {
    terminal.error(`${error.message} (see --help)`);
    return 2;
  }
  if (error instanceof Interrupted) {
    terminal.error(error.message);
    return error.exitCode;
  }
  if (!(error instanceof Failure)) {
    throw error;
  }
  for (const sentence of error instanceof Failures ? error.sentences : [error.message]) {
    terminal.error(sentence);
  }
  return 1;
}

const terminal = createTerminal();
// AbortSignal.timeout does not keep the process alive; this does until the cleanup has finished.
const running = setInterval(() => {}, 60_000);
try {
  process.exitCode = await main(process.argv.slice(2), process.env, terminal);
} catch (error) {
  process.exitCode = printFailure(error, terminal);
} finally {
  clearInterval(running);
}

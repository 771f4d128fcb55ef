// The `upsget` command: words to settings, one reading or many, exit code.
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
    // Also one that came too late to change anything: what the user sees is always the same.
    signal.throwIfAborted();
  } else {
    const { watch } = await import('./watch.ts');
    try {
      await watch(read, settings.watchMs, (failure) => tell(failure, terminal), signal);
    } finally {
      await availability?.gone();
    }
  }
  return 0;
}

/** One line for each thing that went wrong. Anything else than a Failure is a mistake of ours and keeps its stack. */
function tell(error: unknown, terminal: Terminal): number {
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
// A limit that is an AbortSignal.timeout does not keep Node running: the cleanup must not be lost while waiting for one.
const running = setInterval(() => {}, 60_000);
try {
  process.exitCode = await main(process.argv.slice(2), process.env, terminal);
} catch (error) {
  process.exitCode = tell(error, terminal);
} finally {
  clearInterval(running);
}

// Runs a command of `gatehouse` in the test's own process: its variables, what it prints, Ctrl-C.
import { vi } from 'vitest';

export interface CommandEnding {
  code: number;
  stdout: string;
  stderr: string;
}

export interface CommandRun {
  readonly ended: Promise<CommandEnding>;
  /** Calls what has begun to listen for SIGINT with the run. */
  interrupt(): void;
}

export interface CommandScene {
  /** Variables over those of the test's process. */
  env?: Readonly<Record<string, string>>;
  /** The command finds that stderr is a terminal. */
  isTerminal?: boolean;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** One at a time: the run has the environment and both outputs of the process. */
export function startCommand(command: () => Promise<number>, { env = {}, isTerminal = false }: CommandScene = {}) {
  const printed = { stdout: '', stderr: '' };
  const restores = (['stdout', 'stderr'] as const).map((name) => {
    const spy = vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    });
    return () => spy.mockRestore();
  });
  const { env: usualEnv } = process;
  const { isTTY } = process.stderr;
  process.env = { ...usualEnv, ...env };
  process.stderr.isTTY = isTerminal;
  const listening = new Set(signals.flatMap((name) => process.listeners(name)));
  const added = (name: (typeof signals)[number]) => process.listeners(name).filter((one) => !listening.has(one));
  const ended = command()
    .then((code): CommandEnding => ({ code, ...printed }))
    .finally(() => {
      for (const restore of restores) {
        restore();
      }
      process.env = usualEnv;
      process.stderr.isTTY = isTTY;
      for (const name of signals) {
        for (const listener of added(name)) {
          process.off(name, listener);
        }
      }
    });
  const interrupt = () => {
    for (const listener of added('SIGINT')) {
      listener('SIGINT');
    }
  };
  const run: CommandRun = { ended, interrupt };
  return run;
}

// Reads the lines of another program. It is stopped with the watch, and restarted after a pause if it ends by itself.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { type Clock, hasPassed } from '#kernel/time/clock.ts';

export interface Ending {
  isMissing: boolean;
  /** Its error output, or how it ended; null after exit code 0. */
  problem: string | null;
}

export interface Child {
  readonly started: Promise<boolean>;
  readonly ended: Promise<Ending>;
  stop(): void;
}

/** Programs of the system, and nothing of the Agent's environment: it may hold secrets. */
const env = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin',
  LC_ALL: 'C',
};
const maxLine = 65_536;

/** Runs a program once; `input` is a descriptor that becomes its standard input. */
export function spawnLines(
  [program = '', ...args]: readonly string[],
  onLine: (line: string) => void,
  input: number | 'ignore' = 'ignore',
): Child {
  type Started = ChildProcessByStdio<null, Readable, Readable>;
  const child = spawn(program, args, { stdio: [input, 'pipe', 'pipe'], env }) as Started;
  const started = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<Ending>();
  let pending = '';
  let errorOutput = '';
  let failure: NodeJS.ErrnoException | null = null;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    const lines = (pending + part).split('\n');
    pending = (lines.pop() ?? '').slice(0, maxLine);
    lines.forEach(onLine);
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    errorOutput = (errorOutput + part).slice(0, 1000);
  });
  child.on('spawn', () => started.resolve(true));
  child.on('error', (error) => {
    failure = error;
  });
  child.on('close', (code, signal) => {
    started.resolve(false);
    const message = errorOutput.trim().split('\n').at(-1) || `${program} ended with ${signal ?? code}`;
    ended.resolve({
      isMissing: failure?.code === 'ENOENT',
      problem: failure ? failure.message : code === 0 ? null : message,
    });
  });
  return { started: started.promise, ended: ended.promise, stop: () => void child.kill() };
}

export interface LineSource extends AsyncDisposable {
  /** Why it is not running; null while it runs. */
  problem(): Ending | null;
}

export interface LineOptions {
  clock: Clock;
  command: readonly string[];
  /** A descriptor that becomes its standard input. */
  input?: number;
  onLine: (line: string) => void;
  /** Time to the next attempt after it ended by itself. */
  retryMs: number;
}

/** Resolves when the program runs, or cannot: a program that is missing is not tried again. */
export async function startLines({ clock, command, input, onLine, retryMs }: LineOptions): Promise<LineSource> {
  const stop = new AbortController();
  let problem: Ending | null = null;
  let child = spawnLines(command, onLine, input);
  const first = child.started;
  const turns = (async () => {
    for (;;) {
      const ending = await child.ended;
      problem = { ...ending, problem: ending.problem ?? `${command[0]} ended by itself` };
      if (stop.signal.aborted || ending.isMissing || !(await hasPassed(clock, retryMs, stop.signal))) {
        return;
      }
      child = spawnLines(command, onLine, input);
      if (await child.started) {
        problem = null;
      }
    }
  })();
  if (!(await first)) {
    problem = await child.ended;
  }
  return {
    problem: () => problem,
    async [Symbol.asyncDispose]() {
      stop.abort();
      child.stop();
      await turns;
    },
  };
}

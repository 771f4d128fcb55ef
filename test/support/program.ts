// One of our programs in a process of its own: what it prints, how it ends. It never outlives its scope.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnv } from '#kernel/process/env.ts';

export const root = path.resolve(fileURLToPath(import.meta.url), '../../..');

export interface ProgramOptions {
  /** The program to run; this process's own Node when absent. */
  command?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** What it reads on stdin, through a pipe; nothing when absent. */
  input?: string;
  /** In a process group of its own, as a terminal starts it; `killGroup` then reaches its children too. */
  ownGroup?: boolean;
  /** Somebody types: `type` writes to its stdin, which is empty otherwise. */
  stdin?: boolean;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Program extends AsyncDisposable {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** The first match in what is printed on stdout; rejects when the program ends without it. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  type(text: string): void;
  /** What Ctrl-C does in a terminal: every process of its own group gets the signal. */
  killGroup(signal: NodeJS.Signals): void;
  /** How it ended, once it has. */
  readonly ended: Promise<Ending>;
}

/** Starts `node ARGS` in the repository's folder. Disposing kills what is still running. */
export function startProgram(args: readonly string[], options: ProgramOptions = {}): Program {
  const child = spawn(options.command ?? process.execPath, args, {
    cwd: options.cwd ?? root,
    env: childEnv({ FORCE_COLOR: '0', ...options.env }),
    stdio: [options.stdin || options.input !== undefined ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: options.ownGroup ?? false,
  });
  // A program that ends before it has read everything is judged by what it says.
  child.stdin?.on('error', () => undefined);
  if (options.input !== undefined) {
    child.stdin?.end(options.input);
  }
  const stdout = collect(child, 'stdout');
  const stderr = collect(child, 'stderr');
  const ended = waitForEnd(child);
  const killGroup = (signal: NodeJS.Signals) => {
    if (options.ownGroup !== true || child.pid === undefined) {
      throw new Error('only a program in a group of its own can be ended as a group');
    }
    process.kill(-child.pid, signal);
  };
  return {
    pid: child.pid ?? 0,
    stdout: stdout.text,
    stderr: stderr.text,
    printed(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(stdout.text());
          if (found) {
            resolve(found);
          }
        };
        stdout.listen(look);
        look();
        ended.then(
          ({ code, signal }) =>
            reject(
              new Error(`${args.join(' ')} ended with ${signal ?? code} before printing ${pattern}: ${stderr.text()}`),
            ),
          reject,
        );
      });
    },
    kill: (signal) => void child.kill(signal),
    type: (text) => void child.stdin?.write(text),
    killGroup,
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        if (options.ownGroup === true) {
          killGroup('SIGKILL');
        } else {
          child.kill('SIGKILL');
        }
      }
      await ended;
    },
  };
}

/** Runs a program to its end. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}) {
  await using program = startProgram(args, options);
  const { code, signal } = await program.ended;
  return { code, signal, stdout: program.stdout(), stderr: program.stderr() };
}

async function waitForEnd(child: ChildProcess): Promise<Ending> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}

function collect(child: ChildProcess, name: 'stdout' | 'stderr') {
  let text = '';
  const listeners: (() => void)[] = [];
  child[name]?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    for (const listener of listeners) {
      listener();
    }
  });
  return { text: () => text, listen: (listener: () => void) => listeners.push(listener) };
}

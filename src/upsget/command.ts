// Runs a helper program with a time limit. Input goes through a pipe; arguments and environment contain no secrets.
import { spawn } from 'node:child_process';
import { Failure, getErrorCode } from './failure.ts';

export interface CommandOptions {
  input: string;
  env: NodeJS.ProcessEnv;
  limitMs: number;
  signal: AbortSignal;
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Resolves to null when the program is not installed. Throws a Failure when it does not end in time. */
export async function runCommand(
  name: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult | null> {
  const { input, limitMs, signal } = options;
  signal.throwIfAborted();
  const late = AbortSignal.timeout(limitMs);
  const ended = AbortSignal.any([signal, late]);
  return await new Promise((resolve, reject) => {
    const child = spawn(name, args, { env: withoutSecrets(options.env), stdio: 'pipe' });
    const stop = () => {
      child.kill();
      AbortSignal.timeout(500).addEventListener('abort', () => child.kill('SIGKILL'));
    };
    ended.addEventListener('abort', stop, { once: true });
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    child.on('error', (error) => {
      if (getErrorCode(error) === 'ENOENT') {
        resolve(null);
      } else {
        reject(new Failure(`${name} cannot be started: ${error.message}`));
      }
    });
    // Also emitted after an error.
    child.on('close', (code) => {
      ended.removeEventListener('abort', stop);
      if (signal.aborted) {
        reject(signal.reason);
      } else if (late.aborted) {
        reject(
          new Failure(
            `${name} did not end within ${limitMs / 1000} s: is the other side silent? Check address and port`,
          ),
        );
      } else {
        resolve({ code, stdout: stdout(), stderr: stderr() });
      }
    });
    // The exit code explains why a program ended without reading.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

export function summarizeOutput(...texts: string[]): string {
  const lines = texts.flatMap((text) => text.split('\n')).map((line) => line.trim());
  return (
    lines
      .filter((line) => line !== '')
      .slice(0, 3)
      .join('; ')
      .slice(0, 400) || 'it says nothing more'
  );
}

function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('UPSGET_')));
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (part: string) => {
    text = (text + part).slice(0, 20_000);
  });
  return () => text;
}

// What a subcommand of the gate is, and how its options are read.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

export interface Command {
  summary: string;
  usage: string;
  /** Resolves to the exit code; throws a UsageError or a GateError for exit code 2. */
  run(argv: readonly string[], signal: AbortSignal): Promise<number>;
}

export class UsageError extends Error {}

/** Options, and exactly so many positionals; throws a UsageError in one sentence. */
export function parseOptions<T extends ParseArgsOptionsConfig>(
  argv: readonly string[],
  options: T,
  positionals: number | 'any' = 0,
) {
  let parsed: ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>>;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    // parseArgs adds advice behind its first sentence.
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
  if (positionals !== 'any' && parsed.positionals.length !== positionals) {
    throw new UsageError(`${positionals} argument(s) expected, ${parsed.positionals.length} given`);
  }
  return parsed;
}

/** The value of an option that cannot be left out. */
export function required(value: unknown, option: string): string {
  if (typeof value !== 'string' || value === '') {
    throw new UsageError(`--${option} is missing`);
  }
  return value;
}

/** Writes to stderr, when a person is watching. */
export function writeProgress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(text);
  }
}

// A program of the `gatehouse` command: its options, `--help`, `--version`, and how it ends.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from './errors.ts';
import { packageVersion } from './version.ts';

/** Thrown by a program that was not called as it must be: it ends with 2. */
export class UsageError extends Error {}

export interface Program<O extends NonNullable<ParseArgsConfig['options']>> {
  /** Follows `gatehouse`. */
  name: string;
  usage: string;
  options: O;
  /** What is said of a failure; its message when absent. */
  explain?: (error: unknown) => string;
}

const common = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'V' } } as const;

/** The options of `argv`. Throws a TypeError that names an unknown one. */
function parse<O extends NonNullable<ParseArgsConfig['options']>>(argv: readonly string[], options: O) {
  return parseArgs({ args: [...argv], allowPositionals: false, options: { ...common, ...options } }).values;
}

/** Resolves to the exit code: 0 when `run` does, 1 when it rejects, 2 on a usage error. */
export async function runProgram<const O extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  { name, usage, options, explain = messageOf }: Program<O>,
  run: (values: ReturnType<typeof parse<O>>) => Promise<void>,
): Promise<number> {
  const fail = (code: number, message: string) => {
    process.stderr.write(`gatehouse ${name}: ${message}\n`);
    return code;
  };
  let values: ReturnType<typeof parse<O>>;
  try {
    values = parse(argv, options);
  } catch (error) {
    return fail(2, `${messageOf(error)} (see --help)`);
  }
  const { help, version } = values as { help?: boolean; version?: boolean };
  if (help || version) {
    process.stdout.write(help ? usage : `${packageVersion()}\n`);
    return 0;
  }
  try {
    await run(values);
    return 0;
  } catch (error) {
    return error instanceof UsageError ? fail(2, `${error.message} (see --help)`) : fail(1, explain(error));
  }
}

// A program of the `gatehouse` command: its options, `--help`, `--version`, and how it ends.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../errors.ts';
import { packageVersion } from './version.ts';

/** The program was called with wrong options: it ends with exit code 2. */
export class UsageError extends Error {}

export interface Program<O extends NonNullable<ParseArgsConfig['options']>> {
  /** Follows `gatehouse`. */
  name: string;
  /** The words that a person typed to start it, in front of its messages; `gatehouse NAME` when absent. */
  typed?: string;
  usage: string;
  options: O;
  /** What may follow the options, as the usage names it; at most so many words. */
  operands?: { name: string; most: number };
  /** The sentence for a failure; the message of the error when absent. */
  explain?: (error: unknown) => string;
}

const common = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'V' } } as const;

/** The options of `argv`. Throws a TypeError that names an unknown one. */
function parse<O extends NonNullable<ParseArgsConfig['options']>>(argv: readonly string[], options: O, most = 0) {
  return parseArgs({ args: [...argv], allowPositionals: most > 0, options: { ...common, ...options } });
}

/** What was given for the options of a program, by name. */
export type OptionValues<O extends NonNullable<ParseArgsConfig['options']>> = ReturnType<typeof parse<O>>['values'];

/** Resolves to the exit code: 0 when `run` does, 1 when it rejects, 2 on a usage error. */
export async function runProgram<const O extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  { name, typed = `gatehouse ${name}`, usage, options, operands, explain = messageOf }: Program<O>,
  run: (values: OptionValues<O>, operands: readonly string[]) => Promise<void>,
): Promise<number> {
  const fail = (code: number, message: string) => {
    process.stderr.write(`${typed}: ${message}\n`);
    return code;
  };
  let values: OptionValues<O>;
  let words: readonly string[];
  try {
    ({ values, positionals: words } = parse(argv, options, operands?.most));
  } catch (error) {
    // parseArgs adds advice behind its first sentence.
    return fail(2, `${messageOf(error).split(/\.\s/)[0]} (see --help)`);
  }
  const { help, version } = values as { help?: boolean; version?: boolean | string };
  if (help || version === true) {
    process.stdout.write(help ? usage : `${packageVersion()}\n`);
    return 0;
  }
  try {
    if (operands && words.length > operands.most) {
      throw new UsageError(`takes ${operands.most} ${operands.name} at most, not ${words.length}`);
    }
    await run(values, words);
    return 0;
  } catch (error) {
    return error instanceof UsageError ? fail(2, `${error.message} (see --help)`) : fail(1, explain(error));
  }
}

// The interface of a subcommand, and the parsing of its options.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { type GateProfile, gateProfiles } from '../config.ts';

export interface Command {
  /** What the command does, as the list of all commands shows it. */
  summary: string;
  /** Text of `--help`. */
  usage: string;
  /** Resolves to the exit code; throws a UsageError or a GateError for exit code 2. */
  run(argv: readonly string[], signal: AbortSignal): Promise<number>;
}

/** Wrong options or arguments: the message is followed by a hint at `--help`. */
export class UsageError extends Error {}

/** Parses options and as many arguments as `positionals` says. Throws a UsageError. */
export function parseOptions<T extends ParseArgsOptionsConfig>(
  argv: readonly string[],
  options: T,
  positionals: number | 'any' = 0,
) {
  let parsed: ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>>;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    // parseArgs appends advice to its first sentence.
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
  if (positionals !== 'any' && parsed.positionals.length !== positionals) {
    throw new UsageError(`${positionals} argument(s) expected, ${parsed.positionals.length} given`);
  }
  return parsed;
}

/** Returns `value`, which was given for `--option`. Throws a UsageError when it is absent or empty. */
export function requireOption(value: unknown, option: string): string {
  if (typeof value !== 'string' || value === '') {
    throw new UsageError(`--${option} is missing`);
  }
  return value;
}

/** `value` is that of `--profile`; undefined when the option is absent. Throws a UsageError. */
export function parseProfile(value: string | undefined): GateProfile | undefined {
  const profile = gateProfiles.find((name) => name === value);
  if (profile === undefined && value !== undefined) {
    throw new UsageError(`--profile must be ${gateProfiles.join(' or ')}, not "${value}"`);
  }
  return profile;
}

/** Throws a UsageError when one of `options` is given, unless the profile is `publication`: only that one has them. */
export function refuseDeploymentOptions(
  profile: GateProfile,
  given: Readonly<Record<string, unknown>>,
  options: readonly string[],
): void {
  const option = profile === 'publication' ? undefined : options.find((name) => given[name] !== undefined);
  if (option !== undefined) {
    throw new UsageError(
      `--${option} is about a deployment of Gatehouse, and the profile is ${profile}: leave it out, or take --profile publication`,
    );
  }
}

/** Writes to stderr, if that is a terminal. */
export function writeProgress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(text);
  }
}

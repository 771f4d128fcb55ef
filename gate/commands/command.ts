// The interface of a subcommand, and the parsing of its options.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { type GateProfile, gateProfiles } from '../config.ts';

export interface Command {
  summary: string;
  usage: string;
  /** Resolves to the exit code; throws a UsageError or a GateError for exit code 2. */
  run(argv: readonly string[], signal: AbortSignal): Promise<number>;
}

export class UsageError extends Error {}

/** Parses options and exactly `positionals` arguments. Throws a UsageError. */
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

export function required(value: unknown, option: string): string {
  if (typeof value !== 'string' || value === '') {
    throw new UsageError(`--${option} is missing`);
  }
  return value;
}

/** The profile of `--profile`, if one is given. Throws a UsageError. */
export function parseProfile(value: string | undefined): GateProfile | undefined {
  const profile = gateProfiles.find((name) => name === value);
  if (profile === undefined && value !== undefined) {
    throw new UsageError(`--profile must be ${gateProfiles.join(' or ')}, not "${value}"`);
  }
  return profile;
}

/** Throws a UsageError when one of `options`, which are about a deployment of Gatehouse, is given under another profile. */
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

export function writeProgress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(text);
  }
}

// The environment of `gatehouse agent`, its folder, and values of its options.
import { homedir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { mustBe, oneOf, readEnv } from '#kernel/env.ts';
import { logLevels } from '#kernel/log.ts';
import { UsageError } from '#kernel/program.ts';

export const agentEnv = z.object({
  /** The folder of the Agent; `--data` wins. */
  GATEHOUSE_AGENT_DIR: z.string().optional(),
  /** Set by systemd (`StateDirectory=`, `LoadCredentialEncrypted=`) and by a desktop session. */
  STATE_DIRECTORY: z.string().optional(),
  CREDENTIALS_DIRECTORY: z.string().optional(),
  DBUS_SESSION_BUS_ADDRESS: z.string().optional(),
  XDG_RUNTIME_DIR: z.string().optional(),
  LOG_LEVEL: oneOf(logLevels).default('info'),
});
export type AgentEnv = z.output<typeof agentEnv>;

export const readAgentEnv = (): AgentEnv => readEnv(agentEnv);

/** Where an Agent stores what it must remember. */
export function dataFolder(given: string | undefined, env: AgentEnv): string {
  const ofService = env.STATE_DIRECTORY?.split(':')[0];
  const ofUser =
    process.getuid?.() === 0 ? '/var/lib/gatehouse-agent' : path.join(homedir(), '.local/state/gatehouse-agent');
  return path.resolve(given ?? env.GATEHOUSE_AGENT_DIR ?? (ofService || ofUser));
}

export interface WholeOption {
  name: string;
  min: number;
  max: number;
  fallback: number;
}

/** Throws a UsageError that names the option. */
export function wholeOption(text: string | undefined, { name, min, max, fallback }: WholeOption): number {
  if (text === undefined) {
    return fallback;
  }
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new UsageError(`--${name} ${mustBe(`a whole number from ${min} to ${max}`, text)}`);
  }
  return value;
}

/** Throws a UsageError that names the option. */
export function oneOfOption<const T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (found === undefined) {
    throw new UsageError(`--${name} ${mustBe(`${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`, text)}`);
  }
  return found;
}

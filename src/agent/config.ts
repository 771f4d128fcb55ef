// The environment of `gatehouse agent`, and its folder.
import { homedir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { oneOf, readEnv } from '#kernel/process/env.ts';
import { logLevels } from '#kernel/process/log.ts';

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

export function dataFolder(given: string | undefined, env: AgentEnv): string {
  const ofService = env.STATE_DIRECTORY?.split(':')[0];
  const ofUser =
    process.getuid?.() === 0 ? '/var/lib/gatehouse-agent' : path.join(homedir(), '.local/state/gatehouse-agent');
  return path.resolve(given ?? env.GATEHOUSE_AGENT_DIR ?? (ofService || ofUser));
}

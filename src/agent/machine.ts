// What this machine says of itself.
import { hostname, release } from 'node:os';
import type { AgentFacts } from '#contract/agent-ingest.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { visibleText } from '#kernel/text/visible-text.ts';

/** The name of this machine, or the one that somebody gave it. */
export function machineName(given?: string): string {
  return visibleText(given ?? hostname(), 255).trim() || 'unnamed';
}

export function machineFacts(hostName: string): AgentFacts {
  return {
    hostName,
    platform: 'linux',
    osVersion: visibleText(release(), 64),
    agentVersion: visibleText(packageVersion(), 64),
  };
}

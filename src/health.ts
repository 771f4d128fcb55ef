// `gatehouse health hub` and `gatehouse health mcp`: what a container engine runs again and again.
import { runHubHealth } from '#hub/start/status/health-command.ts';
import { runCommandGroup } from '#kernel/process/command-group.ts';
import { runMcpHealth } from '#mcp/health-command.ts';

const usage = `Usage: gatehouse health hub
       gatehouse health mcp

Ends with 0 when the program that runs on this machine, or in this container, is ready, and else with 1.
gatehouse health hub --help and gatehouse health mcp --help say how it is found.
`;

/** Resolves to the exit code. */
export function runHealth(argv: readonly string[]): Promise<number> {
  return runCommandGroup(argv, { name: 'gatehouse health', usage, commands: { hub: runHubHealth, mcp: runMcpHealth } });
}

// `gatehouse health mcp`: whether the MCP server of this machine accepts connections, for container engines and scripts.
import { connectTo } from '#kernel/net/connect.ts';
import { readEnv } from '#kernel/process/env.ts';
import { runProgram } from '#kernel/process/program.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { mcpEnv } from './config.ts';

const timeoutMs = 5000;

export const mcpHealthUsage = `Usage: gatehouse health mcp

Connects to the MCP server of this machine (MCP_BIND_ADDRESS, MCP_PORT), which listens once the hub has confirmed its
identity. Sends nothing, so that no check is in the audit trail. Ends with 0 when it listens, and else with 1.

Options
  --help     this text
  --version  the version
`;

/** Resolves to the exit code: 0 when it listens, 1 when not, 2 on a usage error. */
export function runMcpHealth(argv: readonly string[]): Promise<number> {
  return runProgram(argv, { name: 'health mcp', usage: mcpHealthUsage, options: {} }, async () => {
    const env = readEnv(mcpEnv.pick({ MCP_PORT: true, MCP_BIND_ADDRESS: true }));
    const { MCP_BIND_ADDRESS: bind, MCP_PORT: port } = env;
    if (port === undefined) {
      throw new Error('MCP_PORT: is not set; over stdio there is nothing to connect to');
    }
    // A wildcard is no address to connect to.
    const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bind] ?? bind;
    await connectTo(systemClock, host, port, timeoutMs);
    process.stdout.write('listens\n');
  });
}

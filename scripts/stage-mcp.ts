// The MCP server of the stage: its settings, and its process, which restarts with others.
import { launchMcp, type McpProcess } from '#gate/collect/mcp-process.ts';
import { writeText } from '#kernel/files/files.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { Edge } from '#simulators/edge/edge.ts';
import type { ConnectionRoute } from '#simulators/support/connection-routes.ts';
import { envText } from './env-text.ts';

interface McpServerOptions {
  envFile: string;
  caFile: string;
  edge: Edge;
  routes: readonly ConnectionRoute[];
}

/** Runs `gatehouse mcp` as a separate process that trusts the test CA. */
export function createMcpServer({ envFile, caFile, edge, routes }: McpServerOptions) {
  let running: McpProcess | undefined;
  const stop = async () => {
    await running?.[Symbol.asyncDispose]();
    running = undefined;
  };
  return {
    /** Stops the running process, if any, and starts one with these settings. */
    async start(settings: Readonly<Record<string, string>>) {
      writeText(envFile, envText(settings));
      await stop();
      const env = { NODE_EXTRA_CA_CERTS: caFile, LOG_LEVEL: 'error', ...routing(routes) };
      running = await launchMcp(['--env-file', envFile], env, { clock: systemClock, stderr: 'inherit' });
      edge.setUpstreams({ '/mcp': running.url, '/.well-known/oauth-protected-resource': running.url });
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** Variables of a process whose connections follow `routes`. */
function routing(routes: readonly ConnectionRoute[]): Record<string, string> {
  const preload = new URL('../simulators/support/connection-routes-preload.ts', import.meta.url);
  return routes.length === 0
    ? {}
    : { SIM_CONNECTION_ROUTES: JSON.stringify(routes), NODE_OPTIONS: `--import=${preload.href}` };
}

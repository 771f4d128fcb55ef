// The MCP server of the demo: private token mode, with an identity at the hub of its own.
import path from 'node:path';
import type { Api } from '#contract/index.ts';
import type { Client } from '#kernel/http/client.ts';
import { createLog } from '#kernel/process/log.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { createToken } from '#kernel/text/secret.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { mcpEnv } from '#mcp/config.ts';
import { startMcpHttp } from '#mcp/http.ts';
import { type HttpSettings, mcpSettings } from '#mcp/settings.ts';

export interface DemoMcpOptions {
  hub: URL;
  /** With the hub's admin token. */
  admin: Client<Api>;
  /** 0 picks a free one. */
  port: number;
  dataDir: string;
  stop: AbortSignal;
}

export interface DemoMcp extends AsyncDisposable {
  readonly url: URL;
  /** What clients send in `X-Admin-Token`. */
  readonly token: string;
}

/** Does what an operator does: makes the identity, sets the variables, starts the server. */
export async function startDemoMcp({ hub, admin, port, dataDir, stop }: DemoMcpOptions): Promise<DemoMcp> {
  const { token: serviceToken } = await admin.auth.createIdentity({
    body: { label: 'mcp', permissions: ['network.read', 'notes.write'], expiresInMs: 86_400_000 },
  });
  const token = createToken('', 24);
  const settings = mcpSettings(
    mcpEnv.parse({
      MONITOR_DEPLOYMENT_PROFILE: 'private-http',
      MONITOR_URL: hub.origin,
      MCP_PORT: String(port || 1),
      MCP_TOKEN: token,
      MCP_SERVICE_TOKEN: serviceToken,
      MCP_AUDIT_HMAC_KEY: createToken('', 32),
      MCP_AUDIT_DB_PATH: path.join(dataDir, 'mcp-audit.db'),
    }),
  ) as HttpSettings;
  const server = await startMcpHttp({
    settings: { ...settings, port },
    version: packageVersion(),
    clock: systemClock,
    log: createLog('mcp', 'warn'),
    stop,
  });
  return { url: server.url, token, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** What clients with an `mcpServers` file take as it is. */
export function clientConfiguration({ url, token }: DemoMcp): string {
  const gatehouse = { type: 'http', url: url.href, headers: { 'X-Admin-Token': token } };
  return JSON.stringify({ mcpServers: { gatehouse } });
}

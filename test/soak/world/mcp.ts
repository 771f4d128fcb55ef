// The MCP server through its lives, and a client that calls one tool.
import path from 'node:path';
import { request } from 'undici';
import { api } from '#contract/index.ts';
import { createClient } from '#kernel/http/client.ts';
import { freePort } from '#kernel/http/listening.ts';
import { createToken } from '#kernel/text/secret.ts';
import { type Program, startProgram } from '../../support/program.ts';
import type { HubLives } from './hub.ts';

export interface McpLives extends AsyncDisposable {
  readonly isRunning: boolean;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Calls a tool that asks the hub. Rejects when the server does not answer, or answers that the hub does not. */
  call(): Promise<void>;
  /** One read of the hub as this program, without it. */
  read(): Promise<void>;
}

export async function startMcpLives(hub: HubLives, folder: string): Promise<McpLives> {
  const { token: serviceToken } = await hub.admin.auth.createIdentity({
    body: { label: 'mcp', permissions: ['network.read', 'notes.write'], expiresInMs: 30 * 86_400_000 },
  });
  const asProgram = createClient(api, { baseUrl: hub.url, headers: { 'x-admin-token': serviceToken } });
  const token = createToken('', 24);
  const port = await freePort();
  const env = {
    MONITOR_DEPLOYMENT_PROFILE: 'private-http',
    MONITOR_URL: hub.url.origin,
    MCP_PORT: String(port),
    MCP_TOKEN: token,
    MCP_SERVICE_TOKEN: serviceToken,
    MCP_AUDIT_HMAC_KEY: createToken('', 32),
    MCP_AUDIT_DB_PATH: path.join(folder, 'mcp-audit.db'),
    LOG_LEVEL: 'error',
  };
  let current: Program | null = null;
  const begin = async () => {
    const program = startProgram(['src/main.ts', 'mcp'], { env });
    await program.printed(/^gatehouse mcp ready /m);
    current = program;
  };
  await begin();
  return {
    get isRunning() {
      return current !== null;
    },
    async kill() {
      const program = current;
      current = null;
      program?.kill('SIGKILL');
      await program?.ended;
    },
    start: begin,
    async call() {
      const params = { name: 'get_threat_summary', arguments: {} };
      const answer = await request(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-protocol-version': '2025-11-25',
          'x-admin-token': token,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) {
        throw new Error(`the MCP server answered ${answer.statusCode}: ${text.slice(0, 200)}`);
      }
      if (!/"structuredContent"/.test(text) || /"isError":true/.test(text)) {
        throw new Error(`the tool of the MCP server failed: ${text.slice(0, 300)}`);
      }
    },
    async read() {
      await asProgram.status.status({});
    },
    async [Symbol.asyncDispose]() {
      await current?.[Symbol.asyncDispose]();
    },
  };
}

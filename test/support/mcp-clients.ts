// MCP clients nobody here wrote: the official ones of both generations, over HTTP and stdio.
import { Client as NextClient, StreamableHTTPClientTransport as NextHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NextStdio } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The first generation speaks 2025-11-25 only; the next one is asked for one era, or left to find out. */
export const clientKinds = ['v1', 'v2 legacy', 'v2 auto', 'v2 modern'] as const;
export type ClientKind = (typeof clientKinds)[number];

/** How a client reaches the server. */
export type Way =
  | { url: URL; headers: Record<string, string>; fetch?: typeof fetch }
  | { args: string[]; env: Record<string, string>; cwd: string };

export interface McpClient extends AsyncDisposable {
  list(): Promise<{ name: string; description?: string | undefined; annotations?: unknown }[]>;
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
  readonly serverName: string | undefined;
}

export interface ToolResult {
  isError?: boolean | undefined;
  content: { type: string; text?: string | undefined }[];
  structuredContent?: Record<string, unknown> | undefined;
}

const info = { name: 'test-client', version: '1.0.0' };

export async function connectClient(kind: ClientKind, way: Way): Promise<McpClient> {
  if (kind === 'v1') {
    const client = new FirstClient(info);
    const transport =
      'url' in way
        ? new FirstHttp(way.url, httpOptions(way))
        : new FirstStdio({ command: process.execPath, ...way, stderr: 'pipe' });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    return facade(client, client.getServerVersion()?.name);
  }
  const mode = kind === 'v2 modern' ? { pin: '2026-07-28' } : kind === 'v2 auto' ? 'auto' : 'legacy';
  const client = new NextClient(info, { versionNegotiation: { mode } });
  const transport =
    'url' in way
      ? new NextHttp(way.url, httpOptions(way))
      : new NextStdio({ command: process.execPath, ...way, stderr: 'pipe' });
  await client.connect(transport);
  return facade(client, client.getServerVersion()?.name);
}

function httpOptions({ headers, fetch: own }: Extract<Way, { url: URL }>) {
  return { requestInit: { headers }, ...(own ? { fetch: own } : {}) };
}

interface Official {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

function facade(client: Official, serverName: string | undefined): McpClient {
  return {
    serverName,
    list: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as ToolResult,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

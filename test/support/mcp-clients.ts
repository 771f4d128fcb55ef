// MCP clients nobody here wrote: the official ones of both generations, over HTTP and stdio.
import { Client as NextClient, StreamableHTTPClientTransport as NextHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NextStdio } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { findEra } from './mcp-schema.ts';
import { startSniffer, type WireSniffer } from './wire-sniffer.ts';

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

/** What a client and its server say to each other is checked against the schema of MCP. */
export async function connectClient(kind: ClientKind, way: Way): Promise<McpClient> {
  const wire = startSniffer();
  try {
    return await connectSniffed(kind, way, wire);
  } catch (error) {
    wire[Symbol.dispose]();
    throw error;
  }
}

async function connectSniffed(kind: ClientKind, way: Way, wire: WireSniffer): Promise<McpClient> {
  if ('url' in way) {
    wire.mcp(way.url);
  }
  if (kind === 'v1') {
    const client = new FirstClient(info);
    const transport =
      'url' in way
        ? new FirstHttp(way.url, httpOptions(way))
        : readAlong(new FirstStdio({ command: process.execPath, ...way, stderr: 'pipe' }), wire);
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    return facade(client, client.getServerVersion()?.name, wire);
  }
  const mode = kind === 'v2 modern' ? { pin: '2026-07-28' } : kind === 'v2 auto' ? 'auto' : 'legacy';
  const client = new NextClient(info, { versionNegotiation: { mode } });
  const transport =
    'url' in way
      ? new NextHttp(way.url, httpOptions(way))
      : readAlong(new NextStdio({ command: process.execPath, ...way, stderr: 'pipe' }), wire);
  await client.connect(transport);
  return facade(client, client.getServerVersion()?.name, wire);
}

interface Stdio {
  onmessage?: ((message: never) => void) | undefined;
  send(message: never): Promise<void>;
}

interface Sent {
  id?: unknown;
  method?: string;
}

/** Each message of a transport that is no HTTP, as soon as it goes or comes. */
function readAlong<T extends Stdio>(transport: T, wire: WireSniffer): T {
  const asked = new Map<unknown, Sent>();
  const send = transport.send.bind(transport) as (message: unknown) => Promise<void>;
  transport.send = (message: Sent) => {
    asked.set(message.id, message);
    wire.message(findEra(message), message);
    return send(message);
  };
  let given: ((message: unknown) => void) | undefined;
  const seen = (message: Sent) => {
    const request = asked.get(message.id);
    wire.message(findEra(request ?? message), message, request?.method);
    given?.(message);
  };
  Object.defineProperty(transport, 'onmessage', {
    get: () => given && seen,
    set: (listener: typeof given) => {
      given = listener;
    },
  });
  return transport;
}

function httpOptions({ headers, fetch: own }: Extract<Way, { url: URL }>) {
  return { requestInit: { headers }, ...(own ? { fetch: own } : {}) };
}

interface Official {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

function facade(client: Official, serverName: string | undefined, wire: WireSniffer): McpClient {
  return {
    serverName,
    list: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as ToolResult,
    async [Symbol.asyncDispose]() {
      await client.close();
      wire[Symbol.dispose]();
    },
  };
}

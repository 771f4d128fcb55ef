// The SDK's own example of an HTTP server with our tools: what the MCP endpoint is held to. It asks the same hub, and has
// no authentication, limits, deadline or audit.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { ThreatCounts } from '#contract/connection-reports.ts';
import { tools } from '#mcp/tools.ts';

const [hub = ''] = process.argv.slice(2);

/** As in the SDK's README: a server object for each request, its tools registered from Zod schemas. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  for (const { name, title, description, input, output, annotations } of tools) {
    server.registerTool(
      name,
      { title, description, inputSchema: input, outputSchema: output, annotations },
      async (given) => {
        const response = await fetch(`${hub}/api/connections/threat-counts?from=0&to=1`);
        const { serverTime: _, ...counts } = (await response.json()) as ThreatCounts;
        const total = counts.safe + counts.warn + counts.danger;
        const answer = { period: String((given as { period: string }).period), ...counts, total };
        return { content: [{ type: 'text', text: JSON.stringify(answer, null, 2) }], structuredContent: answer };
      },
    );
  }
  return server;
});

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers.set(name, String(value));
  }
  const body = Buffer.concat(await incoming.toArray());
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
  const response = await handler.fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body) {
    Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]).pipe(outgoing);
  } else {
    outgoing.end();
  }
}

const server = createServer((incoming, outgoing) => {
  answer(incoming, outgoing).catch(() => outgoing.destroy());
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`bare server ready http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});

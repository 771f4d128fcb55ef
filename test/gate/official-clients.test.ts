// Official clients against a server that answers as the test says: both the list and the call must be right.
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { officialClients } from '#gate/collect/official-clients.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { parseJson } from '#kernel/text/json.ts';

const listed = { tools: [{ name: 'get_devices', inputSchema: { type: 'object' } }] };
const said = { content: [{ type: 'text', text: 'one device' }] };

test.each([
  ['a tool that answers', {}, true],
  ['a tool that says it has not failed', { 'tools/call': { ...said, isError: false } }, true],
  ['no tools', { 'tools/list': { tools: [] } }, false],
  ['a tool that fails', { 'tools/call': { ...said, isError: true } }, false],
])('%s', async (_what, changes, works) => {
  const results: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'fake', version: '1' },
    },
    'tools/list': listed,
    'tools/call': said,
    ...changes,
  };
  const called: string[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString('utf8');
    const { id, method = '' } = (parseJson(text) ?? {}) as { id?: number; method?: string };
    called.push(method);
    if (id === undefined) {
      response.writeHead(request.method === 'POST' ? 202 : 405).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
  });
  const url = new URL(`http://${await listen(server)}/mcp`);
  expect(await officialClients.legacyClient.run(url)).toBe(works);
  expect(called).toEqual(expect.arrayContaining(['initialize', 'tools/list', 'tools/call']));
  await close(server);
});

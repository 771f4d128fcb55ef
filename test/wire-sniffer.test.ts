// The sniffer sees a fault in what a server answers, whichever client asked, and names message, place and rule.
import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import { close, listen } from '#kernel/http/listening.ts';
import { createActors, raw } from './support/actors.ts';
import { legacy, modern, post } from './support/mcp-lab.ts';
import { mcpFaults } from './support/mcp-schema.ts';
import { restFaults } from './support/rest-contract.ts';
import { startSniffer } from './support/wire-sniffer.ts';

/** What the sniffer says of one answer to `ask`; empty when nothing. */
async function saidOf(
  kind: 'hub' | 'mcp',
  answer: (response: ServerResponse) => void,
  ask: (url: URL) => Promise<unknown>,
): Promise<string> {
  const server = createServer((asked, response) => asked.resume().on('end', () => answer(response)));
  const url = new URL(`http://${await listen(server)}`);
  const sniffer = startSniffer();
  sniffer[kind](url);
  try {
    await ask(url).catch(() => undefined);
  } finally {
    await close(server);
  }
  try {
    sniffer[Symbol.dispose]();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

const json = (status: number, body: unknown) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const live = { status: 'ok' };
const path = '/healthz';

test('a right answer is silent, a missing and an extra field are not, whichever client asked', async () => {
  const clients: Record<string, (url: URL) => Promise<unknown>> = {
    'the derived client': (url) => createActors(api, url, 'token').admin.health.healthz({}),
    'a raw request': (url) => raw(url, { method: 'GET', path }),
    fetch: async (url) => (await fetch(new URL(path, url))).text(),
  };
  for (const [name, ask] of Object.entries(clients)) {
    expect(await saidOf('hub', json(200, live), ask), name).toBe('');
    expect(await saidOf('hub', json(200, {}), ask), name).toContain('GET /healthz 200: body.status: ');
    expect(await saidOf('hub', json(200, { ...live, more: 1 }), ask), name).toContain(
      'body.more: is not in the contract',
    );
  }
});

test('a status, a type, a body that is not JSON, a stray error', async () => {
  const ask = (url: URL) => raw(url, { method: 'GET', path });
  expect(await saidOf('hub', json(201, live), ask)).toContain('status 201 is not one of the contract');
  expect(await saidOf('hub', (to) => to.end('ok'), ask)).toContain('in place of application/json');
  const zipped = (to: ServerResponse) =>
    to
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(gzipSync('{"status":"ok","b":1}'));
  expect(await saidOf('hub', zipped, ask)).toContain('body.b');
  expect(await saidOf('hub', json(500, { error: 'x', code: 'internal' }), ask)).toContain('body.requestId');
  const wrong = { error: 'x', code: 'not_found', requestId: 'x' };
  expect(await saidOf('hub', json(500, wrong), ask)).toContain('not_found means 404, not 500');
  const strange = { error: 'x', code: 'device_merged', requestId: 'x' };
  expect(await saidOf('hub', json(409, strange), ask)).toContain(
    'device_merged is not among the refusals of GET /healthz',
  );
  expect(await saidOf('hub', json(400, { ...strange, code: 'invalid_query' }), ask)).toBe('');
});

const call = modern('tools/list');

test('a JSON-RPC error without code, a result without its members, in a body and in a stream', async () => {
  const ask = (url: URL) => post(url, call.message, call.headers);
  const error = { jsonrpc: '2.0', id: 1, error: { message: 'no' } };
  expect(await saidOf('mcp', json(400, error), ask)).toMatch(
    /POST \/ 400 tools\/list in 2026-07-28: .*'code'.*2026-07-28/,
  );
  const tools = { jsonrpc: '2.0', id: 1, result: { tools: [] } };
  expect(await saidOf('mcp', json(200, tools), ask)).toContain("'resultType'");
  const whole = { ...tools, result: { tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' } };
  expect(await saidOf('mcp', json(200, whole), ask)).toBe('');
  const stream = (to: ServerResponse) =>
    to.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(tools)}\n\n`);
  expect(await saidOf('mcp', stream, ask)).toContain("'resultType'");
  const old = (url: URL) => post(url, legacy('tools/list'));
  expect(await saidOf('mcp', json(200, tools), old)).toBe('');
  expect(await saidOf('mcp', json(200, { ...tools, result: {} }), old)).toContain('ListToolsResult of 2025-11-25');
});

test('what was asked counts when it was granted', async () => {
  const result = { jsonrpc: '2.0', id: 1, result: { content: [] } };
  const ask = (url: URL) => post(url, legacy('tools/call', { name: 3 }));
  expect(await saidOf('mcp', json(200, result), ask)).toContain('what was asked: /params/name must be string');
  const refused = { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no' } };
  expect(await saidOf('mcp', json(200, refused), ask)).toBe('');
});

test('other origins are not read', async () => {
  const server = createServer((_, response) => response.end('anything'));
  const url = new URL(`http://${await listen(server)}`);
  using sniffer = startSniffer();
  sniffer.hub(new URL('http://127.0.0.1:1'));
  await (await request(url)).body.dump();
  await close(server);
  expect(restFaults({ method: 'GET', path: '/', status: 200, type: 'text/plain', text: '', wantsHtml: false })).toEqual(
    [],
  );
  expect(mcpFaults('2025-11-25', {})).toEqual(['is no request, notification or response of JSON-RPC']);
});

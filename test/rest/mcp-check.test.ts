// The hub asks the MCP server whether it answers: a real one in both modes, servers that are none, and addresses that it refuses.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { startLab } from '../support/lab.ts';
import { startMcpLab } from '../support/mcp-lab.ts';

/** A server that answers each request in the same way. */
async function startServer(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
}

const answering = (status: number, body: string, headers = {}): RequestListener => {
  return (_, response) => response.writeHead(status, headers).end(body);
};

test('an MCP server that runs is reachable, and says what clients need', async () => {
  await using scene = await startMcpLab();
  const { config } = scene.lab.as.admin;
  expect(await config.checkMcp({ body: { url: scene.url.href } })).toEqual({
    state: 'reachable',
    authentication: 'token',
  });
  expect((await scene.settledRows()).map(({ reason, http_status }) => [reason, http_status])).toEqual([
    ['unauthorized', 401],
  ]);
});

test('one with OAuth is reachable by its own name, and refuses another', async () => {
  await using scene = await startMcpLab({ oauth: {} });
  const { config } = scene.lab.as.admin;
  expect(await config.checkMcp({ body: { url: scene.url.href } })).toEqual({
    state: 'reachable',
    authentication: 'oauth',
  });
});

test('what is no MCP server is told from one that does not serve', async () => {
  await using lab = await startLab();
  const stateOf = async (answer: RequestListener) => {
    await using server = await startServer(answer);
    return (await lab.as.admin.config.checkMcp({ body: { url: server.url } })).state;
  };
  expect(await stateOf(answering(200, '<html>'))).toBe('other_service');
  expect(await stateOf(answering(401, 'log in'))).toBe('other_service');
  expect(await stateOf(answering(302, '', { location: 'http://127.0.0.1:1/mcp' }))).toBe('other_service');
  expect(await stateOf(answering(401, JSON.stringify({ error: 'unauthorized', pad: 'x'.repeat(70_000) })))).toBe(
    'other_service',
  );
  expect(await stateOf(answering(403, '{"error":"forbidden"}'))).toBe('name_refused');
  expect(await stateOf(answering(502, '{"error":"mcp_unreachable"}'))).toBe('not_serving');
  expect(await stateOf(answering(429, '{"error":"rate_limited"}'))).toBe('reachable');
});

test('nothing at the address, a name that nobody knows, no TLS there, and no answer in time', async () => {
  await using lab = await startLab();
  const { config } = lab.as.admin;
  const state = async (url: string) => (await config.checkMcp({ body: { url } })).state;
  expect(await state(`http://127.0.0.1:${await freePort()}/mcp`)).toBe('refused');
  expect(await state('http://gatehouse.invalid/mcp')).toBe('unknown_name');
  expect(await state(new URL('/mcp', lab.url).href)).toBe('other_service');
  expect(await state(new URL('/mcp', lab.url).href.replace('http:', 'https:'))).toBe('tls');
  const asked = Promise.withResolvers<void>();
  await using silent = await startServer(() => asked.resolve());
  const answer = state(silent.url);
  await asked.promise;
  await lab.clock.advance(5000);
  expect(await answer).toBe('no_answer');
});

test.each([
  'ftp://127.0.0.1/mcp',
  'file:///etc/mcp',
  'gatehouse.example.net/mcp',
  'http://127.0.0.1:3001/',
  'http://user:secret@127.0.0.1/mcp',
  'http://127.0.0.1/other?/mcp',
  'http://169.254.169.254/mcp',
  'http://[fe80::1]/mcp',
  'http://[::ffff:169.254.169.254]/mcp',
  'http://0.0.0.0:3001/mcp',
])('%s is refused before anything is sent', async (url) => {
  await using lab = await startLab();
  await expect(lab.as.admin.config.checkMcp({ body: { url } })).rejects.toMatchObject({ status: 400 });
});

test('in offline mode the hub asks its own machine and network alone', async () => {
  await using lab = await startLab({ hub: { offline: true } });
  const { config } = lab.as.admin;
  const state = async (url: string) => (await config.checkMcp({ body: { url } })).state;
  expect(await state('https://gatehouse.example.net/mcp')).toBe('offline');
  expect(await state('https://198.51.100.7/mcp')).toBe('offline');
  expect(await state(`http://127.0.0.1:${await freePort()}/mcp`)).toBe('refused');
});

test('only somebody who manages the login may ask', async () => {
  await using lab = await startLab();
  const { client } = await lab.as.identity(['settings.write', 'network.read']);
  const call = client.config.checkMcp({ body: { url: 'http://127.0.0.1:1/mcp' } });
  await expect(call).rejects.toMatchObject({ status: 403 });
});

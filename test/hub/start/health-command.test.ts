// `gatehouse health`: what a container engine runs, against a hub that is ready, one that is not, and none.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startLab } from '../../support/lab.ts';
import { runProgram } from '../../support/program.ts';

const health = (words: readonly string[], env: Record<string, string>) =>
  runProgram(['src/main.ts', 'health', ...words], { env });

test('a hub that is ready ends it with 0, also when the hub listens on every address', async () => {
  await using lab = await startLab();
  for (const HOST of ['127.0.0.1', '0.0.0.0']) {
    const { code, stdout } = await health(['hub'], { HOST, PORT: lab.url.port });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ready\n' });
  }
});

test('no hub ends it with 1 and a sentence', async () => {
  const { code, stderr } = await health(['hub'], { PORT: '1' });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^gatehouse health hub: http:\/\/127\.0\.0\.1:1 does not answer: .*ECONNREFUSED.*: start it with "gatehouse hub", or set HOST and PORT to those of the hub\n$/,
    ),
  });
});

test.each<[host: string, listens: string, status: number, body: string, says: RegExp]>([
  [
    '127.0.0.1',
    '127.0.0.1',
    503,
    '{"status":"not_ready"}',
    /^http:\/\/127\.0\.0\.1:\d+ is not ready: it starts or stops$/,
  ],
  [
    '0.0.0.0',
    '127.0.0.1',
    503,
    '{"status":"not_ready","reason":"disk_full"}',
    /^http:\/\/127\S+ is not ready: disk_full$/,
  ],
  ['::', '::1', 503, '{"status":"not_ready","reason":"disk_full"}', /^http:\/\/\[::1\]:\d+ is not ready: disk_full$/],
  ['[::1]', '::1', 404, '{}', /^http:\/\/\[::1\]:\d+ answers 404: it is no hub$/],
  ['127.0.0.1', '127.0.0.1', 200, '<html>', /^http:\/\/127\S+ does not answer: .*is not JSON/],
])('HOST=%s, where %s answers %i %s: 1 and why', async (HOST, listens, status, body, says) => {
  await using server = createHttpServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }).listen(0, listens);
  await once(server, 'listening');
  const PORT = String((server.address() as { port: number }).port);
  const { code, stdout, stderr } = await health(['hub'], { HOST, PORT });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.replace(/^gatehouse health hub: /, '').trim()).toMatch(says);
});

test('an MCP server is one that accepts a connection', async () => {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const MCP_PORT = String((server.address() as { port: number }).port);
  expect(await health(['mcp'], { MCP_PORT })).toMatchObject({ code: 0, stdout: 'listens\n' });
  expect(await health(['mcp'], { MCP_PORT: '1' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('127.0.0.1:1 does not accept a connection'),
  });
  expect(await health(['mcp'], {})).toMatchObject({ code: 1, stderr: expect.stringContaining('MCP_PORT: is not set') });
});

test('without a word it says how it is used, with a wrong one it ends with 2', async () => {
  expect(await health([], {})).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Usage: gatehouse health hub'),
  });
  expect(await health(['router'], {})).toMatchObject({ code: 2 });
});

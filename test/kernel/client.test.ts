// The typed client against servers that are not what they should be: what it reads is bounded, what it says is clear.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AnswerError, ClientError, type ClientOptions, createClient } from '#kernel/http/client.ts';
import type { RouteTable } from '#kernel/http/route.ts';

const routes = {
  rows: {
    method: 'GET',
    path: '/rows',
    access: 'open',
    summary: 'Rows',
    query: z.object({ word: z.array(z.string()).optional(), most: z.string().optional() }),
    reply: { 200: z.object({ rows: z.array(z.string()) }) },
  },
} as const satisfies RouteTable<'open'>;

/** A client of a server that answers everything with `listener`. */
async function against(listener: RequestListener, options: Partial<ClientOptions> = {}) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const { table } = createClient({ table: routes }, { baseUrl, ...options });
  return {
    rows: (query: { word?: string[]; most?: string } = {}) => table.rows({ query }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const endless: RequestListener = (_request, response) => {
  const more = () => {
    while (response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
};

test('an answer without end is given up at its bound', async () => {
  for (const status of [200, 500]) {
    await using client = await against(
      (request, response) => {
        response.statusCode = status;
        endless(request, response);
      },
      { maxBytes: 1_048_576 },
    );
    const failed = client.rows();
    await expect(failed).rejects.toThrow(AnswerError);
    await expect(failed).rejects.toThrow('the answer to GET /rows is larger than 1 MB');
  }
});

test('an answer as long as the bound is read', async () => {
  const body = JSON.stringify({ rows: ['é'.repeat(100)] });
  const answering: RequestListener = (_request, response) => void response.end(body);
  const bytes = Buffer.byteLength(body);
  await using exact = await against(answering, { maxBytes: bytes });
  expect(await exact.rows()).toEqual(JSON.parse(body));
  await using short = await against(answering, { maxBytes: bytes - 1 });
  await expect(short.rows()).rejects.toThrow(AnswerError);
});

test('a list in the query is sent as a parameter for each of its values', async () => {
  await using client = await against((request, response) => {
    response.end(JSON.stringify({ rows: [request.url] }));
  });
  expect(await client.rows({ word: ['a b', '', 'a&c'], most: '7' })).toEqual({
    rows: ['/rows?word=a+b&word=&word=a%26c&most=7'],
  });
  expect(await client.rows({ word: [] })).toEqual({ rows: ['/rows'] });
});

describe('an answer that is no JSON', () => {
  test.each(['<html>secret</html>', '{"rows":[', '\x1b[2J'])('%j with status 200 is said to be none', async (text) => {
    await using client = await against((_request, response) => void response.end(text));
    const failed = client.rows();
    await expect(failed).rejects.toThrow(AnswerError);
    await expect(failed).rejects.toThrow('the answer to GET /rows is not JSON: is the hub at this address?');
  });

  test.each(['<html>Bad Gateway</html>', '', 'null', '"text"', '[1]', '{"error":7,"code":{}}'])(
    '%j with status 502 is an answer with that status',
    async (text) => {
      await using client = await against((_request, response) => void response.writeHead(502).end(text));
      const failed = client.rows();
      await expect(failed).rejects.toThrow(ClientError);
      await expect(failed).rejects.toMatchObject({
        status: 502,
        code: 'unknown',
        message: 'the server answered 502',
        body: expect.any(Object),
      });
    },
  );
});

test('an answer that does not begin, or stalls in its body, is given up', async () => {
  const gone = Promise.withResolvers<void>();
  const stalls: RequestListener = (_request, response) => {
    response.on('close', gone.resolve);
    response.write('{"rows":[');
  };
  await using stalling = await against(stalls, { timeoutMs: 2000 });
  await using silent = await against(() => undefined, { timeoutMs: 2000 });
  await Promise.all([
    expect(stalling.rows()).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' }),
    expect(silent.rows()).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' }),
  ]);
  // Its connection is closed.
  await gone.promise;
});

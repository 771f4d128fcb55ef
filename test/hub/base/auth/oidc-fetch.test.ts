// One request to an OIDC issuer: what it sends, which answers it takes, and what it says of the others.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createIssuerFetch } from '#hub/base/auth/oidc/fetch.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

async function startServer(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const options = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' } as const;
const redirect = (status: number) =>
  `answered with a redirect (${status}), which is not followed: configure its own address`;

test.each([
  [200, 200],
  [204, 204],
  [299, 299],
  [300, redirect(300)],
  [399, redirect(399)],
  [400, 400],
  [428, 428],
  [429, 'answered 429'],
  [430, 430],
  [499, 499],
  [500, 'answered 500'],
])('an answer %i: %s', async (status, expected) => {
  await using server = await startServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'text/x', 'www-authenticate': 'Basic', 'x-other': '1' }).end();
  });
  const answer = createIssuerFetch(new ManualClock())(`http://${server.host}/`, options);
  if (typeof expected === 'string') {
    await expect(answer).rejects.toMatchObject({
      code: 'oidc_issuer_down',
      message: `the OIDC issuer at ${server.host} ${expected}`,
    });
    return;
  }
  const { status: seen, headers } = await answer;
  expect([seen, [...headers]]).toEqual([
    expected,
    [
      ['content-type', 'text/x'],
      ['www-authenticate', 'Basic'],
    ],
  ]);
});

test('method, headers and body are sent as they are, and the body of the answer is given', async () => {
  await using server = await startServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) {
      body += String(chunk);
    }
    response.end([request.method, request.headers['x-sent'], body].join());
  });
  const fetch = createIssuerFetch(new ManualClock());
  const send = async (more: object) => (await fetch(`http://${server.host}/`, { ...options, ...more })).text();
  const headers = { 'x-sent': 'yes' };
  expect(await send({ method: 'POST', headers, body: new URLSearchParams({ a: 'b' }) })).toBe('POST,yes,a=b');
  expect([await send({ headers }), await send({ headers, body: null })]).toEqual(['GET,yes,', 'GET,yes,']);
});

test('an issuer that is late, says too much, or cannot be reached is named with the reason', async () => {
  const clock = new ManualClock();
  const asked = Promise.withResolvers<void>();
  await using server = await startServer((request, response) => {
    if (request.url === '/late') {
      asked.resolve();
    } else {
      response.end('x'.repeat(1_048_577));
    }
  });
  const ask = (at: string) =>
    createIssuerFetch(clock)(at, options).then(
      () => 'answered',
      ({ message }: Error) => message.replace(server.host, 'HOST'),
    );
  const late = ask(`http://${server.host}/late`);
  await asked.promise;
  await clock.advance(10_000);
  expect(await late).toBe('the OIDC issuer at HOST did not answer within 10 s');
  expect(await ask(`http://${server.host}/long`)).toBe('the OIDC issuer at HOST answered with more than 1 MB');
  expect(await ask('http://127.0.0.1:1/')).toBe('the OIDC issuer at 127.0.0.1:1 did not answer: ECONNREFUSED');
});

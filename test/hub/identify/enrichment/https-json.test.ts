// Requests for JSON over HTTPS: which answers count, how far a redirect leads, and what goes along.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHttpsJson } from '#hub/identify/enrichment/remote/https-json.ts';
import { createAuthority } from '#simulators/support/certificates.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: string[];
let hosts: string[];
let ca: string;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  const authority = await createAuthority();
  ca = authority.cert;
  const { cert, key } = await authority.issue(['127.0.0.1']);
  hosts = await Promise.all(
    [1, 2].map(async () => {
      const server = createServer({ cert, key }, (request, response) => {
        asked.push(`${request.headers.host}${request.url} ${request.headers.authorization} ${request.headers.accept}`);
        answer(request, response);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      stack.defer(async () => {
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        await closed;
      });
      return `127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  );
});
afterAll(() => stack.disposeAsync());
beforeEach(() => {
  asked = [];
});

/** What `at` on the first server says in the end, or the sentence of its refusal with its hosts by number. */
async function ask(at: string, headers?: Record<string, string>, clock = new ManualClock(), allowLoopback = true) {
  await using https = createHttpsJson(clock, { ca, allowLoopback });
  const { signal } = new AbortController();
  return await https
    .ask(at.replace('HOST1', hosts[0] ?? ''), { ...(headers && { headers }), signal })
    .catch((error: Error) =>
      hosts.reduce((text, host, index) => text.replaceAll(host, `HOST${index + 1}`), error.message),
    );
}

test.each<[number, string, unknown]>([
  [200, '{"a":1}', { a: 1 }],
  [200, '[', 'HOST1 did not answer with JSON'],
  [200, `"${'x'.repeat(1_048_574)}"`, 'x'.repeat(1_048_574)],
  [200, `"${'x'.repeat(1_048_575)}"`, 'HOST1 answered with more than 1 MB'],
  [201, '{}', 'HOST1 answered 201'],
  [302, '{}', 'HOST1 answered 302'],
  [404, 'nothing', null],
  [500, '{}', 'HOST1 answered 500'],
])('an answer %i', async (status, text, expected) => {
  answer = (_request, response) => void response.writeHead(status).end(text);
  expect(await ask('https://HOST1/x')).toEqual(expected);
});

test.each([
  [299, 'HOST1 answered 299'],
  [300, 'there'],
  [399, 'there'],
  [400, 'HOST1 answered 400'],
])('a location with status %i: %s', async (status, expected) => {
  answer = ({ url }, response) =>
    void (url === '/there' ? response.end('"there"') : response.writeHead(status, { location: '/there' }).end());
  expect(await ask('https://HOST1/x')).toBe(expected);
});

test('five redirects are followed and no sixth', async () => {
  let wanted = 5;
  answer = ({ url = '' }, response) => {
    const count = Number(url.slice(1));
    void (count < wanted ? response.writeHead(302, { location: `/${count + 1}` }).end() : response.end('"there"'));
  };
  expect([await ask('https://HOST1/0'), asked.length]).toEqual(['there', 6]);
  wanted = 6;
  expect([await ask('https://HOST1/0'), asked.length]).toEqual(['HOST1 redirects more than 5 times', 12]);
});

test('headers for one host are sent to it alone, and a redirect out of the public is not followed', async () => {
  const headers = { authorization: 'secret', accept: 'application/rdap+json' };
  answer = ({ url }, response) => {
    const location =
      url === '/own' ? '/end' : url === '/name' ? `https://localhost:${hosts[1]?.split(':')[1]}/end` : url?.slice(1);
    void (url === '/end' ? response.end('"end"') : response.writeHead(302, { location }).end());
  };
  expect(await ask('https://HOST1/own', headers)).toBe('end');
  expect(asked.splice(0)).toEqual(['/own', '/end'].map((path) => `${hosts[0]}${path} secret application/rdap+json`));
  expect(await ask(`https://HOST1/https://${hosts[1]}/end`, headers)).toBe(
    'HOST1 redirects to HOST2, which is not public',
  );
  expect(await ask('https://HOST1/http://9.9.9.9/', headers)).toBe('9.9.9.9 would be asked in clear text');
  expect(await ask('https://HOST1/https://169.254.169.254/', headers)).toMatch(/^HOST1 redirects to 169.254.169.254/);
  expect(asked.splice(0)).toHaveLength(3);
  // The certificate is not for this name: what matters is that it was asked without the secret, or not at all.
  await ask('https://HOST1/name', headers);
  expect(asked.slice(1).filter((line) => line.includes('secret'))).toEqual([]);
  expect(await ask('http://HOST1/')).toBe('HOST1 would be asked in clear text');
  expect(await ask('https://HOST1/', {}, new ManualClock(), false)).toBe(
    'HOST1 is at an address where the hub sends nothing',
  );
});

test('a service that does not answer is given up after eight seconds', async () => {
  const reached = Promise.withResolvers<void>();
  answer = () => reached.resolve();
  const clock = new ManualClock();
  const asking = ask('https://HOST1/', {}, clock);
  await reached.promise;
  await clock.advance(8000);
  expect(await asking).toBe('no answer within 8 s');
});

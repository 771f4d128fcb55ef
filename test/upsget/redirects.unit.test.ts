// What counts as a redirect, and where it leads: an HTTPS server that answers each request as the test says.
import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { close, listen } from '#kernel/http/listening.ts';
import { createSelfSigned } from '#simulators/support/certificates.ts';
import { createWebClient } from '#upsget/web-client.ts';

let server: Server;
let origin: string;
let isEndless = false;
let next: { status: number; location?: string } = { status: 200 };
beforeAll(async () => {
  const { key, cert } = await createSelfSigned(['127.0.0.1']);
  server = createServer({ key, cert }, (_request, response) => {
    const { status, location } = next;
    response.writeHead(status, location === undefined ? {} : { location });
    response[isEndless ? 'write' : 'end']('a page');
  });
  origin = `https://${await listen(server)}`;
});
afterAll(() => close(server));

async function call(status: number, location?: string) {
  next = { status, ...(location === undefined ? {} : { location }) };
  const { hostname: host, port } = new URL(origin);
  const tls = { legacy: false, judge: null };
  const client = createWebClient({ host, port: Number(port), requestMs: 600_000, tls });
  return client.call({ method: 'GET', path: '/a/status?x=1' }, { signal: new AbortController().signal });
}

test.each([301, 302, 303, 307, 308])('%i leads where its Location says, from where it stands', async (status) => {
  expect(await call(status, 'logon?y=2#z')).toMatchObject({ status, redirect: '/a/logon?y=2' });
  expect(await call(status, `${origin}/logon`)).toMatchObject({ redirect: '/logon' });
});

test('an answer that is no redirect has none, whatever its Location says; nor has one without', async () => {
  for (const status of [200, 201, 300, 304, 305, 400]) {
    expect(await call(status, '/logon')).toMatchObject({ status, redirect: null });
  }
  expect(await call(303)).toMatchObject({ status: 303, redirect: null, body: 'a page' });
});

test('a redirect to no address, or to another server, is refused', async () => {
  await expect(call(303, 'https://[')).rejects.toThrow('the UPS redirects to "https://[", which is no address');
  for (const location of ['https://elsewhere.invalid/', origin.replace('https:', 'http:'), '//127.0.0.1:1/']) {
    const { origin: to } = new URL(location, origin);
    await expect(call(303, location)).rejects.toThrow(`redirects to another server, ${to}; that is not followed`);
  }
});

test('what is refused is not read to its end: its connection is closed', async () => {
  isEndless = true;
  for (const location of ['https://[', 'https://elsewhere.invalid/']) {
    await expect(call(303, location)).rejects.toThrow('the UPS redirects to');
    await expect.poll(() => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))).toBe(0);
  }
});

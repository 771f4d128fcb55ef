// Allowances of the API: who shares one, and that no number of strangers uses up another's.
import { connect } from 'node:net';
import { Client } from 'undici';
import { expect, test } from 'vitest';
import { type RawAnswer, raw } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';

const windowMs = 60_000;
const clients = 1000;

function startProxied(reads: number, writes: number): Promise<Lab<never>> {
  return startLab({ hub: { trustProxy: ['127.0.0.1'], rate: { reads, writes, windowMs, clients } } });
}

const open = '/api/auth/methods';
const own = '/api/routers';

function get(lab: Lab<never>, address: string, at: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return raw(lab.url, { method: 'GET', path: at, headers: { 'x-forwarded-for': address, ...headers } });
}

/** The statuses of requests that follow one another. */
async function statuses(...calls: readonly (() => Promise<RawAnswer>)[]): Promise<number[]> {
  const seen: number[] = [];
  for (const call of calls) {
    seen.push((await call()).status);
  }
  return seen;
}

/** One request from each address, many at once over a few connections; how many were answered with 200. */
async function visit(lab: Lab<never>, addresses: readonly string[]): Promise<number> {
  const connections = Array.from({ length: 4 }, () => new Client(lab.url, { pipelining: 50 }));
  const answers = addresses.map(async (address, at) => {
    const connection = connections[at % connections.length] as Client;
    const { statusCode, body } = await connection.request({
      method: 'GET',
      path: open,
      headers: { 'x-forwarded-for': address },
    });
    await body.dump();
    return statusCode;
  });
  const served = (await Promise.all(answers)).filter((status) => status === 200).length;
  await Promise.all(connections.map((connection) => connection.close()));
  return served;
}

/** `count` addresses of different networks, IPv4 and IPv6 by turns. */
function strangers(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index;
    return n % 2 === 0 ? `11.${n >> 16}.${(n >> 8) & 255}.${n & 255}` : `2001:db8:${n.toString(16)}::1`;
  });
}

test('more strangers than can be remembered lock nobody out', async () => {
  await using lab = await startProxied(20, 20);
  const browser = await lab.as.browser();
  const known = '203.0.113.1';
  expect((await get(lab, known, open)).headers['ratelimit-remaining']).toBe('19');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (let from = 0; from < 3 * clients; from += 300) {
    expect(await visit(lab, strangers(from, 300))).toBe(300);
    expect((await get(lab, '203.0.113.2', own, { cookie })).status).toBe(200);
  }
  expect((await get(lab, '203.0.113.3', open)).status).toBe(200);
  expect((await get(lab, '203.0.113.3', own, { cookie })).headers['ratelimit-remaining']).toBe('9');
});

test('a credential has an allowance of its own, wherever it is used from', async () => {
  await using lab = await startProxied(5, 5);
  const [session, other] = [await lab.as.browser(), await lab.as.identity(['network.read'])];
  const home = '203.0.113.1';
  const cookie = `monitor_session=${session.cookies.get('monitor_session')}`;
  const asIdentity = { 'x-admin-token': other.token };
  expect(await statuses(...Array(6).fill(() => get(lab, home, open)))).toEqual([200, 200, 200, 200, 200, 429]);
  expect(
    await statuses(
      () => get(lab, home, own),
      () => get(lab, home, own, { 'x-admin-token': 'wrong' }),
    ),
  ).toEqual([429, 429]);
  const served = await get(lab, home, own, { cookie });
  expect([served.status, served.headers['ratelimit-limit'], served.headers['ratelimit-remaining']]).toEqual([
    200,
    '5',
    '4',
  ]);
  expect(served.headers['ratelimit-reset']).toBe(String((lab.clock.now() + windowMs) / 1000));
  for (const address of [home, '203.0.113.2', '2001:db8::1', home]) {
    expect((await get(lab, address, own, { cookie })).status).toBe(200);
  }
  const refused = await get(lab, '203.0.113.4', own, { cookie });
  const error = expect.stringMatching(/^too many requests: try again in \d+ s$/);
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', error } });
  expect([refused.headers['retry-after'], refused.headers['ratelimit-remaining']]).toEqual(['60', '0']);
  expect((await get(lab, home, own, asIdentity)).status).toBe(200);
  await lab.advance(windowMs);
  expect(
    await statuses(
      () => get(lab, home, open),
      () => get(lab, home, own, { cookie }),
    ),
  ).toEqual([200, 200]);
});

test('the login is no credential: it has the allowance of its address', async () => {
  await using lab = await startProxied(5, 3);
  const login = (address: string) =>
    raw(lab.url, {
      method: 'POST',
      path: '/api/auth/login',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ password: lab.password }),
    });
  for (const expected of [200, 200, 200, 429]) {
    expect((await login('203.0.113.1')).status).toBe(expected);
  }
  expect((await login('203.0.113.2')).status).toBe(200);
});

test('an IPv6 client is its /64 network, a mapped IPv4 address is itself', async () => {
  await using lab = await startProxied(3, 3);
  const from = (address: string) => () => get(lab, address, open);
  const network = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:DB8:1:2:ffff::1', '2001:db8:1:2::4'];
  expect(await statuses(...network.map(from))).toEqual([200, 200, 200, 429]);
  expect((await from('2001:db8:1:3::1')()).status).toBe(200);
  const mapped = ['203.0.113.1', '::ffff:203.0.113.1', '::ffff:cb00:7101', '203.0.113.1'];
  expect(await statuses(...mapped.map(from))).toEqual([200, 200, 200, 429]);
  expect((await from('203.0.113.2')()).status).toBe(200);
});

test('no spelling of the path is a way around the allowance', async () => {
  await using lab = await startProxied(3, 3);
  for (const path of [open, '/%61pi/auth/methods', `${lab.url.origin}${open}`, '/api/auth/%6dethods/']) {
    const seen = [];
    for (let count = 0; count < 5; count += 1) {
      seen.push(await sendPath(lab, path));
    }
    expect([path, seen]).toEqual([path, ['200', '200', '200', '429', '429']]);
    await lab.advance(windowMs);
  }
});

async function sendPath(lab: Lab<never>, path: string): Promise<string> {
  const socket = connect(Number(lab.url.port), lab.url.hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
  }
  return text.slice(9, 12);
}

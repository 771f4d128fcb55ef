// Strangers, and a client next to them: what fails before the caller is known costs its own address, and nobody else.
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { connectClient, type McpClient } from '../support/mcp-clients.ts';
import { legacy, type McpLab, mcpToken, post, startMcpLab } from '../support/mcp-lab.ts';
import { signIn } from '../support/mcp-sign-in.ts';
import { dialFrom, strangers } from '../support/strangers.ts';

/** The limits of the specification, and a body that is soon too large. */
const env = { MCP_RATE_LIMIT_GLOBAL: '', MCP_RATE_LIMIT_SUBJECT: '', MCP_RATE_LIMIT_CLIENT: '', MCP_MAX_BODY: '1kb' };
const minute = 60_000;
const list = legacy('tools/list');
const classes = Object.entries(strangers);

const connected = (scene: McpLab) =>
  connectClient('v2 modern', { url: scene.url, headers: { 'x-admin-token': mcpToken } });

async function expectServed(client: Pick<McpClient, 'call'>, when: string): Promise<void> {
  const result = await client.call('get_threat_summary').catch((error: unknown) => String(error));
  expect({ when, result }).toMatchObject({ when, result: { structuredContent: { total: 5 } } });
}

describe.each(['127.0.0.1', '127.0.0.2'])('strangers at %s, a client at 127.0.0.1', (address) => {
  test('one a second, of each kind in turn', async () => {
    await using scene = await startMcpLab({ env });
    await using from = dialFrom(address);
    await using client = await connected(scene);
    for (const [what, send] of classes) {
      for (let second = 0; second < 90; second += 1) {
        await send(scene.url, from);
        await scene.lab.clock.advance(1000);
        if (second % 10 === 9) {
          await expectServed(client, `${what}, second ${second}`);
        }
      }
    }
  });

  test('300 at once, of each kind in turn: nearly all are told to come again', async () => {
    await using scene = await startMcpLab({ env });
    await using from = dialFrom(address);
    await using client = await connected(scene);
    for (const [what, send] of classes) {
      const flood = Promise.all(Array.from({ length: 300 }, () => send(scene.url, from)));
      await expectServed(client, `${what}, during`);
      const refused = (await flood).filter(({ status }) => status === 429);
      expect({ what, many: refused.length > 240 }).toEqual({ what, many: true });
      expect(new Set(refused.map(({ retryAfter }) => retryAfter))).toEqual(new Set(['60']));
      await expectServed(client, `${what}, after`);
      await scene.lab.clock.advance(minute);
    }
  });

  test('all of that together, OAuth', async () => {
    await using scene = await startMcpLab({ env, oauth: {} });
    await using from = dialFrom(address);
    await using client = await signIn('v2 modern', scene.url);
    for (let second = 0; second < 60; second += 3) {
      await Promise.all(classes.map(([, send]) => send(scene.url, from)));
      await expectServed(client, `second ${second}`);
      await scene.lab.clock.advance(3000);
    }
  });
});

test('an address has its own status until it was refused twenty times, then 429; no credential is no refusal', async () => {
  await using scene = await startMcpLab({ env });
  await using from = dialFrom('127.0.0.2');
  const round = async () => {
    const statuses: number[] = [];
    for (const [, send] of classes) {
      statuses.push((await send(scene.url, from)).status);
    }
    return statuses;
  };
  const own = [405, 403, 403, 415, 415, 413, 401, 401, 401, 401];
  expect(await round()).toEqual(own);
  expect(await round()).toEqual(own);
  expect(await round()).toEqual([405, 403, 429, 429, 429, 429, 401, 429, 429, 429]);
  expect(await round()).toEqual(own.map((status, at) => (at === 6 ? status : 429)));
});

test('an OAuth client, which begins without a credential, signs in whatever came from its address before', async () => {
  await using scene = await startMcpLab({ env, oauth: {} });
  await using from = dialFrom('127.0.0.1');
  for (let count = 0; count < 20; count += 1) {
    await strangers['no credential'](scene.url, from);
  }
  for (let count = 0; count < 20; count += 1) {
    await strangers['a forged access token'](scene.url, from);
  }
  const first = await post(scene.url, list, {}, from);
  expect({ status: first.status, challenge: first.headers['www-authenticate'] }).toEqual({
    status: 401,
    challenge: expect.stringMatching(/^Bearer scope="network\.read", resource_metadata="/),
  });
  await using client = await signIn('v2 modern', scene.url);
  await expectServed(client, 'after 20 requests without and 20 with a wrong credential');
  const flood = await Promise.all(Array.from({ length: 100 }, () => strangers['no credential'](scene.url, from)));
  expect(flood.filter(({ status }) => status === 429).length).toBeGreaterThan(50);
  expect(flood.at(-1)).toEqual({ status: 429, retryAfter: '60' });
  await expectServed(client, 'after a flood without a credential');
});

test('judging credentials has a bound for each address, which a valid one meets too', async () => {
  await using scene = await startMcpLab({ env });
  await using from = dialFrom('127.0.0.2');
  const send = strangers['a wrong token'];
  const bound = limits.mcpJudgedPerAddress + limits.mcpRateGlobal;
  for (let count = 0; count < bound - 1; count += 1) {
    await send(scene.url, from);
  }
  const own = () => post(scene.url, list, { 'x-admin-token': mcpToken }, from);
  expect((await own()).status).toBe(200);
  expect(await own()).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
  expect((await scene.post(list)).status).toBe(200);
  await scene.lab.clock.advance(minute);
  expect((await own()).status).toBe(200);
});

test('that bound is of an IPv6 client, which has a whole /64', async () => {
  await using scene = await startMcpLab({ env: { ...env, MCP_TRUST_PROXY: '127.0.0.1' } });
  const from = (address: string, token: string) =>
    scene.post(list, { 'x-forwarded-for': address, 'x-admin-token': token });
  const bound = limits.mcpJudgedPerAddress + limits.mcpRateGlobal;
  for (let count = 0; count < bound; count += 1) {
    await from(`2001:db8:0:1::${count.toString(16)}`, 'a wrong token');
  }
  expect((await from('2001:db8:0:1:ffff::1', mcpToken)).status).toBe(429);
  expect((await from('2001:db8:0:2::1', mcpToken)).status).toBe(200);
});

test('the allowance of the host is for what may reach a tool', async () => {
  await using scene = await startMcpLab({
    env: { ...env, MCP_RATE_LIMIT_SUBJECT: '100', MCP_RATE_LIMIT_CLIENT: '100' },
  });
  for (let count = 0; count < 20; count += 1) {
    expect((await scene.post('{')).status).toBe(400);
    expect((await scene.post(list, { accept: '*/*' })).status).toBe(406);
  }
  for (let count = 0; count < 60; count += 1) {
    expect((await scene.post(list)).status).toBe(200);
  }
  expect((await scene.post(list)).status).toBe(429);
});

test('a large body of a request that is refused is not read', async () => {
  await using scene = await startMcpLab({ env });
  for (const length of ['Content-Length: 1000000000', 'Transfer-Encoding: chunked']) {
    const answer = await new Promise<string>((resolve) => {
      let seen = '';
      const socket = connect(Number(scene.url.port), '127.0.0.1');
      socket.write(`PUT /mcp HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`);
      socket
        .on('data', (part) => (seen += String(part)))
        .on('error', () => undefined)
        .on('close', () => resolve(seen));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 405 [\s\S]*Connection: close\r\n/);
  }
});

test('a client that has its refusal may send the rest of its body: the connection does not break under it', async () => {
  await using scene = await startMcpLab({ env });
  const rest = Buffer.alloc(16_384, ' ');
  const outcome = await new Promise<string[]>((resolve) => {
    const events: string[] = [];
    let left = 20;
    const socket = connect({ port: Number(scene.url.port), host: '127.0.0.1', allowHalfOpen: true });
    const send = () => {
      if (left === 0) {
        events.push('sent');
        return;
      }
      left -= 1;
      socket.write(rest, () => setImmediate(send));
    };
    socket.write(`PUT /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${20 * rest.length}\r\n\r\n`);
    socket
      .once('data', (part) => {
        events.push(String(part).slice(0, 12));
        send();
      })
      .on('error', ({ message }) => events.push(message))
      .on('end', () => {
        events.push('ended');
        socket.destroy();
      })
      .on('close', () => resolve(events));
  });
  expect(outcome).toEqual(['HTTP/1.1 405', 'sent', 'ended']);
});

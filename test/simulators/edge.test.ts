// The TLS proxy: canonical name outside, streams and headers through, and each fault by name.

import http from 'node:http';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, listen } from '#kernel/http/listening.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { type Edge, startEdge } from '#simulators/edge/edge.ts';
import { type EdgeFault, edgeFaults } from '#simulators/edge/faults.ts';
import { type Certificate, createAuthority } from '#simulators/support/certificates.ts';

const name = 'mcp.gatehouse.test';
let ca: string;
let own: Certificate;
let other: Certificate;
let upstream: http.Server;
let edge: Edge;
const seen: http.IncomingHttpHeaders[] = [];

beforeAll(async () => {
  const authority = await createAuthority();
  ca = authority.cert;
  own = await authority.issue([name]);
  other = await authority.issue(['other.gatehouse.test']);
  upstream = http.createServer((incoming, response) => {
    seen.push(incoming.headers);
    if (incoming.url === '/mcp/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      incoming.on('close', () => response.end());
      return;
    }
    const status = { '/mcp/limit': 429, '/mcp/ok': 200 }[incoming.url ?? ''] ?? 401;
    response.writeHead(status, { 'www-authenticate': 'Bearer scope="a"', 'retry-after': '7', 'x-body': 'plain' });
    response.end('hello world');
  });
  const target = new URL(`http://${await listen(upstream)}`);
  const upstreams = { '/mcp': target, '/.well-known/oauth-protected-resource': target };
  edge = await startEdge({ certificate: own, otherCertificate: other, upstreams });
});

afterAll(async () => {
  await edge[Symbol.asyncDispose]();
  await close(upstream);
});

/** Each over a connection of its own, so that certificates are presented anew. */
async function ask(path: string, headers: Record<string, string> = {}, more: { method?: string; body?: string } = {}) {
  const agent = new Agent({
    connect: {
      ca,
      lookup: (_host, options, done) =>
        options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
    },
  });
  try {
    const response = await request(`https://${name}:${edge.url.port}${path}`, { dispatcher: agent, headers, ...more });
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
  } finally {
    await agent.destroy();
  }
}

const metadata = '/.well-known/oauth-protected-resource';

describe('edge', () => {
  it('forwards to the upstream of the path, says where it came from, and knows no other path', async () => {
    const { status, text } = await ask('/mcp?x=1', { 'x-request-id': 'abc', 'x-forwarded-for': '192.0.2.1' });
    expect([status, text]).toEqual([401, 'hello world']);
    expect(seen.at(-1)).toMatchObject({
      host: `${name}:${edge.url.port}`,
      'x-request-id': 'abc',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
    });
    expect((await ask('/mcpx')).status).toBe(404);
    expect((await ask('/')).status).toBe(404);
  });

  it('passes an event on before the stream has ended', async () => {
    const agent = new Agent({ connect: { ca, servername: name } });
    const { body } = await request(`${edge.url.origin}/mcp/stream`, { dispatcher: agent });
    for await (const chunk of body) {
      expect(String(chunk)).toBe('data: 1\n\n');
      break;
    }
    await agent.destroy();
  });

  const shows: Record<EdgeFault, () => Promise<void>> = {
    'drop-metadata-root': async () => expect((await ask(metadata)).status).toBe(404),
    'drop-metadata-path': async () => expect((await ask(`${metadata}/mcp`)).status).toBe(404),
    'html-metadata': async () => expect((await ask(metadata)).headers['content-type']).toBe('text/html'),
    'strip-challenge': async () => expect((await ask('/mcp')).headers).not.toHaveProperty('www-authenticate'),
    'strip-retry-after': async () => expect((await ask('/mcp')).headers).not.toHaveProperty('retry-after'),
    'strip-mcp-headers': async () => {
      await ask('/mcp', { 'mcp-method': 'tools/list' });
      expect(seen.at(-1)).not.toHaveProperty('mcp-method');
    },
    'strip-header': async () => {
      await ask('/mcp', { authorization: 'Bearer mine', 'mcp-method': 'tools/list' });
      expect(seen.at(-1)).toMatchObject({ authorization: 'Bearer mine' });
      expect(seen.at(-1)).not.toHaveProperty('mcp-method');
    },
    'set-header': async () => {
      await ask('/mcp', { 'mcp-method': 'tools/list' });
      expect(seen.at(-1)?.['mcp-method']).toBe('tools/call');
    },
    'repair-header': async () => {
      const body = '{"method":"tools/call","params":{"name":"get_devices"}}';
      await ask('/mcp', { 'mcp-name': 'other' }, { method: 'POST', body });
      expect(seen.at(-1)?.['mcp-name']).toBe('get_devices');
    },
    'rewrite-path': async () => expect((await ask('/mcp')).status).toBe(429),
    'body-limit': async () => expect((await ask('/mcp', {}, { method: 'POST', body: '12345' })).status).toBe(413),
    'ask-for-password': async () => expect((await ask('/mcp')).headers['www-authenticate']).toMatch(/^Basic/),
    'answer-preflight': async () => {
      expect((await ask('/mcp', {}, { method: 'OPTIONS' })).headers['access-control-allow-origin']).toBe('*');
    },
    'set-answer-header': async () => expect((await ask('/mcp')).headers['x-body']).toBe('other'),
    'error-pages': async () => expect((await ask('/mcp')).text).toMatch(/^<html>/),
    truncate: async () => expect((await ask('/mcp')).text).toBe('hello'),
    'label-gzip': async () => {
      expect((await ask('/mcp', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
    },
    'cache-answers': async () => {
      const before = seen.length;
      expect((await ask('/mcp/ok', {}, { method: 'POST', body: 'same' })).status).toBe(200);
      expect((await ask('/mcp/ok', {}, { method: 'POST', body: 'same' })).text).toBe('hello world');
      expect(seen.length).toBe(before + 1);
    },
    slow: async () => {
      const elapsed = stopwatch();
      await ask('/mcp');
      expect(elapsed()).toBeGreaterThan(90);
    },
    'new-request-id': async () => {
      await ask('/mcp', { 'x-request-id': 'abc' });
      expect(seen.at(-1)?.['x-request-id']).not.toBe('abc');
    },
    'append-forwarded-for': async () => {
      await ask('/mcp', { 'x-forwarded-for': '192.0.2.1' });
      expect(seen.at(-1)?.['x-forwarded-for']).toBe('192.0.2.1, 127.0.0.1');
    },
    'keep-forwarded-for': async () => {
      await ask('/mcp', { 'x-forwarded-for': '192.0.2.1' });
      expect(seen.at(-1)?.['x-forwarded-for']).toBe('192.0.2.1');
    },
    'swallow-429': async () => expect((await ask('/mcp/limit')).status).toBe(401),
    buffer: async () => expect((await ask('/mcp')).headers['content-length']).toBe('11'),
    'redirect-to-other-host': async () => expect((await ask('/mcp')).status).toBe(302),
    'bad-gateway': async () => expect((await ask('/mcp')).status).toBe(502),
    'accept-any-token': async () => {
      await ask('/mcp', { authorization: 'Bearer bad' });
      expect(seen.at(-1)?.authorization).toBe('Bearer good');
    },
    'rewrite-body': async () => expect((await ask('/mcp')).text).toBe('hello there'),
    'wrong-certificate': async () => {
      await expect(ask('/mcp')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    },
  };

  it.each(Object.keys(edgeFaults) as EdgeFault[])('%s shows, and is over when cleared', async (fault) => {
    const values: Partial<Record<EdgeFault, string | number>> = {
      'accept-any-token': 'good',
      'rewrite-body': 'world => there',
      'strip-header': 'Mcp-Method',
      'set-header': 'Mcp-Method: tools/call',
      'repair-header': 'Mcp-Name',
      'rewrite-path': '/mcp => /mcp/limit',
      'body-limit': 4,
      'set-answer-header': 'X-Body: other',
      truncate: 5,
      slow: 100,
    };
    const value = values[fault];
    edge.fail(fault, value === undefined ? {} : { value });
    await shows[fault]();
    edge.clearFaults();
    const after = await ask('/mcp', { authorization: 'Bearer mine', 'mcp-method': 'x' });
    expect(after.headers).toMatchObject({ 'www-authenticate': 'Bearer scope="a"', 'retry-after': '7' });
    expect(seen.at(-1)).toMatchObject({ authorization: 'Bearer mine', 'mcp-method': 'x' });
  });

  it('a fault may be for the requests of one name only, and another certificate may be presented', async () => {
    edge.fail('bad-gateway', { command: 'gate-read-' });
    expect((await ask('/mcp', { 'x-request-id': 'gate-other-1' })).status).toBe(401);
    expect((await ask('/mcp', { 'x-request-id': 'gate-read-1' })).status).toBe(502);
    edge.clearFaults();
    edge.setCertificate(other);
    await expect(ask('/mcp')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    edge.setCertificate();
    expect((await ask('/mcp')).status).toBe(401);
  });
});

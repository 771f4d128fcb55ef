// The MCP endpoint behind a real nginx that runs docs/nginx.conf: both eras, streams, metadata, client addresses.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Agent, request, fetch as undiciFetch } from 'undici';
import { describe, expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { createAuthority } from '#simulators/support/certificates.ts';
import { clientKinds, connectClient } from '../support/mcp-clients.ts';
import { legacy, type McpLabOptions, mcpToken, modern, post, startMcpLab } from '../support/mcp-lab.ts';
import { agentToLoopback, nginxConfig, proxiedName, startNginx } from '../support/nginx.ts';
import { withPrograms } from '../support/real-programs.ts';
import { verifies } from '../support/verifies.ts';

const token = { 'x-admin-token': mcpToken };
const summary = { name: 'get_threat_summary', arguments: {} };
const wellKnown = '/.well-known/oauth-protected-resource';

interface Options extends Pick<McpLabOptions, 'oauth'> {
  /** Instead of the endpoint. */
  upstream?: URL;
  change?: Readonly<Record<string, string>>;
}

/** A lab, nginx in front of its endpoint and its hub, and connections to it that trust its CA and know its name. */
async function startProxied({ oauth, upstream, change = {} }: Options = {}) {
  const opened = new AsyncDisposableStack();
  const port = await freePort();
  const url = new URL(`https://${proxiedName}:${port}/mcp`);
  const authority = await createAuthority();
  const env = { MCP_TRUST_PROXY: '127.0.0.1', ...(oauth ? { MCP_OAUTH_RESOURCE: url.href } : {}) };
  const scene = opened.use(await startMcpLab({ env, ...(oauth ? { oauth } : {}) }));
  const certificate = await authority.issue([proxiedName]);
  opened.use(await startNginx({ port, certificate, mcp: upstream ?? scene.url, hub: scene.lab.url, change }));
  const from = (localAddress: string) =>
    opened.adopt(agentToLoopback(authority.cert, localAddress), (agent) => agent.destroy());
  const dispatcher = from('127.0.0.1');
  return {
    scene,
    url,
    from,
    dispatcher,
    fetch: ((input: string, init: object) => undiciFetch(input, { ...init, dispatcher })) as unknown as typeof fetch,
    post: (message: unknown, headers: Record<string, string | null> = {}) =>
      post(url, message, { ...token, ...headers }, dispatcher),
    get: (path: string) => request(new URL(path, url), { dispatcher }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The rule of the endpoint, as operators copy it. */
function ruleOfMcp(): string {
  const [, rule = ''] = /location = \/mcp \{([^}]*)\}/.exec(nginxConfig()) ?? [];
  return rule;
}

/** A server whose one answer is an event stream that the test writes. */
async function startStream() {
  const asked = Promise.withResolvers<void>();
  const answers: ServerResponse[] = [];
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((incoming, answer) => {
    incoming.resume();
    received.push(incoming.headers);
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.flushHeaders();
    answers.push(answer);
    asked.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    asked: asked.promise,
    received,
    write: (text: string) => answers[0]?.write(text),
    end: () => answers[0]?.end(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

withPrograms('nginx-light', ['nginx'], () => {
  describe('protocol', () => {
    test.each(clientKinds)('%s works through it', async (kind) => {
      await using proxied = await startProxied();
      const { url, fetch } = proxied;
      await using client = await connectClient(kind, { url, headers: token, fetch });
      expect(await client.list()).toHaveLength(11);
      expect((await client.call('get_threat_summary')).structuredContent).toMatchObject({ total: 5, danger: 1 });
    });

    verifies('mcp.proxy.rule-precedes mcp.proxy.forwards mcp.proxy.accept', 'only /mcp is the endpoint', async () => {
      await using proxied = await startProxied();
      for (const accept of [null, 'application/json', '*/*']) {
        const { status, body } = await proxied.post(legacy('tools/list'), { accept });
        expect({ accept, status }).toEqual({ accept, status: 200 });
        expect((body.result as { tools: unknown[] }).tools).toHaveLength(11);
      }
      const discovering = modern('server/discover');
      expect((await proxied.post(discovering.message, discovering.headers)).status).toBe(200);
      const health = await proxied.get('/healthz');
      expect({ status: health.statusCode, body: await health.body.json() }).toMatchObject({ status: 200 });
      const refused = await proxied.get('/mcp');
      expect({ status: refused.statusCode, body: await refused.body.json() }).toMatchObject({
        status: 405,
        body: { error: 'method_not_allowed' },
      });
    });

    test('a body over the limit and an endpoint that is down are answered as JSON', async () => {
      await using proxied = await startProxied();
      const large = await proxied.post('x'.repeat(262_145));
      expect({ status: large.status, error: large.body.error }).toEqual({ status: 413, error: 'payload_too_large' });
      await proxied.scene.mcp[Symbol.asyncDispose]();
      const down = await proxied.post(legacy('tools/list'));
      expect({ status: down.status, error: down.body.error }).toEqual({ status: 502, error: 'mcp_unreachable' });
    });
  });

  describe('streams', () => {
    verifies('mcp.proxy.streaming', 'each event comes when it is sent, before the stream ends', async () => {
      for (const off of [/^ *proxy_buffering +off;$/m, /^ *proxy_cache +off;$/m]) {
        expect(ruleOfMcp()).toMatch(off);
      }
      await using stream = await startStream();
      await using proxied = await startProxied({ upstream: stream.url });
      const { body } = await request(proxied.url, { method: 'POST', body: '{}', dispatcher: proxied.dispatcher });
      body.setEncoding('utf8');
      for (const text of ['data: one\n\n', 'data: two\n\n']) {
        stream.write(text);
        expect((await once(body, 'data'))[0]).toBe(text);
      }
      expect(stream.received).toMatchObject([{ accept: 'application/json, text/event-stream' }]);
      stream.end();
      expect(await body.toArray()).toEqual([]);
    });

    verifies('mcp.proxy.headers', 'the endpoint gets address and scheme, whatever the client claims', async () => {
      await using stream = await startStream();
      await using proxied = await startProxied({ upstream: stream.url });
      const headers = { 'x-real-ip': '198.51.100.1', 'x-forwarded-for': '198.51.100.1', 'x-forwarded-proto': 'http' };
      const dispatcher = proxied.from('127.0.0.2');
      const { body } = await request(proxied.url, { method: 'POST', headers, body: '{}', dispatcher });
      stream.end();
      await body.dump();
      const address = { 'x-real-ip': '127.0.0.2', 'x-forwarded-for': '127.0.0.2' };
      expect(stream.received).toMatchObject([{ ...address, 'x-forwarded-proto': 'https' }]);
    });

    test('with buffering on nothing of it would come before the end', async () => {
      await using stream = await startStream();
      await using proxied = await startProxied({
        upstream: stream.url,
        change: { 'proxy_buffering    off': 'proxy_buffering    on' },
      });
      let hasBegun = false;
      const answer = request(proxied.url, { method: 'POST', body: '{}', dispatcher: proxied.dispatcher });
      const begun = () => {
        hasBegun = true;
      };
      answer.then(begun, begun);
      await Promise.race([stream.asked, answer]);
      stream.write('data: one\n\n');
      // What nginx had to pass on it has passed on when other requests came and went.
      for (let at = 0; at < 5; at += 1) {
        await (await proxied.get('/healthz')).body.dump();
      }
      expect(hasBegun).toBe(false);
      stream.end();
      expect(await (await answer).body.text()).toBe('data: one\n\n');
    });

    verifies('mcp.proxy.read-timeout', 'a tool call may last: its stream opens at once and waits an hour', async () => {
      await using proxied = await startProxied();
      const { scene, url, dispatcher } = proxied;
      scene.relay.hold();
      const { statusCode, headers, body } = await request(url, {
        method: 'POST',
        headers: { ...token, 'content-type': 'application/json' },
        body: JSON.stringify(legacy('tools/call', summary)),
        dispatcher,
      });
      expect({ statusCode, type: headers['content-type'] }).toEqual({ statusCode: 200, type: 'text/event-stream' });
      expect(body.readableLength).toBe(0);
      scene.relay.letGo();
      expect(await body.text()).toContain('"danger":1');
      expect(ruleOfMcp()).toContain('proxy_read_timeout 3600s;');
    });
  });

  verifies('mcp.proxy.metadata', 'the metadata is the same through it, at the root and the resource path', async () => {
    await using proxied = await startProxied({ oauth: {} });
    for (const path of [wellKnown, `${wellKnown}/mcp`]) {
      const [direct, through] = [await request(new URL(path, proxied.scene.url)), await proxied.get(path)];
      const document = await through.body.text();
      expect({ path, status: through.statusCode, document }).toEqual({
        path,
        status: 200,
        document: await direct.body.text(),
      });
      expect(JSON.parse(document)).toMatchObject({ resource: proxied.url.href });
    }
    const challenge = (await proxied.post(legacy('tools/list'))).headers['www-authenticate'];
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(String(challenge)) ?? [];
    expect(metadata).toBe(new URL(`${wellKnown}/mcp`, proxied.url).href);
    expect((await proxied.get(`${wellKnown}/other`)).statusCode).toBe(404);
  });

  verifies('mcp.limits.trust-proxy', 'limits and audit see the real address of the client', async () => {
    await using proxied = await startProxied();
    const { scene, url, from } = proxied;
    const [one, other] = [from('127.0.0.2'), from('127.0.0.3')];
    const guess = (dispatcher: Agent, claim: string) =>
      post(url, legacy('tools/list'), { 'x-admin-token': 'guess', 'x-forwarded-for': claim }, dispatcher);
    const statuses = [];
    for (let at = 0; at < 21; at += 1) {
      statuses.push((await guess(one, `198.51.100.${at}`)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429]);
    expect((await guess(other, '127.0.0.2')).status).toBe(401);
    expect((await post(url, legacy('tools/list'), token, other)).status).toBe(200);
    const rows = await scene.settledRows();
    expect(new Set(rows.map(({ client_ip_hash }) => client_ip_hash)).size).toBe(2);
  });
});

// What stands between a socket and the protocol: every refusal, its body, its order, and its row in the audit.
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import { createSteps } from '#mcp/http/steps.ts';
import { createTokenAuthenticator } from '#mcp/http/token-authenticator.ts';
import { tools } from '#mcp/tools.ts';
import { raw } from '../support/actors.ts';
import { until } from '../support/eventually.ts';
import { collectLog } from '../support/log-lines.ts';
import {
  legacy,
  type McpAnswer,
  type McpLab,
  mcpToken,
  modern,
  passTimeUntil,
  post,
  startMcpLab,
} from '../support/mcp-lab.ts';
import { verifies } from '../support/verifies.ts';

const list = legacy('tools/list');
const call = (name: string, args = {}) => legacy('tools/call', { name, arguments: args });

/** The row the last exchange left. */
const lastRow = async (scene: McpLab) => (await scene.settledRows()).at(-1);

function expectRefused(answer: McpAnswer, status: number, error: string): void {
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: { error, message: expect.any(String), requestId: answer.headers['x-request-id'] },
  });
}

test('the steps are in their order', async () => {
  await using scene = await startMcpLab();
  const steps = createSteps({
    settings: scene.settings,
    tools,
    authenticator: createTokenAuthenticator('x'),
    audit: { isWritten: () => true },
    clock: systemClock,
  });
  expect(steps.map(({ name }) => name)).toEqual([
    'audit',
    'addresses that were refused too often',
    'method',
    'Host and Origin',
    'media type',
    'body limit',
    'authentication',
    'allowance of the subject',
    'allowance of the client',
    'one message',
    'scope of the tool',
    'accepted answers',
    'allowance of the whole host',
    'tool calls at once',
  ]);
});

describe('each refusal is JSON, has a request id, is not cached, and leaves its row', () => {
  verifies('mcp.auth.401 mcp.reason.unauthorized', '401 without the token, and with a wrong one', async () => {
    await using scene = await startMcpLab();
    for (const headers of [{}, { 'x-admin-token': 'wrong' }, { authorization: 'Bearer wrong' }]) {
      const answer = await post(scene.url, list, { ...headers });
      expectRefused(answer, 401, 'unauthorized');
      expect(answer.headers).toMatchObject({ 'www-authenticate': 'Bearer', 'cache-control': 'no-store' });
      expect(await lastRow(scene)).toMatchObject({
        event_type: 'mcp_request',
        reason: 'unauthorized',
        http_status: 401,
        request_id: answer.headers['x-request-id'],
        subject_hash: null,
      });
    }
  });

  verifies(
    'mcp.auth.token-mode-headers mcp.http.credential-headers mcp.auth.no-fallback',
    'the token is taken from X-Admin-Token and as a Bearer token',
    async () => {
      await using scene = await startMcpLab();
      for (const headers of [{ 'x-admin-token': mcpToken }, { authorization: `bearer ${mcpToken}` }]) {
        expect((await post(scene.url, list, { ...headers })).status).toBe(200);
      }
      for (const other of [scene.lab.adminToken, scene.serviceToken]) {
        expect((await post(scene.url, list, { 'x-admin-token': other })).status).toBe(401);
      }
    },
  );

  verifies('mcp.reason.not-found', '404 for other paths than /mcp, also for the metadata in token mode', async () => {
    await using scene = await startMcpLab();
    for (const path of ['/', '/mcp/x', '/api/status', '/.well-known/oauth-protected-resource', '/%ff']) {
      const answer = await post(new URL(path, scene.url), list, { 'x-admin-token': mcpToken });
      expectRefused(answer, 404, 'not_found');
    }
    await until(async () => (await scene.rows()).length >= 5);
    expect((await scene.rows())[0]).toMatchObject({ event_type: 'mcp_request', reason: 'not_found', http_status: 404 });
  });

  test('the row of a path that cannot be decoded has the address behind a trusted proxy', async () => {
    await using scene = await startMcpLab({ env: { MCP_TRUST_PROXY: '127.0.0.1' } });
    for (const [path, address] of [
      ['/%ff', '198.51.100.66'],
      ['/other', '198.51.100.66'],
      ['/other', '198.51.100.67'],
    ] as const) {
      await post(new URL(path, scene.url), list, { 'x-forwarded-for': address });
    }
    await until(async () => (await scene.rows()).length >= 3);
    const addresses = (await scene.rows()).map(({ client_ip_hash }) => client_ip_hash);
    expect([addresses.length, new Set(addresses).size]).toEqual([3, 2]);
  });

  verifies('mcp.reason.method-not-allowed', '405 for every other method, with Allow', async () => {
    await using scene = await startMcpLab();
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD'] as const) {
      const answer = await raw(scene.url, { method, path: '/mcp', headers: { 'x-admin-token': mcpToken } });
      expect({ method, status: answer.status, allow: answer.headers.allow }).toEqual({
        method,
        status: 405,
        allow: 'POST',
      });
    }
    expect(await lastRow(scene)).toMatchObject({ reason: 'method_not_allowed', http_status: 405 });
  });

  verifies(
    'mcp.http.accept-both mcp.reason.client-error',
    '406 unless Accept names both types, in both eras',
    async () => {
      await using scene = await startMcpLab();
      const { message, headers } = modern('tools/list');
      for (const accept of ['application/json', 'text/event-stream', '*/*', null]) {
        expectRefused(await scene.post(list, { accept }), 406, 'not_acceptable');
        expectRefused(await scene.post(message, { ...headers, accept }), 406, 'not_acceptable');
      }
      expect(await lastRow(scene)).toMatchObject({ reason: 'client_error', http_status: 406 });
      const accept = 'text/event-stream;q=0.5, Application/JSON';
      expect((await scene.post(list, { accept })).status).toBe(200);
    },
  );

  verifies(
    'mcp.limits.body-first mcp.reason.payload-too-large',
    '413 for one byte too many, before anything is parsed or anybody is asked who they are',
    async () => {
      await using scene = await startMcpLab({ env: { MCP_MAX_BODY: '1kb' } });
      const padded = (bytes: number) => JSON.stringify(list).padEnd(bytes);
      expect((await scene.post(padded(1024))).status).toBe(200);
      for (const token of [mcpToken, 'wrong', null]) {
        expectRefused(await scene.post('{'.repeat(1025), { 'x-admin-token': token }), 413, 'payload_too_large');
      }
      const chunk = `bb8\r\n${'x'.repeat(3000)}\r\n`;
      expect(await sentPost(scene.url, 'Transfer-Encoding: chunked', chunk)).toMatch(/^HTTP\/1\.1 413 /);
      // Not a byte of it is waited for: the deadline would answer with 504.
      const declared = sentPost(scene.url, 'Content-Length: 1025', '');
      expect(await passTimeUntil(scene, 5000, declared)).toMatch(/^HTTP\/1\.1 413 /);
      expect(await lastRow(scene)).toMatchObject({ reason: 'payload_too_large', http_status: 413, subject_hash: null });
    },
  );

  test('415 for what is not JSON, or is compressed', async () => {
    await using scene = await startMcpLab();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', null]) {
      expectRefused(await scene.post(JSON.stringify(list), { 'content-type': type }), 415, 'unsupported_media_type');
    }
    expectRefused(await scene.post(list, { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type');
    expect((await scene.post(list, { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(200);
  });

  verifies('mcp.reason.bad-request', '400 for what is no message, and for a batch: none of it runs', async () => {
    await using scene = await startMcpLab();
    const code = async (body: unknown) => {
      const answer = await scene.post(body);
      return [answer.status, (answer.body.error as { code: number }).code];
    };
    expect(await code('{"jsonrpc"')).toEqual([400, -32700]);
    expect(await code('')).toEqual([400, -32700]);
    expect(await code('"text"')).toEqual([400, -32600]);
    expect(await code([])).toEqual([400, -32600]);
    expect(await code([call('get_threat_summary'), call('get_threat_summary')])).toEqual([400, -32600]);
    expect(await code([modern('tools/list').message])).toEqual([400, -32600]);
    expect(scene.relay.sent()).not.toContain('threat-counts');
    const rows = await scene.settledRows();
    expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set(['bad_request']));
    expect(rows).toHaveLength(6);
  });

  test('403 for a page of another origin, and for a host name that is not ours', async () => {
    await using scene = await startMcpLab();
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'nonsense']) {
      expectRefused(await scene.post(list, { origin }), 403, 'forbidden');
    }
    for (const host of ['evil.example', 'evil.example:80', 'localhost.evil.example']) {
      expectRefused(await scene.post(list, { host }), 403, 'forbidden');
    }
    for (const headers of [{ origin: 'http://localhost:8080' }, { host: 'localhost:1' }, { host: '[::1]' }]) {
      expect((await scene.post(list, headers)).status).toBe(200);
    }
  });

  test('a proxy in front may call us by any name, a page of another origin still not', async () => {
    await using scene = await startMcpLab({ env: { MCP_TRUST_PROXY: '127.0.0.1' } });
    expect((await scene.post(list, { host: 'mcp.example' })).status).toBe(200);
    expectRefused(await scene.post(list, { origin: 'https://evil.example' }), 403, 'forbidden');
  });
});

describe('the order of refusals', () => {
  test('each one comes before those that follow', async () => {
    await using scene = await startMcpLab({ env: { MCP_MAX_BODY: '1kb' } });
    const wrong: Record<string, Record<string, string | null>> = {
      host: { host: 'evil.example' },
      media: { 'content-type': 'text/plain' },
      token: { 'x-admin-token': 'wrong' },
      accept: { accept: '*/*' },
    };
    const refused = async (body: unknown, ...names: string[]) =>
      (await scene.post(body, Object.assign({}, ...names.map((name) => wrong[name])))).status;
    const large = '{'.repeat(2000);
    expect(await refused(large, 'host', 'media', 'token', 'accept')).toBe(403);
    expect(await refused(large, 'media', 'token', 'accept')).toBe(415);
    expect(await refused(large, 'token', 'accept')).toBe(413);
    expect(await refused('{', 'token', 'accept')).toBe(401);
    expect(await refused('{', 'accept')).toBe(400);
    expect(await refused(list, 'accept')).toBe(406);
    expect(await refused(list)).toBe(200);
  });
});

describe('the request id', () => {
  verifies('mcp.hub-calls.request-id', "the client's own is used, answered, and sent on to the hub", async () => {
    await using scene = await startMcpLab();
    const id = 'assistant-1:call.7';
    const answer = await scene.post(call('get_threat_summary'), { 'x-request-id': id });
    expect(answer.headers['x-request-id']).toBe(id);
    const [, asked = ''] = scene.relay.sent().split('threat-counts');
    expect(asked).toContain(`x-request-id: ${id}\r\n`);
    expect(await lastRow(scene)).toMatchObject({ request_id: id });
    const unsafe = await scene.post(list, { 'x-request-id': 'no spaces, please' });
    expect(unsafe.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('what is no HTTP is answered as JSON, with an id', async () => {
    await using scene = await startMcpLab();
    const text = await new Promise<string>((resolve) => {
      let seen = '';
      const socket = connect(Number(scene.url.port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      socket.on('data', (part) => (seen += String(part))).on('close', () => resolve(seen));
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*X-Request-Id: [0-9a-f-]{36}[\s\S]*\{"error"/);
  });
});

describe('the hub behind it', () => {
  verifies(
    'mcp.hub-calls.service-token mcp.hub-calls.no-admin-token mcp.tools.via-rest',
    'is asked with the service token, and with nothing of the client',
    async () => {
      await using scene = await startMcpLab();
      const before = scene.relay.sent().length;
      await scene.post(call('get_threat_summary'));
      const sent = scene.relay.sent().slice(before);
      expect(sent).toMatch(/^GET \/api\/connections\/threat-counts\?/);
      expect(sent).toContain(`x-admin-token: ${scene.serviceToken}`);
      expect(scene.relay.sent()).not.toContain(mcpToken);
      expect(scene.relay.sent()).not.toContain(scene.lab.adminToken);
    },
  );

  verifies('mcp.reason.tool-error', 'a failure names path and status, and nothing the hub said', async () => {
    const { log, lines } = collectLog('warn');
    await using scene = await startMcpLab({ log });
    const { identities } = await scene.lab.as.admin.auth.identities({});
    await scene.lab.as.admin.auth.revokeIdentity({ params: { id: identities[0]?.id ?? '' }, body: {} });
    const answer = await scene.post(call('get_threat_summary'), { 'x-request-id': 'id-1' });
    const text = 'the monitoring service answered 401: GET /api/connections/threat-counts';
    const about = { requestId: 'id-1', tool: 'get_threat_summary', code: 'upstream_failed' };
    expect(lines).toContainEqual(expect.objectContaining({ ...about, msg: `tool failed: ${text}` }));
    expect(answer.body.result).toEqual({ isError: true, content: [{ type: 'text', text }] });
    expect(await lastRow(scene)).toMatchObject({ event_type: 'mcp_tool_call', reason: 'tool_error' });
    const again = await scene.post(call('get_threat_summary'));
    expect(JSON.stringify(again.body.result)).toContain('no valid identity at the monitoring service');
  });

  test('wrong arguments are refused by name, and not quoted', async () => {
    await using scene = await startMcpLab();
    const answer = await scene.post(legacy('tools/call', { name: 'query_connections', arguments: { limit: 'x' } }));
    expect(answer.body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^Invalid arguments: limit /) }],
    });
    expect(await lastRow(scene)).toMatchObject({ tool_name: 'query_connections', reason: 'tool_error' });
    const unknown = await scene.post(legacy('tools/call', { name: 'query_connections', arguments: { sql: 'DROP' } }));
    expect(unknown.body.result).toMatchObject({
      content: [{ text: expect.stringMatching(/^Invalid arguments: sql is not known here; known: period, src, /) }],
    });
    const src = { length: { toString: 1 } };
    const hostile = await scene.post(legacy('tools/call', { name: 'query_connections', arguments: { src } }));
    expect(hostile.body.result).toMatchObject({
      content: [{ text: 'Invalid arguments: the input has an object with a length that is no number' }],
    });
  });
});

/** A POST whose body does not end; resolves to what came back until the connection closed. */
function sentPost(url: URL, length: string, body: string): Promise<string> {
  return new Promise((resolve) => {
    let seen = '';
    const socket = connect(Number(url.port), url.hostname, () => {
      socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${length}\r\n\r\n`);
      socket.write(body);
    });
    socket
      .on('data', (part) => (seen += String(part)))
      .on('error', () => undefined)
      .on('close', () => resolve(seen));
  });
}

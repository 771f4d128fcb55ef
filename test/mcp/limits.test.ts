// Rate buckets, the cap on tool calls at once, and deadlines that reach the hub.
import { connect } from 'node:net';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { fixedMcpClientId } from '#simulators/oidc/clients.ts';
import { defaultUsers, type IssuerUser } from '#simulators/oidc/users.ts';
import { eventually, until } from '../support/eventually.ts';
import { type ApplicationOptions, openApplication } from '../support/issuer-client.ts';
import {
  hubAsked,
  legacy,
  type McpLab,
  mcpToken,
  modern,
  passTimeUntil,
  post,
  startMcpLab,
} from '../support/mcp-lab.ts';
import { verifies } from '../support/verifies.ts';

const list = legacy('tools/list');
const summary = { name: 'get_threat_summary', arguments: {} };
const minute = 60_000;

const rowsWith = (scene: McpLab, reason: string) =>
  eventually(
    () => scene.rows(),
    (rows) => {
      const found = rows.filter((row) => row.reason === reason);
      return found.length > 0 ? found : undefined;
    },
  );

/** How many of `count` requests in a row pass, and what one more got. */
async function spend(scene: McpLab, count: number, headers: Record<string, string | null> = {}) {
  let passed = 0;
  let last = await scene.post(list, headers);
  for (let at = 0; at < count; at += 1) {
    passed += last.status === 200 ? 1 : 0;
    last = await scene.post(list, headers);
  }
  return { passed, last };
}

/** An access token of this user, by the native client unless `application` says otherwise. */
async function tokenOf(scene: McpLab, sub: string, application: ApplicationOptions = {}): Promise<string> {
  const { resource } = scene.settings.auth as { resource: string };
  scene.issuer.loginAs(sub);
  return (await (await openApplication(scene.issuer, { resource, ...application })).login()).access_token;
}

describe('buckets', () => {
  verifies.each(
    [
      {
        ids: 'mcp.reason.global-rate-limit mcp.errors.429 mcp.limits.both-modes',
        what: 'MCP_RATE_LIMIT_GLOBAL alone refuses, with 429 and Retry-After, until its minute is over',
        reason: 'global_rate_limit',
      },
      {
        ids: 'mcp.reason.subject-rate-limit mcp.errors.429 mcp.limits.three-buckets',
        what: 'MCP_RATE_LIMIT_SUBJECT alone refuses, with 429 and Retry-After, until its minute is over',
        reason: 'subject_rate_limit',
      },
      {
        ids: 'mcp.reason.client-rate-limit mcp.errors.429 mcp.limits.three-buckets',
        what: 'MCP_RATE_LIMIT_CLIENT alone refuses, with 429 and Retry-After, until its minute is over',
        reason: 'client_rate_limit',
      },
    ],
    async ({ what, reason }) => {
      const [name = ''] = what.split(' ');
      await using scene = await startMcpLab({ env: { [name]: '3' } });
      const { passed, last } = await spend(scene, 4);
      expect(passed).toBe(3);
      expect(last).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
      expect(Number(last.headers['retry-after'])).toBe(60);
      const refused = { event_type: 'mcp_rate_limited', reason, http_status: 429, outcome: 'failure' };
      expect((await scene.settledRows()).at(-1)).toMatchObject(refused);
      await scene.lab.clock.advance(minute / 2);
      expect((await scene.post(list)).headers['retry-after']).toBe('30');
      await scene.lab.clock.advance(minute / 2);
      expect((await scene.post(list)).status).toBe(200);
    },
  );

  verifies(
    'mcp.limits.both-modes mcp.limits.global-60 mcp.limits.subject-30',
    'with the defaults a subject has 30 of the 60 of the host, and its refused requests spend none of the others',
    async () => {
      const env = { MCP_RATE_LIMIT_GLOBAL: '', MCP_RATE_LIMIT_SUBJECT: '', MCP_RATE_LIMIT_CLIENT: '99' };
      const [first] = defaultUsers;
      const users = ['one', 'two', 'three'].map(
        (sub) => ({ ...first, sub, email: `${sub}@example.com` }) as IssuerUser,
      );
      await using scene = await startMcpLab({ env, oauth: { users } });
      for (const [sub, most] of [
        ['one', 30],
        ['two', 30],
        ['three', 0],
      ] as const) {
        const authorization = `Bearer ${await tokenOf(scene, sub)}`;
        expect((await spend(scene, 40, { 'x-admin-token': null, authorization })).passed).toBe(most);
      }
      await rowsWith(scene, 'subject_rate_limit');
      const rows = await rowsWith(scene, 'global_rate_limit');
      expect(new Set(rows.map(({ subject_hash }) => subject_hash)).size).toBe(1);
      const all = (await scene.settledRows()).filter(({ event_type }) => event_type === 'mcp_rate_limited');
      expect(new Set(all.map(({ request_id }) => request_id)).size).toBe(all.length);
    },
  );

  verifies(
    'mcp.limits.three-buckets mcp.reason.client-rate-limit mcp.limits.client-30',
    'two subjects of one client share its 30; another client of the same subject has its own',
    async () => {
      await using scene = await startMcpLab({ env: { MCP_RATE_LIMIT_CLIENT: '' }, oauth: {} });
      const passedWith = async (count: number, token: string) =>
        (await spend(scene, count, { 'x-admin-token': null, authorization: `Bearer ${token}` })).passed;
      // One more than is counted is sent: 21 of the 30.
      expect(await passedWith(20, await tokenOf(scene, 'user-1'))).toBe(20);
      expect(await passedWith(20, await tokenOf(scene, 'user-2'))).toBe(9);
      const other = { clientId: fixedMcpClientId, redirectUri: 'http://127.0.0.1:33418/callback' };
      expect(await passedWith(1, await tokenOf(scene, 'user-1', other))).toBe(1);
      const rows = await rowsWith(scene, 'client_rate_limit');
      expect(new Set(rows.map(({ client_id_hash }) => client_id_hash)).size).toBe(1);
    },
  );

  test('an address with many wrong tokens waits, unless it has the right one; an IPv6 client is its /64', async () => {
    await using scene = await startMcpLab({ env: { MCP_RATE_LIMIT_GLOBAL: '40', MCP_TRUST_PROXY: '127.0.0.1' } });
    const from = (address: string, token: string) =>
      scene.post(list, { 'x-forwarded-for': address, 'x-admin-token': token });
    for (const address of [() => '198.51.100.66', (at: number) => `2001:db8::${at}`]) {
      const seen: number[] = [];
      for (let at = 0; at < 60; at += 1) {
        seen.push((await from(address(at), 'guess')).status);
      }
      expect(seen.filter((status) => status === 401)).toHaveLength(20);
      expect(seen.filter((status) => status === 429)).toHaveLength(40);
      expect((await from(address(0), mcpToken)).status).toBe(200);
    }
    for (const other of ['198.51.100.1', '2001:db8:0:1::1']) {
      expect((await from(other, 'guess')).status).toBe(401);
    }
    await scene.lab.clock.advance(minute);
    expect((await from('198.51.100.66', 'guess')).status).toBe(401);
  });

  test('X-Forwarded-For of anybody but a trusted proxy is ignored', async () => {
    await using scene = await startMcpLab();
    await scene.post(list, { 'x-forwarded-for': '198.51.100.66' });
    await scene.post(list, {});
    const rows = await scene.settledRows();
    expect(new Set(rows.map(({ client_ip_hash }) => client_ip_hash)).size).toBe(1);
  });
});

describe('at once', () => {
  verifies.each(
    [
      {
        ids: 'mcp.limits.concurrency-separate mcp.limits.concurrent-4 mcp.reason.concurrency-limit',
        what: 'four tool calls run, a fifth is told to come again; listing tools is no tool call',
        mode: 'token',
      },
      {
        ids: 'mcp.limits.both-modes',
        what: 'the same of tool calls in OAuth mode',
        mode: 'oauth',
      },
    ],
    async ({ mode }) => {
      await using scene = await startMcpLab(mode === 'oauth' ? { oauth: {} } : {});
      const signedIn =
        mode === 'oauth' ? { 'x-admin-token': null, authorization: `Bearer ${await tokenOf(scene, 'user-1')}` } : {};
      const send = (message: unknown) => scene.post(message, signedIn);
      scene.relay.hold();
      const running = [1, 2, 3, 4].map(() => send(legacy('tools/call', summary)));
      await hubAsked(scene, 4);
      const fifth = await send(legacy('tools/call', summary));
      expect(fifth).toMatchObject({ status: 429, body: { error: 'rate_limited' }, headers: { 'retry-after': '1' } });
      expect((await send(list)).status).toBe(200);
      const [row] = await rowsWith(scene, 'concurrency_limit');
      expect(row).toMatchObject({ event_type: 'mcp_rate_limited', http_status: 429 });
      scene.relay.letGo();
      for (const answer of await Promise.all(running)) {
        expect(answer.body.result).toMatchObject({ structuredContent: { total: 5 } });
      }
      expect((await send(legacy('tools/call', summary))).status).toBe(200);
    },
  );

  test('a stranger with a slow body holds nobody up', async () => {
    await using scene = await startMcpLab({ env: { MCP_MAX_CONCURRENT: '1' } });
    const socket = connect(Number(scene.url.port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    expect((await scene.post(legacy('tools/call', summary))).body.result).toMatchObject({ structuredContent: {} });
    socket.destroy();
  });
});

describe('deadlines', () => {
  const timeouts = { MCP_REQUEST_TIMEOUT_MS: '5000', MCP_API_TIMEOUT_MS: '2000' };

  const called = (era: 'modern' | 'legacy') =>
    era === 'modern' ? modern('tools/call', summary) : { message: legacy('tools/call', summary), headers: {} };

  /** Asks, and waits until the hub was asked: every deadline runs, and `answer` is still to come. */
  async function askOfHeldHub(scene: McpLab, era: 'modern' | 'legacy') {
    scene.relay.hold();
    const sentBefore = scene.relay.sent().length;
    const { message, headers } = called(era);
    const answer = scene.post(message, headers);
    await hubAsked(scene, 1, sentBefore);
    return { answer };
  }

  verifies(
    'mcp.limits.api-timeout',
    'a call of the hub has a deadline of its own: the tool fails, the rest lives',
    async () => {
      await using scene = await startMcpLab({ env: timeouts });
      const asked = await askOfHeldHub(scene, 'modern');
      await scene.lab.clock.advance(2000);
      const answer = await asked.answer;
      expect(answer.status).toBe(200);
      const text = 'the monitoring service did not answer within 2000 ms: GET /api/connections/threat-counts';
      expect(answer.body.result).toMatchObject({ isError: true, content: [{ type: 'text', text }] });
      expect((await rowsWith(scene, 'tool_error'))[0]).toMatchObject({ tool_name: 'get_threat_summary' });
      await abandoned(scene);
    },
  );

  verifies(
    'mcp.errors.504 mcp.limits.request-timeout-aborts mcp.reason.request-timeout',
    'the exchange ends with 504 before the answer began, and the hub is not waited for',
    async () => {
      await using scene = await startMcpLab({ env: { ...timeouts, MCP_API_TIMEOUT_MS: '600000' } });
      const asked = await askOfHeldHub(scene, 'modern');
      await scene.lab.clock.advance(5000);
      const answer = await asked.answer;
      expect(answer).toMatchObject({ status: 504, body: { error: 'request_timeout' } });
      await abandoned(scene);
      const rows = await rowsWith(scene, 'request_timeout');
      expect(rows).toMatchObject([
        { event_type: 'mcp_tool_call', tool_name: 'get_threat_summary', outcome: 'failure' },
      ]);
    },
  );

  verifies(
    'mcp.errors.deadline-streaming',
    'once the answer began its status stays 200: the stream ends, the audit says why',
    async () => {
      await using scene = await startMcpLab({ env: { ...timeouts, MCP_API_TIMEOUT_MS: '600000' } });
      const asked = await askOfHeldHub(scene, 'legacy');
      await scene.lab.clock.advance(5000);
      const answer = await asked.answer;
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain('"result"');
      await abandoned(scene);
      expect(await rowsWith(scene, 'request_timeout')).toMatchObject([{ event_type: 'mcp_tool_call' }]);
    },
  );

  test('a body that does not come is not waited for', async () => {
    await using scene = await startMcpLab({ env: timeouts });
    const text = new Promise<string>((resolve) => {
      let seen = '';
      const socket = connect(Number(scene.url.port), '127.0.0.1');
      socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Admin-Token: ${mcpToken}\r\n`);
      socket.write('Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
      socket.on('data', (part) => (seen += String(part))).on('close', () => resolve(seen));
    });
    await passTimeUntil(scene, 5000, text);
    expect(await text).toMatch(/^HTTP\/1\.1 504 /);
  });

  test.each(['modern', 'legacy'] as const)(
    'a client that goes away takes its call of the hub with it: %s',
    async (era) => {
      await using scene = await startMcpLab({ env: timeouts });
      scene.relay.hold();
      const gone = new AbortController();
      const { message, headers } = called(era);
      const asked = request(scene.url, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'x-admin-token': mcpToken,
          ...headers,
        },
        body: JSON.stringify(message),
        signal: gone.signal,
      }).then(({ body }) => body.text());
      await hubAsked(scene);
      gone.abort();
      await expect(asked).rejects.toThrow();
      await abandoned(scene);
      expect(await rowsWith(scene, 'client_error')).toMatchObject([{ event_type: 'mcp_tool_call' }]);
    },
  );

  test('a stop waits for what runs, and not for ever', async () => {
    const scene = await startMcpLab();
    scene.relay.hold();
    const asked = post(scene.url, legacy('tools/call', summary), { 'x-admin-token': mcpToken }).catch((error) => error);
    await hubAsked(scene);
    await passTimeUntil(scene, 10_000, scene.mcp[Symbol.asyncDispose]());
    await asked;
    await scene[Symbol.asyncDispose]();
  });
});

function abandoned(scene: McpLab): Promise<void> {
  return until(() => scene.relay.abandoned > 0);
}

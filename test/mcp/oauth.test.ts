// The endpoint as an OAuth resource server, against the simulated issuer: sign-in, scopes, every misbehaviour, outages.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { IssuerFault } from '#simulators/oidc/faults.ts';
import { startRouter } from '#simulators/router/start.ts';
import { raw } from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import { openApplication } from '../support/issuer-client.ts';
import { recordOf } from '../support/lab.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { legacy, type McpLab, modern, passTimeUntil, startMcpLab } from '../support/mcp-lab.ts';
import { signIn } from '../support/mcp-sign-in.ts';
import { root } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const list = legacy('tools/list');
const write = { name: 'set_device_note', arguments: { src: '192.168.1.10', note: 'printer' } };
const both = 'network.read notes.write';

/** An access token with these scopes, by code and PKCE. */
async function tokenOf(scene: McpLab, scope = 'network.read'): Promise<string> {
  const { resource } = scene.settings.auth as { resource: string };
  const application = await openApplication(scene.issuer, { scope, resource });
  return (await application.login()).access_token;
}

const ask = (scene: McpLab, token: string, message: unknown = list, headers: Record<string, string> = {}) =>
  scene.post(message, { 'x-admin-token': null, authorization: `Bearer ${token}`, ...headers });

const names = (body: Record<string, unknown>) =>
  (body.result as { tools: { name: string }[] }).tools.map(({ name }) => name);

/** 401 with a challenge that says the token is not valid, and a row that says the same. */
async function expectInvalid(scene: McpLab, token: string): Promise<void> {
  const answer = await ask(scene, token);
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 401, error: 'invalid_token' });
  expect(answer.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token", scope="network\.read", resource/);
  expect((await scene.settledRows()).at(-1)).toMatchObject({
    reason: 'invalid_token',
    http_status: 401,
    subject_hash: null,
  });
}

describe('metadata and challenges', () => {
  verifies(
    'mcp.oauth.rfc9728 mcp.http.metadata-path mcp.http.metadata-resource-path',
    'the document is at the root and at the path of the resource, for everybody',
    async () => {
      await using scene = await startMcpLab({ oauth: {}, env: { MCP_OAUTH_RESOURCE: 'https://mcp.example/deep/mcp' } });
      const known = '/.well-known/oauth-protected-resource';
      for (const path of [known, `${known}/mcp`, `${known}/deep/mcp`]) {
        const answer = await raw(scene.url, { method: 'GET', path });
        expect(answer.status).toBe(200);
        expect(answer.headers['access-control-allow-origin']).toBe('*');
        expect(answer.body).toEqual({
          resource: 'https://mcp.example/deep/mcp',
          authorization_servers: [scene.issuer.issuer],
          scopes_supported: ['network.read', 'notes.write'],
          bearer_methods_supported: ['header'],
        });
      }
      expect((await raw(scene.url, { method: 'GET', path: `${known}/other` })).status).toBe(404);
      expect((await raw(scene.url, { method: 'HEAD', path: known })).status).toBe(200);
      expect((await raw(scene.url, { method: 'POST', path: known })).headers.allow).toBe('GET, HEAD');
    },
  );

  verifies('mcp.auth.401 mcp.reason.unauthorized', 'without a token: 401, which scope, where to look', async () => {
    await using scene = await startMcpLab({ oauth: {} });
    const { resource } = scene.settings.auth as { resource: string };
    const metadata = resource.replace('/mcp', '/.well-known/oauth-protected-resource/mcp');
    for (const headers of [{}, { authorization: 'Basic eDp5' }]) {
      const answer = await scene.post(list, { 'x-admin-token': 'anything', ...headers });
      expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 401, error: 'unauthorized' });
      expect(answer.headers['www-authenticate']).toBe(`Bearer scope="network.read", resource_metadata="${metadata}"`);
    }
    expect((await scene.settledRows()).at(-1)).toMatchObject({ reason: 'unauthorized', http_status: 401 });
  });

  verifies('mcp.reason.invalid-token', 'the admin token and the service token are no access tokens', async () => {
    await using scene = await startMcpLab({ oauth: {} });
    for (const token of [scene.lab.adminToken, scene.serviceToken, 'a.b.c', 'x'.repeat(17_000)]) {
      await expectInvalid(scene, token);
    }
    expect(scene.issuer.journal().filter(({ kind }) => kind === 'jwks')).toEqual([]);
  });
});

describe('the audience', () => {
  verifies('mcp.env.resource', 'is MCP_OAUTH_RESOURCE letter by letter, wherever the endpoint listens', async () => {
    const resource = 'https://mcp.example/Deep/mcp';
    await using scene = await startMcpLab({ oauth: {}, env: { MCP_OAUTH_RESOURCE: resource } });
    const tokenFor = async (audience: string) =>
      (await (await openApplication(scene.issuer, { scope: 'network.read', resource: audience })).login()).access_token;
    expect((await ask(scene, await tokenFor(resource))).status).toBe(200);
    for (const other of [`${resource}/`, resource.toLowerCase(), 'https://mcp.example', scene.url.href]) {
      await expectInvalid(scene, await tokenFor(other));
    }
  });
});

describe('scopes', () => {
  verifies(
    'mcp.oauth.insufficient-scope mcp.oauth.step-up mcp.reason.insufficient-scope',
    'writing with a token to read is 403 and names both scopes',
    async () => {
      await using scene = await startMcpLab({ oauth: {} });
      const token = await tokenOf(scene);
      const called = modern('tools/call', write);
      for (const [one, more] of [
        [legacy('tools/call', write), {}] as const,
        [called.message, called.headers] as const,
      ]) {
        const answer = await ask(scene, token, one, { ...more });
        expect({ status: answer.status, error: answer.body.error }).toEqual({
          status: 403,
          error: 'insufficient_scope',
        });
        expect(answer.headers['www-authenticate']).toMatch(
          /^Bearer error="insufficient_scope", scope="network\.read notes\.write", resource_metadata="http/,
        );
      }
      expect((await scene.settledRows()).at(-1)).toMatchObject({
        ...{ event_type: 'mcp_tool_call', tool_name: 'set_device_note', reason: 'insufficient_scope' },
        ...{ http_status: 403, scopes: 'network.read' },
      });
    },
  );

  verifies(
    'mcp.tools.write-hidden mcp.tools.eleven',
    'a token to read lists ten tools, one to read and write eleven, in both eras',
    async () => {
      await using scene = await startMcpLab({ oauth: {} });
      const { message, headers } = modern('tools/list');
      const reading = await tokenOf(scene);
      for (const listed of [await ask(scene, reading), await ask(scene, reading, message, headers)]) {
        expect(names(listed.body)).toHaveLength(10);
        expect(names(listed.body)).not.toContain('set_device_note');
      }
      const writing = await tokenOf(scene, both);
      for (const listed of [await ask(scene, writing), await ask(scene, writing, message, headers)]) {
        expect(names(listed.body)).toHaveLength(11);
        expect(names(listed.body)).toContain('set_device_note');
      }
    },
  );

  /** The scopes of the settings the other way round: a server that knows them by its own names is wrong. */
  const turned = { MCP_OAUTH_READ_SCOPE: 'notes.write', MCP_OAUTH_NOTES_WRITE_SCOPE: 'network.read' };

  verifies(
    'mcp.oauth.read-scope mcp.env.read-scope',
    'the scope that MCP_OAUTH_READ_SCOPE names reads, and the audit has network.read',
    async () => {
      await using scene = await startMcpLab({ oauth: {}, env: turned });
      const reading = await tokenOf(scene, 'notes.write');
      expect(names((await ask(scene, reading)).body)).toHaveLength(10);
      expect((await scene.settledRows()).at(-1)).toMatchObject({ scopes: 'network.read' });
      expect((await ask(scene, await tokenOf(scene, 'network.read'))).status).toBe(403);
    },
  );

  verifies(
    'mcp.oauth.write-scope mcp.env.write-scope',
    'the scope that MCP_OAUTH_NOTES_WRITE_SCOPE names also writes, and the audit has both',
    async () => {
      await using scene = await startMcpLab({ oauth: {}, env: turned });
      const reading = await tokenOf(scene, 'notes.write');
      expect((await ask(scene, reading, legacy('tools/call', write))).status).toBe(403);
      const writing = await tokenOf(scene, both);
      expect((await ask(scene, writing, legacy('tools/call', write))).status).toBe(200);
      expect((await scene.settledRows()).at(-1)).toMatchObject({ scopes: 'network.read notes.write' });
    },
  );

  verifies('mcp.oauth.scope-mismatch', 'a token without the scope to read gets nothing', async () => {
    await using scene = await startMcpLab({ oauth: {}, env: { MCP_OAUTH_READ_SCOPE: 'another.scope' } });
    const none = await ask(scene, await tokenOf(scene));
    expect(none.status).toBe(403);
    expect(none.headers['www-authenticate']).toMatch(/^Bearer error="insufficient_scope", scope="another\.scope", /);
    const writing = await ask(scene, await tokenOf(scene, both));
    expect(writing.headers['www-authenticate']).toContain('scope="another.scope notes.write"');
    expect((await scene.settledRows()).at(-1)).toMatchObject({ reason: 'insufficient_scope', http_status: 403 });
  });
});

describe('official clients sign in by themselves', () => {
  test.each(['v1', 'v2 legacy', 'v2 modern'] as const)('%s', async (kind) => {
    await using scene = await startMcpLab({ oauth: {} });
    await using client = await signIn(kind, scene.url);
    expect(await client.list()).toHaveLength(10);
    expect((await client.call('get_threat_summary')).structuredContent).toMatchObject({ total: 5 });
    const { resource } = scene.settings.auth as { resource: string };
    expect(client.authorization.searchParams.get('resource')).toBe(resource);
    expect(client.authorization.searchParams.get('code_challenge_method')).toBe('S256');
  });

  // The client of the first generation refreshes instead of signing in again, and gets the same scope.
  verifies('mcp.oauth.step-up', 'and step up to writing without losing the scope they have', async () => {
    await using scene = await startMcpLab({ oauth: {} });
    await using client = await signIn('v2 modern', scene.url);
    await client.stepUp('set_device_note', write.arguments);
    expect(client.authorization.searchParams.get('scope')?.split(' ').sort()).toEqual(
      expect.arrayContaining(both.split(' ')),
    );
    expect(await client.list()).toHaveLength(11);
  });
});

describe('an issuer that misbehaves is not believed', () => {
  const cases: [IssuerFault, 'on issue' | 'on use', object][] = [
    ['no-pkce-metadata', 'on use', {}],
    ['pkce-contradiction', 'on use', {}],
    ['wrong-issuer', 'on issue', { value: 'token' }],
    ['wrong-issuer', 'on use', { value: 'discovery' }],
    ['two-audiences', 'on issue', {}],
    ['jwks-down', 'on use', {}],
    ['discovery-not-json', 'on use', {}],
    ['redirect-loop', 'on use', { command: '/.well-known' }],
    ['redirect-loop', 'on use', { command: '/jwks' }],
  ];
  test.each(cases)('%s, %s %j', async (fault, when, options) => {
    await using scene = await startMcpLab({ oauth: {} });
    if (when === 'on issue') {
      scene.issuer.fail(fault, options);
    }
    const token = await tokenOf(scene);
    if (when === 'on use') {
      scene.issuer.fail(fault, options);
    }
    await expectInvalid(scene, token);
    await expectInvalid(scene, token);
    scene.issuer.clearFaults();
    await scene.lab.clock.advance(5000);
    const good = await tokenOf(scene);
    expect((await ask(scene, good)).status).toBe(200);
  });

  verifies('mcp.oauth.pkce mcp.oauth.strict', 'strict wants PKCE S256 to be promised', async () => {
    await using scene = await startMcpLab({ oauth: { profile: 'cloud_idp' } });
    await expectInvalid(scene, await tokenOf(scene));
    scene.issuer.patch({ profile: 'strict' });
    await scene.lab.clock.advance(5000);
    expect((await ask(scene, await tokenOf(scene))).status).toBe(200);
  });

  test('an answer that does not come is waited for eight seconds', async () => {
    await using scene = await startMcpLab({ oauth: {} });
    const token = await tokenOf(scene);
    scene.issuer.fail('slow', { value: 60_000, command: '/.well-known' });
    const before = scene.lab.clock.now();
    await passTimeUntil(scene, 1000, expectInvalid(scene, token));
    expect(scene.lab.clock.now() - before).toBeGreaterThanOrEqual(8000);
    expect(scene.lab.clock.now() - before).toBeLessThan(60_000);
  });
});

describe('time', () => {
  verifies(
    'mcp.oauth.expired mcp.oauth.valid-until-exp mcp.oauth.rs256',
    'a token is good until it expires, whatever becomes of its user, and not after',
    async () => {
      await using scene = await startMcpLab({ oauth: { accessTokenTtlMs: 60_000 } });
      const token = await tokenOf(scene);
      expect((await ask(scene, token)).status).toBe(200);
      scene.issuer.removeUser('user-1');
      await scene.lab.clock.advance(80_000);
      expect((await ask(scene, token)).status).toBe(200);
      await scene.lab.clock.advance(15_000);
      await expectInvalid(scene, token);
    },
  );
});

describe('outages of the issuer', () => {
  verifies(
    'mcp.oauth.server-down mcp.oauth.server-down-else-runs',
    'a cold process fails closed, and everything else runs on: collection, the page, stdio, private HTTP',
    async () => {
      using folder = temporaryFolder();
      await using scene = await startMcpLab({ oauth: {} });
      const { lab } = scene;
      const access = await tokenOf(scene);
      await scene.issuer[Symbol.asyncDispose]();
      await expectInvalid(scene, access);
      await using router = await startRouter('vendor_a', { sessions: 7, clock: lab.clock });
      const { router: added } = await lab.as.admin.routers.create({ body: recordOf(router, 'a') });
      await lab.settled();
      await lab.poll();
      const observed = async () => {
        const { connections } = await lab.as.admin.connections.list({
          query: { sourceKind: 'router', sourceId: added.id },
        });
        return connections.length > 0 ? connections : undefined;
      };
      expect((await eventually(observed, (found) => found)).length).toBeGreaterThan(0);
      expect((await lab.as.raw({ method: 'GET', path: '/' })).status).toBe(200);
      await using stdio = await connectClient('v2 modern', {
        args: [path.join(root, 'src/main.ts'), 'mcp'],
        env: { MONITOR_URL: lab.url.href, MONITOR_TOKEN: lab.adminToken },
        cwd: folder.path,
      });
      expect((await stdio.call('get_devices')).isError ?? false).toBe(false);
      await using private_ = await startMcpLab();
      const called = await private_.post(legacy('tools/call', { name: 'get_devices', arguments: {} }));
      expect(called.body.result).toMatchObject({ structuredContent: { devices: [] } });
    },
  );

  verifies(
    'mcp.oauth.cached-jwks mcp.oauth.server-down',
    'without the key set a warm process goes on with the keys it has for five minutes, and no longer',
    async () => {
      await using scene = await startMcpLab({ oauth: { accessTokenTtlMs: 3_600_000 } });
      const token = await tokenOf(scene);
      expect((await ask(scene, token)).status).toBe(200);
      scene.issuer.fail('jwks-down');
      await scene.lab.clock.advance(290_000);
      expect((await ask(scene, token)).status).toBe(200);
      await scene.lab.clock.advance(20_000);
      await expectInvalid(scene, token);
      scene.issuer.clearFaults();
      await scene.lab.clock.advance(5000);
      expect((await ask(scene, token)).status).toBe(200);
    },
  );

  test('a failure is remembered for five seconds; parallel requests ask once', async () => {
    await using scene = await startMcpLab({ oauth: {} });
    const token = await tokenOf(scene);
    scene.issuer.fail('jwks-down');
    scene.issuer.clearJournal();
    const fetches = () => scene.issuer.journal().filter(({ kind }) => kind === 'jwks').length;
    await Promise.all([1, 2, 3, 4, 5].map(() => ask(scene, token)));
    for (const passedMs of [0, 1, 4998]) {
      await scene.lab.clock.advance(passedMs);
      await ask(scene, token);
      expect(fetches()).toBe(1);
    }
    await scene.lab.clock.advance(1);
    await ask(scene, token);
    expect(fetches()).toBe(2);
  });

  test('a new key is found once it signs; unknown key ids ask at most every ten seconds', async () => {
    await using scene = await startMcpLab({ oauth: {} });
    expect((await ask(scene, await tokenOf(scene))).status).toBe(200);
    await scene.issuer.rotateKey();
    const renewed = await tokenOf(scene);
    await expectInvalid(scene, renewed);
    await scene.lab.clock.advance(10_000);
    expect((await ask(scene, renewed)).status).toBe(200);
  });
});

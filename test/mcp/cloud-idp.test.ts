// The profile for one cloud provider's user pools, whose name nobody here may use: its two documents are answered in its place.
import { SignJWT } from 'jose';
import { HttpResponse, http, passthrough } from 'msw';
import { setupServer } from 'msw/node';
import { expect } from 'vitest';
import { legacy, type McpLab, startMcpLab } from '../support/mcp-lab.ts';
import { newKey } from '../support/stub-issuer.ts';
import { verifies } from '../support/verifies.ts';

const issuer = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Gatehouse';
const resource = 'https://mcp.example/mcp';

/** The pool's documents on the wire, with `metadata` laid over what it really serves. */
async function startPool(metadata: Record<string, unknown> = {}) {
  const key = await newKey();
  const document = { issuer, jwks_uri: `${issuer}/.well-known/jwks.json`, ...metadata };
  const server = setupServer(
    http.get(`${issuer}/.well-known/openid-configuration`, () => HttpResponse.json(document)),
    http.get(`${issuer}/.well-known/jwks.json`, () => HttpResponse.json({ keys: [key.jwk] })),
    http.all('http://127.0.0.1:*/*', () => passthrough()),
  );
  server.listen({ onUnhandledFrame: 'error' });
  const token = (scene: McpLab, aud: unknown = resource) => {
    const at = Math.floor(scene.lab.clock.now() / 1000);
    return new SignJWT({
      sub: 'user-1',
      client_id: 'assistant',
      scope: 'mcp/read',
      token_use: 'access',
      aud: aud as string,
    })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid })
      .setIssuer(issuer)
      .setIssuedAt(at)
      .setExpirationTime(at + 600)
      .sign(key.privateKey);
  };
  return { token, [Symbol.dispose]: () => server.close() };
}

const env = (profile: string) => ({
  MCP_OAUTH_ISSUER: issuer,
  MCP_OAUTH_RESOURCE: resource,
  MCP_OAUTH_READ_SCOPE: 'mcp/read',
  MCP_OAUTH_NOTES_WRITE_SCOPE: 'mcp/notes',
  MCP_OAUTH_COMPATIBILITY_PROFILE: profile,
});

const ask = async (scene: McpLab, token: string) => {
  const headers = { 'x-admin-token': null, authorization: `Bearer ${token}`, host: 'mcp.example' };
  return (await scene.post(legacy('tools/list'), headers)).status;
};

verifies(
  'mcp.oauth.cloud-idp-omitted',
  'a pool that says nothing of PKCE is believed under cloud_idp alone',
  async () => {
    using pool = await startPool();
    await using cloud = await startMcpLab({ oauth: {}, env: env('cloud_idp') });
    expect(await ask(cloud, await pool.token(cloud))).toBe(200);
    expect(await ask(cloud, await pool.token(cloud, [resource, 'https://other.example']))).toBe(401);
    expect(await ask(cloud, await pool.token(cloud, 'https://other.example'))).toBe(401);
    await using strict = await startMcpLab({ oauth: {}, env: env('strict') });
    expect(await ask(strict, await pool.token(strict))).toBe(401);
  },
);

verifies('mcp.oauth.cloud-idp-contradiction', 'a pool that offers PKCE without S256 is not believed', async () => {
  using pool = await startPool({ code_challenge_methods_supported: ['plain'] });
  await using scene = await startMcpLab({ oauth: {}, env: env('cloud_idp') });
  expect(await ask(scene, await pool.token(scene))).toBe(401);
});

// Keycloak as the authorization server of the MCP endpoint: tokens that a real product signs, right ones and wrong ones.
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMcpLab } from '../support/mcp-lab.ts';

const resource = 'https://gatehouse.example.net/mcp';
const secret = 'a-secret-of-a-test-client';

/** A client of its own for each kind of token: with the audience of the resource, and without. */
const realm = {
  realm: 'gatehouse',
  enabled: true,
  sslRequired: 'none',
  accessTokenLifespan: 300,
  clientScopes: ['network.read', 'notes.write'].map((name) => ({
    name,
    protocol: 'openid-connect',
    attributes: { 'include.in.token.scope': 'true' },
  })),
  clients: [client('reader', resource), client('other', 'https://elsewhere.example.net/')],
};

function client(clientId: string, audience: string) {
  return {
    clientId,
    secret,
    enabled: true,
    publicClient: false,
    serviceAccountsEnabled: true,
    standardFlowEnabled: false,
    fullScopeAllowed: false,
    defaultClientScopes: ['basic', 'network.read'],
    optionalClientScopes: ['notes.write'],
    protocolMappers: [
      {
        name: 'audience',
        protocol: 'openid-connect',
        protocolMapper: 'oidc-audience-mapper',
        config: { 'included.custom.audience': audience, 'access.token.claim': 'true' },
      },
    ],
  };
}

let keycloak: StartedTestContainer;
beforeAll(async () => {
  keycloak = await new GenericContainer('quay.io/keycloak/keycloak:26.3.5')
    .withEnvironment({ KC_HEALTH_ENABLED: 'true' })
    .withCopyContentToContainer([{ content: JSON.stringify(realm), target: '/opt/keycloak/data/import/realm.json' }])
    .withCommand(['start-dev', '--import-realm'])
    .withExposedPorts(8080)
    .withWaitStrategy(
      Wait.forHttp('/realms/gatehouse/.well-known/openid-configuration', 8080).withStartupTimeout(300_000),
    )
    .start();
});
afterAll(() => keycloak?.stop());

async function fetchToken(clientId: string, issuer: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret });
  const answer = await request(`${issuer}/protocol/openid-connect/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  });
  return ((await answer.body.json()) as { access_token: string }).access_token;
}

test('its token for the resource is accepted, one for another and a changed one are not', async () => {
  const issuer = `http://127.0.0.1:${keycloak.getMappedPort(8080)}/realms/gatehouse`;
  await using endpoint = await startMcpLab({
    env: {
      MONITOR_DEPLOYMENT_PROFILE: 'private-oauth',
      MCP_AUTH_MODE: 'oauth',
      MCP_OAUTH_ISSUER: issuer,
      MCP_OAUTH_RESOURCE: resource,
      MCP_OAUTH_READ_SCOPE: 'network.read',
      MCP_OAUTH_NOTES_WRITE_SCOPE: 'notes.write',
    },
  });
  const ask = async (token: string) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const headers = { 'x-admin-token': null, authorization: `Bearer ${token}`, host: 'gatehouse.example.net' };
    return (await endpoint.post(message, headers)).status;
  };
  const right = await fetchToken('reader', issuer);
  expect(await ask(right)).toBe(200);
  expect(await ask(await fetchToken('other', issuer))).toBe(401);
  const [head, payload, signature = ''] = right.split('.');
  expect(await ask(`${head}.${payload}.${[...signature].reverse().join('')}`)).toBe(401);
});

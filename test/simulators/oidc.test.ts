// The simulated issuer as openid-client and jose see it: discovery, code with PKCE and resource, tokens, refresh, revocation.
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import { fixedMcpClientId, hubClientId } from '#simulators/oidc/clients.ts';
import { type IssuerOptions, type IssuerSimulator, startIssuer } from '#simulators/oidc/issuer.ts';
import { openApplication, refusal, resource } from '../support/issuer-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { verifies } from '../support/verifies.ts';

const hubCallback = 'http://127.0.0.1:3000/api/auth/oidc/callback';
const hubSecret = 'a-secret-that-is-long-enough-for-hs256';
const bothScopes = 'network.read notes.write';

const startWithHub = (options: IssuerOptions = {}) =>
  startIssuer({ hubRedirectUris: [hubCallback], hubSecret, ...options });

const openHub = (issuer: IssuerSimulator) =>
  openApplication(issuer, {
    clientId: hubClientId,
    secret: hubSecret,
    redirectUri: hubCallback,
    scope: 'openid email profile',
    resource: null,
  });

/** Verifies as a resource server must, against the keys that the issuer publishes. */
async function verified(issuer: IssuerSimulator, token: string | undefined, audience: string) {
  const keys = createRemoteJWKSet(new URL('/jwks', issuer.url));
  return jwtVerify(token ?? '', keys, {
    issuer: issuer.issuer,
    audience,
    algorithms: ['RS256'],
    requiredClaims: ['exp', 'iat', 'sub'],
  });
}

verifies('card.ships.issuer-simulator sim.oidc.independent-client', 'discovery is complete', async () => {
  await using issuer = await startIssuer();
  const { config } = await openApplication(issuer);
  expect(config.serverMetadata()).toMatchObject({
    issuer: issuer.issuer,
    authorization_endpoint: `${issuer.issuer}/auth`,
    token_endpoint: `${issuer.issuer}/token`,
    jwks_uri: `${issuer.issuer}/jwks`,
    userinfo_endpoint: `${issuer.issuer}/me`,
    revocation_endpoint: `${issuer.issuer}/token/revocation`,
    code_challenge_methods_supported: ['S256'],
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    scopes_supported: ['openid', 'email', 'profile', 'offline_access', 'network.read', 'notes.write'],
    authorization_response_iss_parameter_supported: true,
  });
  for (const other of [
    'pushed_authorization_request_endpoint',
    'end_session_endpoint',
    'dpop_signing_alg_values_supported',
  ]) {
    expect(config.serverMetadata()).not.toHaveProperty(other);
  }
  const oauth = await fetch(new URL('/.well-known/oauth-authorization-server', issuer.url));
  expect(await oauth.json()).toMatchObject({ issuer: issuer.issuer });
});

verifies('sim.oidc.cloud-idp', 'the profile omits the PKCE methods and nothing else', async () => {
  const read = async (options: IssuerOptions) => {
    await using issuer = await startIssuer(options);
    const response = await fetch(new URL('/.well-known/openid-configuration', issuer.url));
    return Object.keys((await response.json()) as object);
  };
  const strict = await read({});
  expect(await read({ profile: 'cloud_idp' })).toEqual(
    strict.filter((name) => name !== 'code_challenge_methods_supported'),
  );
  expect(strict).toContain('code_challenge_methods_supported');
});

describe('a browser login', () => {
  verifies('sim.oidc.verifiable-tokens', 'gives an RS256 ID token with the claims of the user', async () => {
    await using issuer = await startWithHub();
    const hub = await openHub(issuer);
    oidc.enableNonRepudiationChecks(hub.config);
    const attempt = await hub.authorize({ prompt: 'select_account' });
    const tokens = await hub.exchange(attempt);
    expect(tokens.claims()).toMatchObject({
      iss: issuer.issuer,
      aud: hubClientId,
      sub: 'user-1',
      email: 'operator@example.com',
      email_verified: true,
      name: 'Olive Operator',
      nonce: attempt.checks.expectedNonce,
    });
    const { protectedHeader } = await verified(issuer, tokens.id_token, hubClientId);
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: expect.any(String) });
    expect(tokens.refresh_token).toBeUndefined();
    const userinfo = await oidc.fetchUserInfo(hub.config, tokens.access_token, 'user-1');
    expect(userinfo).toMatchObject({ email: 'operator@example.com', email_verified: true });
  });

  test('the secret may come in the header or in the body, and a wrong one is refused', async () => {
    await using issuer = await startWithHub();
    const other = async (authentication: oidc.ClientAuth) => {
      const hub = await openHub(issuer);
      const metadata = hub.config.serverMetadata();
      const config = new oidc.Configuration(metadata, hubClientId, undefined, authentication);
      oidc.allowInsecureRequests(config);
      const { page, checks } = await hub.authorize();
      return oidc.authorizationCodeGrant(config, page.url, checks);
    };
    expect((await other(oidc.ClientSecretPost(hubSecret))).id_token).toBeDefined();
    expect((await other(oidc.ClientSecretBasic(hubSecret))).id_token).toBeDefined();
    for (const wrong of [oidc.ClientSecretPost('wrong'), oidc.ClientSecretBasic('wrong')]) {
      await expect(other(wrong)).rejects.toMatchObject({ status: 401 });
    }
  });

  test('a code works once, and its second use ends what the first one gave', async () => {
    await using issuer = await startIssuer();
    const application = await openApplication(issuer);
    const attempt = await application.authorize();
    const { refresh_token: refreshToken } = await application.exchange(attempt);
    expect(await refusal(application.exchange(attempt))).toBe('invalid_grant');
    expect(await refusal(application.refresh(refreshToken))).toBe('invalid_grant');
  });
});

describe('access tokens', () => {
  verifies('sim.oidc.one-audience sim.oidc.verifiable-tokens', 'name the one resource, also refreshed', async () => {
    await using issuer = await startIssuer();
    const application = await openApplication(issuer, { scope: `openid ${bothScopes}` });
    const first = await application.login();
    const { payload, protectedHeader } = await verified(issuer, first.access_token, resource);
    expect(payload).toMatchObject({ aud: resource, scope: bothScopes, client_id: 'gatehouse-mcp', sub: 'user-1' });
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(600);
    const second = await application.refresh(first.refresh_token);
    expect((await verified(issuer, second.access_token, resource)).payload.aud).toBe(resource);
    const third = await oidc.refreshTokenGrant(application.config, second.refresh_token ?? '');
    expect((await verified(issuer, third.access_token, resource)).payload.aud).toBe(resource);
  });

  verifies(
    'sim.oidc.one-audience',
    'of two resources asked for, the token request chooses one or is refused',
    async () => {
      await using issuer = await startIssuer();
      const second = 'https://mcp.example/second';
      const application = await openApplication(issuer);
      const authorizeBoth = async () => {
        const begun = await application.begin();
        begun.url.searchParams.append('resource', second);
        return { ...begun, page: await application.browser.open(begun.url, application.redirectUri) };
      };
      const chosen = await application.exchange(await authorizeBoth());
      expect(decodeJwt(chosen.access_token).aud).toBe(resource);
      const { page, checks } = await authorizeBoth();
      const { expectedNonce: _unused, ...others } = checks;
      const grant = oidc.authorizationCodeGrant(application.config, page.url, others);
      expect(
        decodeJwt((await grant.catch(() => ({ access_token: '' }))).access_token || 'e30.e30.').aud,
      ).toBeUndefined();
    },
  );

  test('a read scope gives a read token, and an unknown resource is refused', async () => {
    await using issuer = await startIssuer({ resources: [resource] });
    const read = await (await openApplication(issuer, { scope: 'network.read' })).login();
    expect(decodeJwt(read.access_token).scope).toBe('network.read');
    const stranger = await openApplication(issuer, { resource: 'https://elsewhere.example/' });
    expect((await stranger.authorize()).page.url.searchParams.get('error')).toBe('invalid_target');
  });

  test('the scopes can be named otherwise', async () => {
    await using issuer = await startIssuer({ readScope: 'mcp/read', writeScope: 'mcp/write' });
    const tokens = await (await openApplication(issuer, { scope: 'mcp/read mcp/write' })).login();
    expect(decodeJwt(tokens.access_token).scope).toBe('mcp/read mcp/write');
  });

  verifies('sim.oidc.lifetimes', 'live as long as they were told to', async () => {
    await using issuer = await startWithHub({ accessTokenTtlMs: 5_000 });
    expect((await (await openHub(issuer)).login()).expires_in).toBe(5);
    const tokens = await (await openApplication(issuer)).login();
    const { exp, iat } = decodeJwt(tokens.access_token);
    expect(tokens.expires_in).toBe(5);
    expect(Number(exp) - Number(iat)).toBe(5);
  });
});

describe('PKCE', () => {
  verifies('sim.oidc.pkce-required', 'none and plain are refused, a wrong verifier too', async () => {
    await using issuer = await startWithHub();
    for (const application of [await openApplication(issuer), await openHub(issuer)]) {
      const none = await application.authorize({ code_challenge: '', code_challenge_method: '' });
      expect(none.page.url.searchParams.get('error')).toBe('invalid_request');
      const plain = await application.authorize({ code_challenge_method: 'plain' });
      expect(plain.page.url.searchParams.get('error')).toBe('invalid_request');
      const attempt = await application.authorize();
      const checks = { ...attempt.checks, pkceCodeVerifier: oidc.randomPKCECodeVerifier() };
      expect(await refusal(application.exchange({ ...attempt, checks }))).toBe('invalid_grant');
    }
  });

  test('a native client may use any loopback port, a web client its exact callback only', async () => {
    await using issuer = await startIssuer();
    const native = await openApplication(issuer, { redirectUri: 'http://127.0.0.1:1/oauth/callback' });
    expect((await native.login()).access_token).toBeDefined();
    const elsewhere = 'http://127.0.0.1:33419/callback';
    const web = await openApplication(issuer, { clientId: fixedMcpClientId, redirectUri: elsewhere });
    const { page } = await web.authorize();
    expect(page.status).toBe(400);
    expect(page.text).toContain('redirect_uri');
    const exact = await openApplication(issuer, {
      clientId: fixedMcpClientId,
      redirectUri: 'http://127.0.0.1:33418/callback',
    });
    expect((await exact.login()).access_token).toBeDefined();
  });
});

describe('refresh tokens', () => {
  verifies(
    'sim.oidc.reject-replay sim.oidc.independent-client',
    'a replay fails alone, twice too, and the current family stays usable',
    async () => {
      await using issuer = await startIssuer({ replayMode: 'reject-replay' });
      const application = await openApplication(issuer);
      const first = await application.login();
      const second = await application.refresh(first.refresh_token);
      expect(second.refresh_token).not.toBe(first.refresh_token);
      expect(await refusal(application.refresh(first.refresh_token))).toBe('invalid_grant');
      expect(await refusal(application.refresh(first.refresh_token))).toBe('invalid_grant');
      const third = await application.refresh(second.refresh_token);
      expect(third.access_token).toBeDefined();
    },
  );

  verifies(
    'sim.oidc.revoke-family sim.oidc.independent-client',
    'a replay ends its family, and no other one',
    async () => {
      await using issuer = await startIssuer({ replayMode: 'revoke-family' });
      const application = await openApplication(issuer);
      const other = await application.login();
      const first = await application.login();
      const second = await application.refresh(first.refresh_token);
      expect(await refusal(application.refresh(first.refresh_token))).toBe('invalid_grant');
      expect(await refusal(application.refresh(second.refresh_token))).toBe('invalid_grant');
      expect((await application.refresh(other.refresh_token)).access_token).toBeDefined();
    },
  );

  verifies('sim.oidc.revocation sim.oidc.independent-client', 'revoked ones are refused in both modes', async () => {
    for (const replayMode of ['reject-replay', 'revoke-family'] as const) {
      await using issuer = await startIssuer({ replayMode });
      const application = await openApplication(issuer);
      const tokens = await application.login();
      const current = await application.refresh(tokens.refresh_token);
      await application.revoke(current.refresh_token);
      expect(await refusal(application.refresh(current.refresh_token))).toBe('invalid_grant');
      expect(issuer.state().refreshTokens).toBe(0);
    }
  });

  test('another client can neither use nor revoke them', async () => {
    await using issuer = await startIssuer();
    const owner = await openApplication(issuer);
    const redirectUri = 'http://127.0.0.1:33418/callback';
    const thief = await openApplication(issuer, { clientId: fixedMcpClientId, redirectUri });
    const tokens = await owner.login();
    expect(await refusal(thief.refresh(tokens.refresh_token))).toBe('invalid_grant');
    await thief.revoke(tokens.refresh_token);
    expect((await owner.refresh(tokens.refresh_token)).access_token).toBeDefined();
  });
});

describe('on a clock of its own', () => {
  verifies('sim.oidc.lifetimes', 'tokens are stamped by it, also the ID token', async () => {
    const clock = new ManualClock();
    await using issuer = await startWithHub({ clock });
    const seconds = Math.floor(clock.now() / 1000);
    const access = await (await openApplication(issuer)).login();
    expect(decodeJwt(access.access_token)).toMatchObject({ iat: seconds, exp: seconds + 600 });
    const hub = await openHub(issuer);
    const clockSkew = seconds - Math.floor(systemClock.now() / 1000);
    const config = new oidc.Configuration(
      hub.config.serverMetadata(),
      hubClientId,
      { [oidc.clockSkew]: clockSkew },
      oidc.ClientSecretBasic(hubSecret),
    );
    oidc.allowInsecureRequests(config);
    const { page, checks } = await hub.authorize();
    const { id_token: idToken } = await oidc.authorizationCodeGrant(config, page.url, checks);
    expect(decodeJwt(idToken ?? '')).toMatchObject({ iat: seconds, exp: seconds + 3600 });
    const keys = createRemoteJWKSet(new URL('/jwks', issuer.url));
    await jwtVerify(idToken ?? '', keys, { currentDate: new Date(clock.now()), algorithms: ['RS256'] });
  });

  verifies('sim.oidc.lifetimes', 'codes last a minute and refresh tokens two weeks', async () => {
    const clock = new ManualClock();
    await using issuer = await startIssuer({ clock });
    const application = await openApplication(issuer);
    const late = await application.authorize();
    await clock.advance(61_000);
    expect(await refusal(application.exchange(late))).toBe('invalid_grant');
    const timely = await application.authorize();
    await clock.advance(55_000);
    const tokens = await application.exchange(timely);
    await clock.advance(13 * 86_400_000);
    const refreshed = await application.refresh(tokens.refresh_token);
    await clock.advance(15 * 86_400_000);
    expect(await refusal(application.refresh(refreshed.refresh_token))).toBe('invalid_grant');
  });
});

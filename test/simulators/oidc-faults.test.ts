// Each misbehaviour of the simulated issuer shows, and is over when it is cleared.
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { expect, test } from 'vitest';
import { hubClientId } from '#simulators/oidc/clients.ts';
import { type IssuerFault, issuerFaults } from '#simulators/oidc/faults.ts';
import { type IssuerOptions, type IssuerSimulator, startIssuer } from '#simulators/oidc/issuer.ts';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import { createBrowser, openApplication, refusal, resource } from '../support/issuer-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { expectAllShown } from '../support/shown-faults.ts';
import { verifies } from '../support/verifies.ts';

const callback = 'http://127.0.0.1:3000/api/auth/oidc/callback';
const secret = 'a-secret-that-is-long-enough-for-hs256';

const start = (options: IssuerOptions = {}) =>
  startIssuer({ hubRedirectUris: [callback], hubSecret: secret, ...options });

const openHub = (issuer: IssuerSimulator) =>
  openApplication(issuer, {
    clientId: hubClientId,
    secret,
    redirectUri: callback,
    scope: 'openid email profile',
    resource: null,
  });

/** Why openid-client refused: its code, and the claim or parameter it is about. */
async function reason(work: Promise<unknown>): Promise<{ code: unknown; about: string }> {
  const error: unknown = await work.then(
    () => new Error('nothing was refused'),
    (thrown: unknown) => thrown,
  );
  const { code, cause, message } = error as { code?: unknown; cause?: unknown; message: string };
  const inner = cause instanceof Error ? cause.message : '';
  return { code, about: `${message}: ${inner}` };
}

async function discovered(issuer: IssuerSimulator): Promise<Record<string, unknown>> {
  const response = await fetch(new URL('/.well-known/openid-configuration', issuer.url));
  return (await response.json()) as Record<string, unknown>;
}

/** What the application is answered from now on, as JSON. */
function answersTo({ config }: Awaited<ReturnType<typeof openApplication>>): Record<string, string>[] {
  const bodies: Record<string, string>[] = [];
  config[oidc.customFetch] = async (...args) => {
    const response = await fetch(...(args as Parameters<typeof fetch>));
    bodies.push((await response.clone().json()) as Record<string, string>);
    return response;
  };
  return bodies;
}

const statusOf = async (issuer: IssuerSimulator, path: string, method = 'GET') =>
  (await fetch(new URL(path, issuer.url), { method, redirect: 'manual' })).status;

const shown = new Set<IssuerFault>();

/** A test of one misbehaviour; the last test asks that each has one. */
function fault(name: IssuerFault, what: string, body: () => Promise<void>): void {
  shown.add(name);
  verifies('sim.oidc.faults', `${name}: ${what}`, body);
}

fault('no-pkce-metadata', 'the field is missing once, then back', async () => {
  await using issuer = await start();
  issuer.fail('no-pkce-metadata', { times: 1 });
  expect(await discovered(issuer)).not.toHaveProperty('code_challenge_methods_supported');
  expect(await discovered(issuer)).toHaveProperty('code_challenge_methods_supported', ['S256']);
});

fault('pkce-contradiction', 'S256 is not among the methods', async () => {
  await using issuer = await start({ profile: 'cloud_idp' });
  issuer.fail('pkce-contradiction');
  expect(await discovered(issuer)).toHaveProperty('code_challenge_methods_supported', ['plain']);
  issuer.clearFaults();
  expect(await discovered(issuer)).not.toHaveProperty('code_challenge_methods_supported');
});

fault('any-verifier', 'a code is redeemed with the verifier of another login', async () => {
  await using issuer = await start();
  const application = await openApplication(issuer);
  const redeem = async () => {
    const attempt = await application.authorize();
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    return application.exchange({ ...attempt, checks: { ...attempt.checks, pkceCodeVerifier } });
  };
  issuer.fail('any-verifier', { times: 1 });
  expect((await redeem()).access_token).toBeDefined();
  expect(await refusal(redeem())).toBe('invalid_grant');
});

fault('any-callback', 'a code is redeemed for another callback than it was sent to', async () => {
  await using issuer = await start();
  const application = await openApplication(issuer);
  const redeem = async () => {
    const attempt = await application.authorize();
    const url = new URL(attempt.page.url);
    url.pathname = '/oauth/callback';
    return application.exchange({ ...attempt, page: { ...attempt.page, url } });
  };
  issuer.fail('any-callback', { times: 1 });
  expect((await redeem()).access_token).toBeDefined();
  expect(await refusal(redeem())).toBe('invalid_grant');
});

fault('wrong-issuer', 'in tokens, in discovery, or in the redirect, and in no other place', async () => {
  await using issuer = await start();
  const hub = await openHub(issuer);
  const other = `${issuer.issuer}/other`;
  issuer.fail('wrong-issuer', { times: 1 });
  expect(await discovered(issuer)).toHaveProperty('issuer', issuer.issuer);
  expect((await reason(hub.login())).about).toContain('"iss"');
  const application = await openApplication(issuer, { scope: 'openid network.read' });
  issuer.fail('wrong-issuer', { value: 'token', times: 1 });
  const attempt = await application.authorize();
  const bodies = answersTo(application);
  await reason(application.exchange(attempt));
  expect(bodies.map(({ access_token: token = '' }) => decodeJwt(token).iss)).toEqual([other]);
  expect(bodies.map(({ id_token: token = '' }) => decodeJwt(token).iss)).toEqual([other]);
  issuer.fail('wrong-issuer', { value: 'discovery', times: 1 });
  expect((await reason(openHub(issuer))).about).toContain('issuer does not match');
  issuer.fail('wrong-issuer', { value: 'response', times: 1 });
  expect((await reason(hub.login())).about).toContain('"iss" (issuer) response parameter');
  expect((await hub.login()).claims()).toHaveProperty('iss', issuer.issuer);
});

fault('two-audiences', 'both tokens have a second one', async () => {
  await using issuer = await start();
  const tokens = await (async () => {
    issuer.fail('two-audiences', { times: 1 });
    return (await openApplication(issuer)).login();
  })();
  expect(decodeJwt(tokens.access_token).aud).toEqual([resource, 'https://second-audience.example']);
  issuer.fail('two-audiences', { times: 1 });
  const hub = await openHub(issuer);
  expect((await reason(hub.login())).about).toContain('additional untrusted audiences');
  expect((await hub.login()).claims()).toHaveProperty('aud', hubClientId);
});

fault('long-lived-token', 'lives a day, or as long as told, and says so', async () => {
  await using issuer = await start();
  const application = await openApplication(issuer);
  for (const [options, lifetime] of [
    [{}, 86_400],
    [{ value: 901 }, 901],
  ] as const) {
    issuer.fail('long-lived-token', { ...options, times: 1 });
    const tokens = await application.login();
    const { exp = 0, iat = 0 } = decodeJwt(tokens.access_token);
    expect([tokens.expires_in, exp - iat]).toEqual([lifetime, lifetime]);
  }
  expect((await application.login()).expires_in).toBe(600);
});

fault('replay-accepted', 'a used refresh token works again, in both modes', async () => {
  for (const replayMode of ['reject-replay', 'revoke-family'] as const) {
    await using issuer = await start({ replayMode });
    const application = await openApplication(issuer);
    const first = await application.login();
    const second = await application.refresh(first.refresh_token);
    issuer.fail('replay-accepted', { times: 1 });
    expect((await application.refresh(first.refresh_token)).access_token).toBeDefined();
    expect((await application.refresh(second.refresh_token)).access_token).toBeDefined();
    expect(await refusal(application.refresh(first.refresh_token))).toBe('invalid_grant');
    expect(issuer.journal().filter(({ kind }) => kind === 'replay')).toMatchObject([
      { mode: replayMode, outcome: 'accepted' },
      { mode: replayMode, outcome: replayMode === 'reject-replay' ? 'rejected' : 'family-revoked' },
    ]);
  }
});

fault('family-not-revoked', 'the replay fails, and the current refresh token goes on working', async () => {
  await using issuer = await start({ replayMode: 'revoke-family' });
  const application = await openApplication(issuer);
  const first = await application.login();
  const second = await application.refresh(first.refresh_token);
  issuer.fail('family-not-revoked', { times: 1 });
  expect(await refusal(application.refresh(first.refresh_token))).toBe('invalid_grant');
  const third = await application.refresh(second.refresh_token);
  expect(await refusal(application.refresh(first.refresh_token))).toBe('invalid_grant');
  expect(await refusal(application.refresh(third.refresh_token))).toBe('invalid_grant');
});

fault('revocation-ignored', 'the revocation is answered, and the refresh token goes on working', async () => {
  await using issuer = await start();
  const application = await openApplication(issuer);
  const first = await application.login();
  issuer.fail('revocation-ignored', { times: 1 });
  await application.revoke(first.refresh_token);
  const second = await application.refresh(first.refresh_token);
  await application.revoke(second.refresh_token);
  expect(await refusal(application.refresh(second.refresh_token))).toBe('invalid_grant');
});

fault('jwks-down', 'no token can be verified until it is over', async () => {
  await using issuer = await start();
  const { access_token: token } = await (await openApplication(issuer)).login();
  const verify = () => jwtVerify(token, createRemoteJWKSet(new URL('/jwks', issuer.url)));
  issuer.fail('jwks-down');
  expect(await statusOf(issuer, '/jwks')).toBe(503);
  await expect(verify()).rejects.toThrow('200 OK');
  issuer.clearFaults();
  expect((await verify()).payload.aud).toBe(resource);
});

fault('wrong-keys', 'the key set is there, and the signing key is not in it', async () => {
  await using issuer = await start();
  const keysOf = async () => (await fetch(new URL('/jwks', issuer.url))).text();
  const kid = JSON.parse(await keysOf()).keys[0].kid as string;
  for (const [value, expected] of [
    ['others', /"kty":"RSA"/],
    ['ec', /"kty":"EC"/],
    ['none', /"keys":\[\]/],
    ['page', /<!doctype html>/],
  ] as const) {
    issuer.fail('wrong-keys', { value, times: 1 });
    const answer = await keysOf();
    expect(answer).toMatch(expected);
    expect(answer).not.toContain(kid);
    expect(answer).not.toMatch(/"d":/);
  }
  expect(() => issuer.fail('wrong-keys', { value: 'rsa' })).toThrow(/one of others, ec, none, page/);
  expect(await keysOf()).toContain(kid);
});

fault('token-endpoint-down', 'codes cannot be redeemed, revocation still works', async () => {
  await using issuer = await start();
  const application = await openApplication(issuer);
  const tokens = await application.login();
  const attempt = await application.authorize();
  issuer.fail('token-endpoint-down');
  expect((await reason(application.exchange(attempt))).code).toBe('OAUTH_RESPONSE_IS_NOT_CONFORM');
  expect(await statusOf(issuer, '/token', 'POST')).toBe(503);
  await application.revoke(tokens.refresh_token);
  issuer.clearFaults();
  expect((await application.exchange(attempt)).access_token).toBeDefined();
});

fault('discovery-not-json', 'is a page', async () => {
  await using issuer = await start();
  issuer.fail('discovery-not-json', { times: 1 });
  expect(await (await fetch(new URL('/jwks', issuer.url))).json()).toHaveProperty('keys');
  expect((await reason(openHub(issuer))).code).toBe('OAUTH_RESPONSE_IS_NOT_JSON');
  expect((await openHub(issuer)).config.serverMetadata().issuer).toBe(issuer.issuer);
});

fault('wrong-nonce', 'the ID token does not belong to the login', async () => {
  await using issuer = await start();
  const hub = await openHub(issuer);
  issuer.fail('wrong-nonce', { times: 1 });
  expect((await reason(hub.login())).about).toContain('"nonce"');
  expect((await hub.login()).id_token).toBeDefined();
});

fault('expired-code', 'a code is too old when it comes', async () => {
  await using issuer = await start();
  const hub = await openHub(issuer);
  issuer.fail('expired-code', { times: 1 });
  expect(await refusal(hub.login())).toBe('invalid_grant');
  expect((await hub.login()).id_token).toBeDefined();
});

fault('hs256-id-token', 'signed with the secret, or with the public key of a public client', async () => {
  await using issuer = await start();
  const hub = await openHub(issuer);
  issuer.fail('hs256-id-token', { times: 1 });
  const bodies = answersTo(hub);
  expect((await reason(hub.login())).about).toContain('"alg"');
  const signed = await jwtVerify(bodies[0]?.id_token ?? '', new TextEncoder().encode(secret));
  expect(signed.protectedHeader.alg).toBe('HS256');
  const application = await openApplication(issuer, { scope: 'openid network.read' });
  issuer.fail('hs256-id-token', { times: 1 });
  expect((await reason(application.login())).about).toContain('"alg"');
  const idToken = (await hub.login()).id_token ?? '';
  expect(decodeProtectedHeader(idToken).alg).toBe('RS256');
});

fault('unverified-email', 'the claim is false for a user whose address is verified', async () => {
  await using issuer = await start();
  const hub = await openHub(issuer);
  issuer.fail('unverified-email', { times: 1 });
  expect((await hub.login()).claims()).toHaveProperty('email_verified', false);
  expect((await hub.login()).claims()).toHaveProperty('email_verified', true);
});

fault('slow', 'answers after the time told, on the paths told', async () => {
  const clock = new ManualClock();
  await using issuer = await start({ clock });
  issuer.fail('slow', { value: 7_000, command: '/jwks' });
  expect(await statusOf(issuer, '/.well-known/openid-configuration')).toBe(200);
  const began = clock.now();
  let status = 0;
  const asked = statusOf(issuer, '/jwks').then((answer) => {
    status = answer;
  });
  while (status === 0) {
    await clock.advance(1_000);
  }
  await asked;
  expect(status).toBe(200);
  expect(clock.now() - began).toBeGreaterThanOrEqual(7_000);
});

fault('redirect-loop', 'a browser never arrives; other paths loop when told', async () => {
  await using issuer = await start();
  const application = await openApplication(issuer);
  issuer.fail('redirect-loop');
  await expect(application.authorize()).rejects.toThrow('redirects, the last one to /auth');
  expect(await statusOf(issuer, '/jwks')).toBe(200);
  const again = await fetch(new URL('/auth?a=b&round=7', issuer.url), { redirect: 'manual' });
  expect([again.status, again.headers.get('location')]).toEqual([302, '/auth?a=b&round=8']);
  issuer.clearFaults();
  issuer.fail('redirect-loop', { command: '/.well-known' });
  await expect(createBrowser().open(new URL('/.well-known/openid-configuration', issuer.url), 'x:')).rejects.toThrow(
    'redirects',
  );
  issuer.clearFaults();
  expect((await application.login()).access_token).toBeDefined();
});

test.each<[IssuerFault, FaultOptions]>([
  ['wrong-issuer', { value: 'everywhere' }],
  ['slow', { value: -1 }],
  ['slow', { value: 'very' }],
  ['long-lived-token', { value: 1.5 }],
])('%s with %j is refused', async (name, options) => {
  await using issuer = await start();
  expect(() => issuer.fail(name, options)).toThrow(name);
  expect(issuer.state().faults).toEqual([]);
});

test('every misbehaviour is shown here', () => {
  expectAllShown(shown, issuerFaults);
});

// The control surface of the simulated issuer: users, consent, journal; in process, over HTTP, and the command.
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { fixedMcpClientId, hubClientId } from '#simulators/oidc/clients.ts';
import { issuerControlRoutes } from '#simulators/oidc/control.ts';
import { type IssuerOptions, type IssuerSimulator, startIssuer } from '#simulators/oidc/issuer.ts';
import { createShiftedClock } from '#simulators/support/shifted-clock.ts';
import { serveControl } from '../support/control-client.ts';
import { openApplication, refusal, resource } from '../support/issuer-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { startProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

const callback = 'http://127.0.0.1:3000/api/auth/oidc/callback';
const secret = 'a-secret-that-is-long-enough-for-hs256';
const newcomer = {
  sub: 'user-9',
  email: 'new@example.net',
  emailVerified: false,
  name: 'Nina <Newcomer>',
  password: 'newcomer-password',
};

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

describe('consent', () => {
  verifies('sim.oidc.consent sim.oidc.control', 'by itself it logs in whom control names', async () => {
    await using issuer = await start();
    const hub = await openHub(issuer);
    expect((await hub.login()).claims()?.email).toBe('operator@example.com');
    issuer.loginAs('viewer@example.org');
    expect((await hub.login()).claims()?.sub).toBe('user-2');
    issuer.putUser(newcomer);
    issuer.loginAs('user-9');
    expect((await hub.login()).claims()).toMatchObject({ email: 'new@example.net', email_verified: false });
    expect(() => issuer.loginAs('nobody')).toThrow('nobody');
    for (const { sub } of issuer.users) {
      expect(issuer.removeUser(sub)).toBe(true);
    }
    expect(issuer.removeUser('user-1')).toBe(false);
    expect((await hub.authorize()).page.url.searchParams.get('error')).toBe('access_denied');
  });

  verifies('sim.oidc.consent', 'refused, the application hears access_denied', async () => {
    await using issuer = await start({ consent: 'denied' });
    const { page } = await (await openHub(issuer)).authorize();
    expect(page.url.searchParams.get('error')).toBe('access_denied');
    expect(issuer.journal()).toContainEqual(expect.objectContaining({ kind: 'consent', granted: false }));
  });

  test('with nobody to log in it is refused; whoever is added first is logged in, until removed', async () => {
    await using issuer = await start({ users: [] });
    const next = () => issuer.state().nextUser;
    expect(next()).toBe(null);
    issuer.putUser(newcomer);
    issuer.putUser({ ...newcomer, sub: 'user-8' });
    expect(next()).toBe('user-9');
    issuer.loginAs('user-8');
    issuer.removeUser('user-9');
    expect(next()).toBe('user-8');
    issuer.removeUser('user-8');
    expect(next()).toBe(null);
  });

  test('a simulator that stops answers nothing more, not even slowly', async () => {
    const clock = new ManualClock();
    const issuer = await start({ clock });
    issuer.fail('slow');
    const asked = fetch(new URL('/jwks', issuer.url)).then(
      ({ status }) => status,
      () => 'cut',
    );
    await expect.poll(() => clock.sleeping).toBe(1);
    await issuer[Symbol.asyncDispose]();
    expect([await asked, clock.sleeping]).toEqual([expect.anything(), 0]);
    await expect(fetch(issuer.url)).rejects.toThrow('fetch failed');
  });

  verifies('sim.oidc.consent', 'on a page: a wrong password, login, deny, then allow', async () => {
    await using issuer = await start({ consent: 'page' });
    const application = await openApplication(issuer, { scope: 'openid network.read notes.write' });
    const { browser, redirectUri } = application;
    const attempt = await application.authorize();
    expect(attempt.page).toMatchObject({ status: 200, text: expect.stringContaining('<label for="email">') });
    const send = (url: URL, form: Record<string, string>) => browser.open(url, redirectUri, form);
    const wrong = { step: 'login', email: 'operator@example.com', password: 'guessed' };
    expect(await send(attempt.page.url, wrong)).toMatchObject({
      status: 401,
      text: expect.stringContaining('role="alert"'),
    });
    const right = { ...wrong, password: 'operator-password' };
    const consent = await send(attempt.page.url, right);
    expect(consent.text).toContain('<li>network.read</li><li>notes.write</li>');
    expect(consent.text).toContain(resource);
    expect((await send(consent.url, { step: 'login' })).status).toBe(400);
    const page = await send(consent.url, { step: 'consent', answer: 'allow' });
    const tokens = await application.exchange({ ...attempt, page });
    expect(decodeJwt(tokens.access_token).scope).toBe('network.read notes.write');

    const again = await application.authorize();
    expect(again.page.text).toContain('value="allow"');
    const denied = await send(again.page.url, { step: 'consent', answer: 'deny' });
    expect(denied.url.searchParams.get('error')).toBe('access_denied');
    const chosen = await application.authorize({ prompt: 'select_account' });
    const viewer = { step: 'login', email: 'viewer@example.org', password: 'viewer-password' };
    const other = await send(chosen.page.url, viewer);
    const allowed = await send(other.url, { step: 'consent', answer: 'allow' });
    expect((await application.exchange({ ...chosen, page: allowed })).claims()?.sub).toBe('user-2');
  });

  test('a login begun in another browser is refused with a page', async () => {
    await using issuer = await start({ consent: 'page' });
    const { page } = await (await openHub(issuer)).authorize();
    const stranger = await fetch(page.url);
    expect([stranger.status, await stranger.text()]).toEqual([400, expect.stringContaining('session_not_found')]);
  });
});

describe('control in process', () => {
  verifies('sim.oidc.control', 'patch changes what it names; anything unknown or invalid changes nothing', async () => {
    await using issuer = await start();
    issuer.patch({ replayMode: 'revoke-family', profile: 'cloud_idp', accessTokenTtlMs: 60_000, nextUser: 'user-2' });
    issuer.patch({ redirectUris: { [hubClientId]: ['http://127.0.0.1:8080/back'] }, resources: [resource] });
    const before = issuer.state();
    expect(before).toMatchObject({
      replayMode: 'revoke-family',
      profile: 'cloud_idp',
      accessTokenTtlMs: 60_000,
      nextUser: 'user-2',
      resources: [resource],
    });
    const wrong = [
      { nope: 1 },
      { profile: 'strict', replayMode: 'both' },
      { profile: 'strict', nextUser: 'nobody' },
      { profile: 'strict', redirectUris: { nobody: [callback] } },
      { accessTokenTtlMs: 1_500 },
    ];
    for (const change of wrong) {
      expect(() => issuer.patch(change)).toThrow();
    }
    expect(issuer.state()).toEqual(before);
    expect((await (await openApplication(issuer)).login()).expires_in).toBe(60);
  });

  verifies(
    'sim.oidc.control',
    'reset brings back users, callbacks, settings, and forgets tokens and journal',
    async () => {
      await using issuer = await start();
      const first = issuer.state();
      expect(first.clients).toMatchObject([{ confidential: true }, { confidential: false }, { confidential: false }]);
      const application = await openApplication(issuer);
      const tokens = await application.login();
      issuer.putUser(newcomer);
      issuer.removeUser('user-1');
      issuer.setRedirectUris(hubClientId, []);
      issuer.patch({ replayMode: 'revoke-family' });
      issuer.fail('jwks-down');
      issuer.reset();
      expect(issuer.state()).toEqual(first);
      expect(issuer.journal()).toEqual([]);
      expect(await refusal(application.refresh(tokens.refresh_token))).toBe('invalid_grant');
    },
  );

  verifies('sim.oidc.control', 'a new key verifies what is signed from then on, and nothing before', async () => {
    await using issuer = await start();
    const application = await openApplication(issuer);
    const old = await application.login();
    await issuer.rotateKey();
    const fresh = await application.refresh(old.refresh_token);
    const keys = createRemoteJWKSet(new URL('/jwks', issuer.url));
    expect((await jwtVerify(fresh.access_token, keys)).payload.aud).toBe(resource);
    await expect(jwtVerify(old.access_token, keys)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  });
});

describe('the journal', () => {
  verifies('sim.oidc.journal', 'has each request with its PKCE and resource parameters', async () => {
    await using issuer = await start({ replayMode: 'revoke-family' });
    const application = await openApplication(issuer, { scope: 'openid network.read' });
    const first = await application.login();
    const second = await application.refresh(first.refresh_token);
    await application.revoke(second.refresh_token);
    await refusal((await openApplication(issuer)).authorize({ code_challenge: '', code_challenge_method: '' }));
    const other = await application.login();
    await application.refresh(other.refresh_token);
    await refusal(application.refresh(other.refresh_token));
    await fetch(new URL('/jwks', issuer.url));
    const client = 'gatehouse-mcp';
    const asked = { client, resource, scope: 'openid network.read', responseType: 'code', codeChallengeMethod: 'S256' };
    const login = ['authorization', 'login', 'consent', 'authorization-answer', 'token'];
    const refused = ['discovery', 'authorization-answer', 'authorization'];
    const replay = ['token', 'replay', 'token'];
    const sorted = (kinds: readonly string[]) => [...kinds].sort();
    expect(sorted(issuer.journal().map(({ kind }) => kind))).toEqual(
      sorted(['discovery', ...login, 'token', 'revocation', ...refused, ...login, ...replay, 'jwks']),
    );
    const of = (wanted: string) => issuer.journal().filter(({ kind }) => kind === wanted);
    expect(of('authorization')).toMatchObject([
      { ...asked, codeChallenge: true, state: true, nonce: true },
      { client, resource, codeChallengeMethod: null, codeChallenge: false, nonce: false },
      { ...asked, codeChallenge: true },
    ]);
    expect(of('authorization-answer')).toMatchObject([
      { client, user: 'user-1', code: true, error: null },
      { client, code: false, error: 'invalid_request' },
      { code: true },
    ]);
    expect(of('token').slice(0, 2)).toMatchObject([
      { client, grantType: 'authorization_code', resource, codeVerifier: true, status: 200, error: null },
      { client, grantType: 'refresh_token', resource, refreshToken: true, status: 200, error: null },
    ]);
    expect(of('token').at(-1)).toMatchObject({ grantType: 'refresh_token', status: 400, error: 'invalid_grant' });
    expect(of('revocation')).toMatchObject([{ client, token: true, status: 200 }]);
    expect(of('replay')).toMatchObject([{ client, mode: 'revoke-family', outcome: 'family-revoked' }]);
  });

  verifies('sim.oidc.journal', 'holds no password, secret, code, verifier, state, nonce or token', async () => {
    await using issuer = await start({ consent: 'page' });
    const hub = await openHub(issuer);
    const secrets = [secret, 'operator-password'];
    const attempt = await hub.authorize();
    const form = { step: 'login', email: 'operator@example.com', password: 'operator-password' };
    const consent = await hub.browser.open(attempt.page.url, hub.redirectUri, form);
    const page = await hub.browser.open(consent.url, hub.redirectUri, { step: 'consent', answer: 'allow' });
    const login = await hub.exchange({ ...attempt, page });
    issuer.patch({ consent: 'automatic' });
    const application = await openApplication(issuer, { scope: 'openid network.read' });
    const other = await application.authorize();
    const tokens = await application.exchange(other);
    const refreshed = await application.refresh(tokens.refresh_token);
    await refusal(application.refresh(tokens.refresh_token));
    await application.revoke(refreshed.refresh_token);
    // A client that puts its secrets where they do not belong.
    const leak = { client_id: secret, redirect_uri: `${callback}?p=operator-password`, scope: `openid ${secret}` };
    const lost = { prompt: secret, resource: `https://mcp.example/${tokens.access_token}` };
    await fetch(new URL(`/auth?${new URLSearchParams({ ...leak, ...lost })}`, issuer.url));
    const scope = `openid ${refreshed.refresh_token} ${page.url.searchParams.get('code')}`;
    const body = new URLSearchParams({ client_id: hubClientId, grant_type: 'refresh_token', scope, resource: secret });
    await fetch(new URL('/token', issuer.url), { method: 'POST', body });
    for (const { checks, page: at } of [{ ...attempt, page }, other]) {
      const { pkceCodeVerifier, expectedState, expectedNonce = '' } = checks;
      secrets.push(pkceCodeVerifier, expectedState, expectedNonce, at.url.searchParams.get('code') ?? '');
    }
    for (const one of [login, tokens, refreshed]) {
      secrets.push(one.access_token, one.id_token ?? '', one.refresh_token ?? '');
    }
    const known = secrets.filter((text) => text !== '');
    expect(known.length).toBeGreaterThanOrEqual(2 + 8 + 7);
    const text = JSON.stringify([issuer.journal(), issuer.state()]);
    expect(known.filter((one) => text.includes(one))).toEqual([]);
    expect(text).toContain('***');
  });
});

describe('over HTTP', () => {
  async function startControlled() {
    const clock = createShiftedClock();
    await using stack = new AsyncDisposableStack();
    const issuer = stack.use(await start({ clock }));
    const extra = issuerControlRoutes(issuer);
    const { ask } = stack.use(await serveControl({ control: issuer, clock, extra }));
    const all = stack.move();
    return { issuer, ask, [Symbol.asyncDispose]: () => all.disposeAsync() };
  }

  verifies('sim.oidc.control', 'the same verbs: users, next user, callbacks, faults, keys, clock, state', async () => {
    await using sim = await startControlled();
    const { issuer, ask } = sim;
    const { password: _password, ...shown } = newcomer;
    expect(await ask('POST', '/users', newcomer)).toEqual({
      status: 201,
      text: expect.any(String),
      body: { user: shown },
    });
    expect((await ask('POST', '/users', { ...newcomer, email: 'no address' })).status).toBe(400);
    expect((await ask('POST', '/next-user', { user: 'new@example.net' })).status).toBe(200);
    expect((await ask('POST', '/next-user', { user: 'nobody' })).status).toBe(404);
    expect((await (await openHub(issuer)).login()).claims()?.sub).toBe('user-9');
    expect((await ask('DELETE', '/users/user-9')).status).toBe(200);
    expect((await ask('DELETE', '/users/user-9')).status).toBe(404);
    const { users } = (await ask('GET', '/users')).body as { users: object[] };
    expect(users).toEqual([expect.objectContaining({ sub: 'user-1' }), expect.objectContaining({ sub: 'user-2' })]);
    expect(JSON.stringify(users)).not.toContain('password');
    const uris = { client: fixedMcpClientId, redirectUris: ['http://127.0.0.1:40000/callback'] };
    expect((await ask('POST', '/redirect-uris', uris)).status).toBe(200);
    expect((await ask('POST', '/redirect-uris', { ...uris, client: 'nobody' })).status).toBe(400);
    const moved = await openApplication(issuer, {
      clientId: fixedMcpClientId,
      redirectUri: 'http://127.0.0.1:40000/callback',
    });
    const tokens = await moved.login();
    expect((await ask('POST', '/faults', { fault: 'wrong-issuer', value: 'nowhere' })).status).toBe(400);
    expect((await ask('POST', '/faults', { fault: 'replay-accepted', times: 2 })).status).toBe(201);
    expect((await ask('GET', '/state')).body).toMatchObject({ faults: [{ fault: 'replay-accepted', left: 2 }] });
    const { kid } = issuer.state();
    expect((await ask('POST', '/keys')).body.kid).not.toBe(kid);
    expect((await ask('PATCH', '/state', { replayMode: 'revoke-family' })).body).toMatchObject({
      replayMode: 'revoke-family',
    });
    await ask('POST', '/clock', { advanceMs: 15 * 86_400_000 });
    expect(await refusal(moved.refresh(tokens.refresh_token))).toBe('invalid_grant');
    const { journal } = (await ask('GET', '/journal')).body as { journal: { kind: string }[] };
    expect(journal.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['fault-armed', 'key-rotated', 'token']));
    expect((await ask('POST', '/reset')).status).toBe(200);
    const paths = Object.keys((await ask('GET', '/openapi.json')).body.paths as object);
    expect(paths).toEqual(expect.arrayContaining(['/users', '/next-user', '/redirect-uris', '/keys', '/clock']));
  });
});

test('gatehouse sim oidc tells where it is, serves, and ends cleanly', async () => {
  const ports = ['--port', '0', '--control-port', '0'];
  const settings = ['--profile', 'cloud_idp', '--replay-mode', 'revoke-family', '--access-token-ttl', '30'];
  await using program = startProgram(['src/main.ts', 'sim', 'oidc', ...ports, ...settings, '--consent-page']);
  const [text] = await program.printed(/^\{.*\}\n/);
  const line = JSON.parse(text) as Record<string, string>;
  expect(line).toMatchObject({
    simulator: 'oidc',
    user: 'operator@example.com',
    password: 'operator-password',
    clientId: hubClientId,
    clientSecret: 'gatehouse-hub-secret-of-the-simulator',
    mcpClientId: 'gatehouse-mcp',
    replayMode: 'revoke-family',
    profile: 'cloud_idp',
  });
  const discovery = await fetch(`${line.url}/.well-known/openid-configuration`);
  expect(await discovery.json()).toMatchObject({ issuer: line.url });
  const state = await fetch(`${line.control}/state`);
  expect(await state.json()).toMatchObject({ accessTokenTtlMs: 30_000, consent: 'page' });
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stdout()).toBe(text);
});

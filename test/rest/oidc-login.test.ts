// Browser login end to end: the hub's own routes, a browser with cookies, and the simulated issuer, over real HTTP.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HubOptions } from '#hub/base/config.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import { hubClientId } from '#simulators/oidc/clients.ts';
import { type IssuerSimulator, startIssuer } from '#simulators/oidc/issuer.ts';
import { type Browser, createBrowser, type RawAnswer } from '../support/actors.ts';
import { createBrowser as createIssuerBrowser } from '../support/issuer-client.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { watchLeaks } from '../support/leak-guard.ts';
import { verifies } from '../support/verifies.ts';

const callbackPath = '/api/auth/oidc/callback';

interface Scene extends AsyncDisposable {
  lab: Lab<never>;
  issuer: IssuerSimulator;
  /** The hub as browsers see it, without a slash at the end. */
  outside: string;
  browser: Browser;
  /** From the hub to the issuer: its page that comes back, as path and query at the hub. */
  goThere(browser?: Browser): Promise<string>;
  /** From the issuer back to the hub. */
  comeBack(target: string, browser?: Browser): Promise<RawAnswer>;
  logIn(browser?: Browser): Promise<RawAnswer>;
}

/** A hub configured for an issuer by an administrator; behind a TLS proxy when `publicUrl` says https. */
async function startScene(publicUrl?: string, more: Partial<HubOptions> = {}): Promise<Scene> {
  const watch = watchLeaks();
  const proxied = publicUrl === undefined ? {} : { publicUrl: new URL(publicUrl), trustProxy: ['127.0.0.1'] };
  const lab = await startLab({ hub: { ...proxied, ...more } });
  const outside = publicUrl ?? lab.url.origin;
  const issuer = await startIssuer({ clock: lab.clock, hubRedirectUris: [outside + callbackPath] });
  await lab.as.admin.auth.saveSecurityConfig({
    body: {
      enabled: true,
      issuer: issuer.issuer,
      clientId: hubClientId,
      clientSecret: issuer.clients.find(({ id }) => id === hubClientId)?.secret ?? '',
      allowedEmails: ['operator@example.com'],
      allowedDomains: ['example.org'],
    },
  });
  const { protocol, host } = new URL(outside);
  const forwarded =
    publicUrl === undefined ? {} : { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host };
  const html: Record<string, string> = { accept: 'text/html,*/*', ...forwarded };
  const mine = createBrowser(lab.url, html);
  const scene: Scene = {
    lab,
    issuer,
    outside,
    browser: mine,
    async goThere(browser = mine) {
      const started = await browser.get('/api/auth/oidc/start');
      expect(started.status).toBe(302);
      const location = new URL(String(started.headers.location));
      const { url, text } = await createIssuerBrowser().open(location, outside + callbackPath);
      expect(url.href.startsWith(outside), text).toBe(true);
      return url.href.slice(outside.length);
    },
    comeBack: (target, browser = mine) => browser.get(target),
    logIn: async (browser) => scene.comeBack(await scene.goThere(browser), browser),
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
      await watch[Symbol.asyncDispose]();
    },
  };
  return scene;
}

/** The browser was refused with this code, got no session, and the audit trail knows why. */
async function expectRefused({ lab, browser }: Scene, answer: RawAnswer, code: ErrorCode): Promise<void> {
  expect({ status: answer.status, text: answer.text }).toEqual({
    status: 401,
    text: expect.stringContaining(`(${code},`),
  });
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(browser.cookies.has('monitor_session')).toBe(false);
  expect((await browser.get('/api/auth/status')).body).toMatchObject({ authenticated: false });
  expect((await lab.as.admin.auth.sessions({})).sessions).toEqual([]);
  const { events } = await lab.as.admin.auth.auditEvents({ query: { limit: '1' } });
  expect(events).toMatchObject([
    { eventType: 'login', outcome: 'failure', authMethod: 'oidc', metadata: { reason: code } },
  ]);
}

describe('a login', () => {
  verifies('rest.oidc.start rest.oidc.callback', 'makes an operator of a listed address', async () => {
    await using scene = await startScene();
    const { lab, browser, issuer } = scene;
    const answer = await scene.logIn();
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 302, location: '/' });
    expect([...browser.cookies.keys()].sort()).toEqual(['monitor_csrf', 'monitor_session']);
    expect((await browser.get('/api/auth/status')).body).toMatchObject({
      authenticated: true,
      authMethod: 'oidc',
      role: 'operator',
      permissions: ['network.read', 'notes.write', 'alerts.write'],
    });
    expect((await browser.get('/api/routers')).status).toBe(200);
    expect((await browser.post('/api/auth/sessions/revoke-all')).status).toBe(403);
    expect((await lab.as.admin.auth.sessions({})).sessions).toMatchObject([{ authMethod: 'oidc', role: 'operator' }]);
    expect(issuer.journal().find(({ kind }) => kind === 'authorization')).toMatchObject({
      client: hubClientId,
      redirectUri: `${scene.outside}${callbackPath}`,
      scope: 'openid email profile',
      prompt: 'select_account',
      codeChallengeMethod: 'S256',
      codeChallenge: true,
      state: true,
      nonce: true,
    });
    expect(issuer.journal().find(({ kind }) => kind === 'token')).toMatchObject({
      codeVerifier: true,
      status: 200,
    });
  });

  test('ends the session whose cookie it replaces, and no other', async () => {
    await using scene = await startScene();
    const { lab, browser } = scene;
    await lab.as.browser();
    await browser.login(lab.password);
    const before = String(browser.cookies.get('monitor_session'));
    expect((await scene.logIn()).status).toBe(302);
    expect(browser.cookies.get('monitor_session')).not.toBe(before);
    const { sessions } = await lab.as.admin.auth.sessions({});
    expect(sessions.map(({ authMethod }) => authMethod).sort()).toEqual(['local', 'oidc']);
  });

  verifies('rest.oidc.callback', 'makes a viewer of an address of a listed domain, and keeps no address', async () => {
    await using scene = await startScene();
    scene.issuer.loginAs('viewer@example.org');
    await scene.logIn();
    expect((await scene.browser.get('/api/auth/status')).body).toMatchObject({
      role: 'viewer',
      permissions: ['network.read'],
    });
    await scene.lab.settled();
    for (const file of ['monitor.db', 'monitor.db-wal']) {
      const bytes = readFileSync(path.join(scene.lab.dataDir, file)).toString('latin1');
      expect(bytes).not.toContain('viewer@example.org');
      expect(bytes).not.toContain('user-2');
    }
    const { events } = await scene.lab.as.admin.auth.auditEvents({ query: {} });
    expect(events.map(({ eventType, outcome }) => `${eventType} ${outcome}`)).toEqual(
      expect.arrayContaining(['login success', 'oidc_login_started success']),
    );
    expect(JSON.stringify(events)).not.toMatch(/viewer@|user-2/);
  });

  verifies('rest.oidc.start rest.oidc.callback', 'works under a sub-path behind a TLS proxy', async () => {
    await using scene = await startScene('https://hub.example/watch');
    const started = await scene.browser.get('/api/auth/oidc/start?returnTo=/devices');
    const [pair, ...attributes] = String(started.headers['set-cookie']).split('; ');
    expect(pair).toMatch(/^monitor_oidc_state=[\w-]{43}$/);
    expect(new Set(attributes)).toEqual(new Set(['Max-Age=600', 'Path=/watch', 'HttpOnly', 'Secure', 'SameSite=Lax']));
    const location = new URL(String(started.headers.location));
    const { url } = await createIssuerBrowser().open(location, scene.outside);
    const answer = await scene.comeBack(url.href.slice(scene.outside.length));
    expect({ status: answer.status, location: answer.headers.location }).toEqual({
      status: 302,
      location: '/watch/devices',
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      expect(line.split('; ')).toEqual(expect.arrayContaining(['Path=/watch', 'Secure', 'SameSite=Lax']));
    }
    expect(scene.issuer.journal().find(({ kind }) => kind === 'authorization')).toMatchObject({
      redirectUri: 'https://hub.example/watch/api/auth/oidc/callback',
    });
  });

  test('takes the redirect address from the settings, never from the request', async () => {
    await using scene = await startScene('https://hub.example');
    const started = await scene.browser.send({
      method: 'GET',
      path: '/api/auth/oidc/start',
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    });
    const asked = new URL(String(started.headers.location)).searchParams;
    expect(asked.get('redirect_uri')).toBe('https://hub.example/api/auth/oidc/callback');
  });

  test('goes on with a new key of the issuer', async () => {
    await using scene = await startScene();
    expect((await scene.logIn()).status).toBe(302);
    await scene.issuer.rotateKey();
    expect((await scene.logIn(createBrowser(scene.lab.url))).status).toBe(302);
  });
});

describe('a login is refused', () => {
  const faults: readonly [string, (issuer: IssuerSimulator) => void, ErrorCode][] = [
    ['wrong nonce', (issuer) => issuer.fail('wrong-nonce'), 'oidc_nonce_mismatch'],
    ['expired code', (issuer) => issuer.fail('expired-code'), 'oidc_code_rejected'],
    ['wrong issuer in the token', (issuer) => issuer.fail('wrong-issuer'), 'oidc_issuer_mismatch'],
    [
      'wrong issuer in the redirect',
      (issuer) => issuer.fail('wrong-issuer', { value: 'response' }),
      'oidc_issuer_mismatch',
    ],
    ['two audiences', (issuer) => issuer.fail('two-audiences'), 'oidc_audience'],
    ['HS256', (issuer) => issuer.fail('hs256-id-token'), 'oidc_token_invalid'],
    ['unverified e-mail', (issuer) => issuer.fail('unverified-email'), 'oidc_email_unverified'],
    [
      'e-mail not allowed',
      (issuer) => {
        issuer.putUser({ sub: 'eve', email: 'eve@example.com', emailVerified: true, name: 'Eve', password: 'p' });
        issuer.loginAs('eve');
      },
      'oidc_email_not_allowed',
    ],
    ['consent refused', (issuer) => issuer.patch({ consent: 'denied' }), 'oidc_denied'],
    ['token endpoint down', (issuer) => issuer.fail('token-endpoint-down'), 'oidc_exchange_failed'],
    ['keys down', (issuer) => issuer.fail('jwks-down'), 'oidc_exchange_failed'],
    [
      'token endpoint redirects',
      (issuer) => issuer.fail('redirect-loop', { command: '/token' }),
      'oidc_exchange_failed',
    ],
  ];
  test.each(faults)('%s', async (_name, arrange, code) => {
    await using scene = await startScene();
    arrange(scene.issuer);
    await expectRefused(scene, await scene.logIn(), code);
    scene.issuer.reset();
    scene.issuer.setRedirectUris(hubClientId, [scene.outside + callbackPath]);
    expect((await scene.logIn()).status).toBe(302);
  });

  verifies('rest.oidc.callback', 'wrong state: of nobody, of another browser, or without a cookie', async () => {
    await using scene = await startScene();
    const target = await scene.goThere();
    const bent = target.replace(/state=[^&]+/, `state=${'x'.repeat(43)}`);
    await expectRefused(scene, await scene.comeBack(bent), 'oidc_state_mismatch');
    const stranger = createBrowser(scene.lab.url, { accept: 'text/html' });
    const other = await scene.goThere();
    expect((await scene.comeBack(other, stranger)).text).toContain('(oidc_state_mismatch,');
    await expectRefused(scene, await scene.comeBack(other), 'oidc_flow_expired');
  });

  test('the same callback a second time, and it ends no session', async () => {
    await using scene = await startScene();
    const target = await scene.goThere();
    const state = [...scene.browser.cookies][0] ?? ['', ''];
    expect((await scene.comeBack(target)).status).toBe(302);
    const again = createBrowser(scene.lab.url, { accept: 'text/html', cookie: state.join('=') });
    const answer = await again.get(target);
    expect(answer.text).toContain('(oidc_flow_expired,');
    expect([...again.cookies]).toEqual([]);
    expect((await scene.browser.get('/api/auth/status')).body).toMatchObject({ authenticated: true });
  });

  test('ten minutes after it began', async () => {
    await using scene = await startScene();
    const target = await scene.goThere();
    await scene.lab.advance(600_000);
    await expectRefused(scene, await scene.comeBack(target), 'oidc_flow_expired');
  });

  test('programs get the refusal as JSON', async () => {
    await using scene = await startScene();
    const answer = await scene.lab.as.raw({ method: 'GET', path: `${callbackPath}?state=x&code=y` });
    expect(answer).toMatchObject({ status: 401, body: { code: 'oidc_state_mismatch', requestId: expect.any(String) } });
  });
});

describe('a login does not begin', () => {
  const start = async ({ browser }: Scene, code: ErrorCode) => {
    const answer = await browser.get('/api/auth/oidc/start');
    expect({ status: answer.status, text: answer.text }).toEqual({
      status: 503,
      text: expect.stringContaining(`(${code},`),
    });
    expect([...browser.cookies.keys()]).toEqual([]);
  };

  const faults: readonly [string, (issuer: IssuerSimulator) => void, ErrorCode][] = [
    ['missing PKCE metadata', (issuer) => issuer.fail('no-pkce-metadata'), 'oidc_pkce_unsupported'],
    ['PKCE metadata without S256', (issuer) => issuer.fail('pkce-contradiction'), 'oidc_pkce_unsupported'],
    [
      'wrong issuer in discovery',
      (issuer) => issuer.fail('wrong-issuer', { value: 'discovery' }),
      'oidc_issuer_metadata',
    ],
    ['discovery is a page', (issuer) => issuer.fail('discovery-not-json'), 'oidc_issuer_metadata'],
    ['discovery redirects', (issuer) => issuer.fail('redirect-loop', { command: '/.well-known' }), 'oidc_issuer_down'],
  ];
  test.each(faults)('%s', async (_name, arrange, code) => {
    await using scene = await startScene();
    arrange(scene.issuer);
    await start(scene, code);
    await expect(scene.lab.as.admin.auth.oidcTest({ body: {} })).rejects.toMatchObject({
      status: 502,
      code: 'oidc_test_failed',
      body: { reason: code },
    });
    scene.issuer.clearFaults();
    expect((await scene.logIn()).status).toBe(302);
  });

  verifies('rest.oidc.start rest.oidc.test', 'issuer down', async () => {
    await using scene = await startScene();
    await scene.issuer[Symbol.asyncDispose]();
    await start(scene, 'oidc_issuer_down');
    await expect(scene.lab.as.admin.auth.oidcTest({ body: {} })).rejects.toMatchObject({
      status: 502,
      body: { code: 'oidc_test_failed', reason: 'oidc_issuer_down' },
    });
  });

  test('switched off', async () => {
    await using scene = await startScene();
    await scene.lab.as.admin.auth.saveSecurityConfig({ body: { enabled: false, clientId: hubClientId } });
    await start(scene, 'oidc_not_configured');
  });
});

verifies('rest.oidc.test', 'the test of the settings needs a credential and names the issuer', async () => {
  await using scene = await startScene();
  await expect(scene.lab.as.nobody.auth.oidcTest({ body: {} })).rejects.toMatchObject({ status: 401 });
  const answer = await scene.lab.as.admin.auth.oidcTest({ body: {} });
  expect(answer).toEqual({ success: true, issuer: scene.issuer.issuer });
});

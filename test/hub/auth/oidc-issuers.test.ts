// Browser login against an issuer whose every answer is replaced in turn: each wrong one is refused by its own code.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createOidcLogin, type OidcLogin } from '#hub/auth/oidc/oidc.ts';
import { AppError, type ErrorCode } from '#kernel/errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { newKey, type StubIssuer, signWith, startStubIssuer, stubPerson } from '../../support/stub-issuer.ts';

const clientId = 'hub';
const clientSecret = 'a secret: with/odd characters & more than 32 bytes';

interface Bench extends AsyncDisposable {
  clock: ManualClock;
  stub: StubIssuer;
  oidc: OidcLogin;
  settings: Record<string, unknown>;
  world: { publicUrl: string | null; offline: boolean };
  logged: string[];
}

async function startBench(): Promise<Bench> {
  const clock = new ManualClock();
  const stub = await startStubIssuer({ now: clock.now, clientId });
  const settings: Record<string, unknown> = {
    enabled: true,
    issuer: stub.issuer,
    clientId,
    clientSecret,
    allowedEmails: ['olive@example.com'],
    allowedDomains: ['example.org'],
  };
  const world: Bench['world'] = { publicUrl: 'https://hub.example/watch', offline: false };
  const logged: string[] = [];
  const note = (...all: unknown[]) => {
    logged.push(JSON.stringify(all));
  };
  const oidc = createOidcLogin({
    clock,
    settings: () => ({ ...settings }) as never,
    publicUrl: () => (world.publicUrl === null ? null : new URL(world.publicUrl)),
    offline: () => world.offline,
    log: { info: note, warn: note },
  });
  return { clock, stub, oidc, settings, world, logged, [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose]() };
}

/** A whole login; `change` may bend the callback before it is handed in. */
async function logIn({ oidc, stub }: Bench, change: (callback: URL) => void = () => {}) {
  const { location, state } = await oidc.start();
  const url = stub.approve(location);
  change(url);
  return oidc.finish({ url, stateCookie: state });
}

/** The code of the AppError that `work` rejects with, and that its sentence tells nobody's address. */
async function refusal(work: Promise<unknown>): Promise<ErrorCode | 'accepted'> {
  try {
    await work;
    return 'accepted';
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    expect(error.message).not.toMatch(/olive|@/);
    expect(error.cause).toBeUndefined();
    return error.code;
  }
}

describe('a login', () => {
  test('asks for what the contract says and comes back as an operator under a hash', async () => {
    await using bench = await startBench();
    const { location, state } = await bench.oidc.start();
    const asked = new URL(location);
    expect(asked.origin + asked.pathname).toBe(`${bench.stub.issuer}/auth`);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: 'https://hub.example/watch/api/auth/oidc/callback',
      scope: 'openid email profile',
      prompt: 'select_account',
      code_challenge_method: 'S256',
      state,
    });
    expect(Buffer.from(state, 'base64url')).toHaveLength(32);
    expect(Buffer.from(asked.searchParams.get('nonce') ?? '', 'base64url')).toHaveLength(32);
    const person = await bench.oidc.finish({ url: bench.stub.approve(location), stateCookie: state });
    expect(person).toEqual({
      subject: createHash('sha256').update(`${bench.stub.issuer}|${stubPerson.sub}`).digest('hex'),
      role: 'operator',
      confirm: expect.any(Function),
      returnTo: null,
    });
    const form = bench.stub.form();
    const verifier = form.get('code_verifier') ?? '';
    expect(Buffer.from(verifier, 'base64url')).toHaveLength(48);
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(asked.searchParams.get('code_challenge'));
    expect(form.get('redirect_uri')).toBe('https://hub.example/watch/api/auth/oidc/callback');
    const [user = '', pass = ''] = Buffer.from(bench.stub.tokenHeaders().authorization?.slice(6) ?? '', 'base64')
      .toString()
      .split(':');
    const [decodedUser, decodedPass] = [user, pass].map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    expect([decodedUser, decodedPass]).toEqual([clientId, clientSecret]);
  });

  test('takes discovery and keys from memory for an hour', async () => {
    await using bench = await startBench();
    await logIn(bench);
    await bench.clock.advance(59 * 60_000);
    await logIn(bench);
    const discovered = () => bench.stub.asked.filter((path) => path.startsWith('/.well-known')).length;
    const fetched = () => bench.stub.asked.filter((path) => path === '/jwks').length;
    expect([discovered(), fetched()]).toEqual([1, 1]);
    await bench.clock.advance(60_000);
    await logIn(bench);
    expect([discovered(), fetched()]).toEqual([2, 2]);
  });

  test('fetches the keys again, once, when the issuer has changed its key', async () => {
    await using bench = await startBench();
    await logIn(bench);
    await bench.stub.rotate();
    await logIn(bench);
    await logIn(bench);
    expect(bench.stub.asked.filter((path) => path === '/jwks')).toHaveLength(2);
    const stranger = await newKey();
    bench.stub.sign = (claims) => signWith(claims, stranger.privateKey, { alg: 'RS256', kid: stranger.kid });
    expect(await refusal(logIn(bench))).toBe('oidc_token_invalid');
    expect(bench.stub.asked.filter((path) => path === '/jwks')).toHaveLength(3);
  });

  test('uses keys from memory while the issuer cannot give them', async () => {
    await using bench = await startBench();
    await logIn(bench);
    bench.stub.answer = (path, response) => {
      if (path === '/jwks') {
        response.writeHead(503).end();
        return true;
      }
      return null;
    };
    expect((await logIn(bench)).role).toBe('operator');
  });

  test('many at once ask for discovery once', async () => {
    await using bench = await startBench();
    await Promise.all(Array.from({ length: 20 }, () => bench.oidc.start()));
    expect(bench.stub.asked).toEqual(['/.well-known/openid-configuration']);
  });

  test('finds the e-mail address at the UserInfo endpoint when the ID token has none', async () => {
    await using bench = await startBench();
    bench.stub.claims = { email: undefined, email_verified: undefined };
    bench.stub.userinfo = { sub: stubPerson.sub, email: 'Vic@Example.ORG', email_verified: true };
    expect((await logIn(bench)).role).toBe('viewer');
    bench.stub.userinfo = { ...bench.stub.userinfo, sub: 'somebody-else' };
    expect(await refusal(logIn(bench))).toBe('oidc_token_invalid');
  });

  test('sends the secret in the body where the issuer takes it nowhere else', async () => {
    await using bench = await startBench();
    bench.stub.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    await logIn(bench);
    expect(bench.stub.form().get('client_secret')).toBe(clientSecret);
    expect(bench.stub.tokenHeaders().authorization).toBeUndefined();
  });

  test('does not ask for a choice of account where the issuer lists its prompts without it', async () => {
    await using bench = await startBench();
    bench.stub.metadata = { prompt_values_supported: ['none', 'login'] };
    expect(new URL((await bench.oidc.start()).location).searchParams.has('prompt')).toBe(false);
  });

  test('goes back to a path of the hub, and to nowhere else', async () => {
    await using bench = await startBench();
    for (const [given, kept] of [
      ['/devices?x=1', '/devices?x=1'],
      ['//evil.example', null],
      ['/\\evil.example', null],
      ['https://evil.example', null],
    ] as const) {
      const { location, state } = await bench.oidc.start({ returnTo: given });
      const { returnTo } = await bench.oidc.finish({ url: bench.stub.approve(location), stateCookie: state });
      expect(returnTo).toBe(kept);
    }
  });
});

describe('an ID token is refused', () => {
  const seconds = (ms: number) => Math.floor(new ManualClock().now() / 1000) + ms;
  const wrong: readonly [string, Record<string, unknown>, ErrorCode | 'accepted'][] = [
    ['nonce of another login', { nonce: 'other' }, 'oidc_nonce_mismatch'],
    ['no nonce', { nonce: undefined }, 'oidc_nonce_mismatch'],
    ['another issuer', { iss: 'https://evil.example' }, 'oidc_issuer_mismatch'],
    ['issuer with a slash', { iss: 'SLASH' }, 'oidc_issuer_mismatch'],
    ['two audiences', { aud: [clientId, 'other'] }, 'oidc_audience'],
    ['two audiences, authorized for another', { aud: [clientId, 'other'], azp: 'other' }, 'oidc_audience'],
    ['two audiences, authorized for us', { aud: [clientId, 'other'], azp: clientId }, 'accepted'],
    ['one audience, authorized for another', { azp: 'other' }, 'oidc_audience'],
    ['one audience in a list', { aud: [clientId] }, 'accepted'],
    ['another audience', { aud: 'other' }, 'oidc_audience'],
    ['audience with our id as prefix', { aud: `${clientId}2` }, 'oidc_audience'],
    ['no audience', { aud: undefined }, 'oidc_token_invalid'],
    ['expired 60 s ago', { exp: seconds(-60) }, 'oidc_token_invalid'],
    ['expired 59 s ago', { exp: seconds(-59) }, 'accepted'],
    ['no expiry', { exp: undefined }, 'oidc_token_invalid'],
    ['issued 61 s ahead', { iat: seconds(61) }, 'oidc_token_invalid'],
    ['issued 60 s ahead', { iat: seconds(60) }, 'accepted'],
    ['no instant of issue', { iat: undefined }, 'oidc_token_invalid'],
    ['valid from 61 s ahead', { nbf: seconds(61) }, 'oidc_token_invalid'],
    ['valid from 60 s ahead', { nbf: seconds(60) }, 'accepted'],
    ['no subject', { sub: undefined }, 'oidc_token_invalid'],
    ['e-mail not verified', { email_verified: false }, 'oidc_email_unverified'],
    ['verified in a text', { email_verified: 'true' }, 'oidc_email_unverified'],
    ['verification not stated', { email_verified: undefined }, 'oidc_email_unverified'],
    ['e-mail not on a list', { email: 'eve@example.com' }, 'oidc_email_not_allowed'],
    ['subdomain of an allowed domain', { email: 'eve@sub.example.org' }, 'oidc_email_not_allowed'],
    ['two addresses in one', { email: 'eve@evil.example@example.org' }, 'oidc_email_not_allowed'],
  ];
  test.each(wrong)('%s: %o → %s', async (_name, claims, expected) => {
    await using bench = await startBench();
    bench.stub.claims = claims.iss === 'SLASH' ? { iss: `${bench.stub.issuer}/` } : claims;
    expect(await refusal(logIn(bench))).toBe(expected);
    expect(bench.logged.join()).not.toMatch(/@|olive|eve|sub-1/);
  });

  test('unsigned, HS256 with secret or public key, or a key of its own', async () => {
    await using bench = await startBench();
    const { stub } = bench;
    const secret = new TextEncoder().encode(clientSecret);
    const publicKey = new TextEncoder().encode(JSON.stringify(stub.publicJwk()));
    const stranger = await newKey();
    const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const ways: readonly StubIssuer['sign'][] = [
      async (claims) => `${encoded({ alg: 'none' })}.${encoded(claims)}.`,
      (claims) => signWith(claims, secret, { alg: 'HS256' }),
      (claims) => signWith(claims, publicKey, { alg: 'HS256', kid: stub.publicJwk().kid ?? '' }),
      (claims) => signWith(claims, stranger.privateKey, { alg: 'RS256', kid: stub.publicJwk().kid ?? '' }),
      (claims) =>
        signWith(claims, stranger.privateKey, { alg: 'RS256', jwk: stranger.jwk, jku: `${stub.issuer}/me` } as never),
      async () => 'not.a.token',
      async () => 'an.encrypted.token.has.parts',
      async () => '{}',
    ];
    stub.userinfo = { keys: [stranger.jwk] };
    for (const sign of ways) {
      stub.sign = sign;
      expect(await refusal(logIn(bench))).toBe('oidc_token_invalid');
    }
    expect(stub.asked).not.toContain('/me');
  });

  test('another algorithm, though the issuer announces it and has a key for it', async () => {
    await using bench = await startBench();
    const { stub } = bench;
    const key = await newKey('ES256');
    stub.metadata = { id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'] };
    stub.answer = (path, response) => {
      if (path !== '/jwks') {
        return null;
      }
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [key.jwk] }));
      return true;
    };
    stub.sign = (claims) => signWith(claims, key.privateKey, { alg: 'ES256', kid: key.kid });
    expect(await refusal(logIn(bench))).toBe('oidc_token_invalid');
  });
});

describe('a callback is refused', () => {
  const bent: readonly [string, (callback: URL) => void, ErrorCode][] = [
    ['another state', ({ searchParams }) => searchParams.set('state', 'x'.repeat(43)), 'oidc_state_mismatch'],
    ['no state', ({ searchParams }) => searchParams.delete('state'), 'oidc_state_mismatch'],
    ['two states', ({ searchParams }) => searchParams.append('state', 'x'), 'oidc_state_mismatch'],
    ['another issuer', ({ searchParams }) => searchParams.set('iss', 'https://evil.example'), 'oidc_issuer_mismatch'],
    ['no issuer though announced', ({ searchParams }) => searchParams.delete('iss'), 'oidc_issuer_mismatch'],
    ['an error', ({ searchParams }) => searchParams.set('error', 'access_denied'), 'oidc_denied'],
    ['no code', ({ searchParams }) => searchParams.delete('code'), 'oidc_code_rejected'],
    ['two codes', ({ searchParams }) => searchParams.append('code', 'x'), 'oidc_code_rejected'],
  ];
  test.each(bent)('%s', async (_name, change, code) => {
    await using bench = await startBench();
    expect(await refusal(logIn(bench, change))).toBe(code);
    expect(bench.stub.asked).toEqual(['/.well-known/openid-configuration']);
    expect(bench.logged).toEqual([JSON.stringify([{ reason: code }, 'browser login refused'])]);
  });

  test('in a browser without the cookie, and then the state is spent', async () => {
    await using bench = await startBench();
    const { location, state } = await bench.oidc.start();
    const url = bench.stub.approve(location);
    expect(await refusal(bench.oidc.finish({ url, stateCookie: undefined }))).toBe('oidc_state_mismatch');
    expect(await refusal(bench.oidc.finish({ url, stateCookie: state }))).toBe('oidc_flow_expired');
  });

  test('the second time, also when both come at once', async () => {
    await using bench = await startBench();
    const { location, state } = await bench.oidc.start();
    const callback = { url: bench.stub.approve(location), stateCookie: state };
    const both = await Promise.all([refusal(bench.oidc.finish(callback)), refusal(bench.oidc.finish(callback))]);
    expect(both.sort()).toEqual(['accepted', 'oidc_flow_expired']);
    expect(await refusal(bench.oidc.finish(callback))).toBe('oidc_flow_expired');
  });

  test('ten minutes after the start, not a moment before', async () => {
    await using bench = await startBench();
    const late = await bench.oidc.start();
    const lateUrl = bench.stub.approve(late.location);
    await bench.clock.advance(1);
    const last = await bench.oidc.start();
    await bench.clock.advance(600_000 - 1);
    expect(await refusal(bench.oidc.finish({ url: lateUrl, stateCookie: late.state }))).toBe('oidc_flow_expired');
    const person = bench.oidc.finish({ url: bench.stub.approve(last.location), stateCookie: last.state });
    expect((await person).role).toBe('operator');
  });

  test.each<[string, unknown, ErrorCode]>([
    ['enabled', false, 'oidc_flow_expired'],
    ['issuer', 'https://other.example', 'oidc_flow_expired'],
    ['clientId', 'other', 'oidc_flow_expired'],
    ['clientSecret', '', 'oidc_flow_expired'],
    ['offline', true, 'oidc_flow_expired'],
    ['allowedEmails', [], 'oidc_email_not_allowed'],
  ])('when %s becomes %j before the exchange, or while it runs', async (name, value, code) => {
    for (const moment of ['before', 'while it runs']) {
      await using bench = await startBench();
      const change = () => Object.assign(name === 'offline' ? bench.world : bench.settings, { [name]: value });
      bench.stub.answer = (path) => {
        if (path === '/token' && moment !== 'before') {
          change();
        }
        return null;
      };
      expect(await refusal(logIn(bench, moment === 'before' ? change : undefined)), moment).toBe(code);
    }
  });

  test('when the settings change after the exchange, before there is a session', async () => {
    await using bench = await startBench();
    const { confirm } = await logIn(bench);
    const confirmed = () => refusal(Promise.resolve().then(confirm));
    expect(await confirmed()).toBe('accepted');
    bench.settings.allowedEmails = [];
    expect(await confirmed()).toBe('oidc_email_not_allowed');
    bench.settings.allowedDomains = ['example.com'];
    expect(await confirmed()).toBe('oidc_flow_expired');
    Object.assign(bench.settings, { allowedEmails: ['olive@example.com'], enabled: false });
    expect(await confirmed()).toBe('oidc_flow_expired');
  });
});

describe('the exchange fails', () => {
  const answers: readonly [string, number, Record<string, string>, string, ErrorCode][] = [
    ['the code is expired', 400, {}, '{"error":"invalid_grant"}', 'oidc_code_rejected'],
    ['the secret is wrong', 401, { 'www-authenticate': 'Basic' }, '{"error":"invalid_client"}', 'oidc_client_rejected'],
    ['the client is unknown', 400, {}, '{"error":"invalid_client"}', 'oidc_client_rejected'],
    ['the issuer is broken', 500, {}, 'oops', 'oidc_exchange_failed'],
    ['the issuer is busy', 429, {}, 'later', 'oidc_exchange_failed'],
    ['it redirects', 307, { location: 'https://evil.example/token' }, '', 'oidc_exchange_failed'],
    ['a refusal in HTML', 403, { 'content-type': 'text/html' }, '<p>no', 'oidc_exchange_failed'],
    ['more than 1 MB', 200, {}, `{"x":"${'y'.repeat(1_048_576)}"}`, 'oidc_exchange_failed'],
    ['no ID token', 200, {}, '{"access_token":"a","token_type":"Bearer"}', 'oidc_token_invalid'],
    ['an array', 200, {}, '[]', 'oidc_token_invalid'],
  ];
  test.each(answers)('%s', async (_name, status, headers, text, code) => {
    await using bench = await startBench();
    bench.stub.answer = (path, response) => {
      if (path !== '/token') {
        return null;
      }
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      return true;
    };
    expect(await refusal(logIn(bench))).toBe(code);
  });

  test('the issuer is gone, or silent for ten seconds', async () => {
    await using bench = await startBench();
    let reached = () => {};
    const asked = new Promise<void>((resolve) => {
      reached = resolve;
    });
    bench.stub.answer = (path) => {
      if (path !== '/token') {
        return null;
      }
      reached();
      return true;
    };
    const silent = refusal(logIn(bench));
    await asked;
    await bench.clock.advance(10_000);
    expect(await silent).toBe('oidc_exchange_failed');
    const { location, state } = await bench.oidc.start();
    const url = bench.stub.approve(location);
    await bench.stub[Symbol.asyncDispose]();
    expect(await refusal(bench.oidc.finish({ url, stateCookie: state }))).toBe('oidc_exchange_failed');
  });
});

describe('a login does not begin', () => {
  const refusedMetadata: readonly [string, Record<string, unknown>, ErrorCode][] = [
    ['no PKCE metadata', { code_challenge_methods_supported: undefined }, 'oidc_pkce_unsupported'],
    ['PKCE plain only', { code_challenge_methods_supported: ['plain'] }, 'oidc_pkce_unsupported'],
    ['PKCE in a text', { code_challenge_methods_supported: 'S256' }, 'oidc_pkce_unsupported'],
    ['another issuer', { issuer: 'http://127.0.0.1:1/' }, 'oidc_issuer_metadata'],
    ['no token endpoint', { token_endpoint: undefined }, 'oidc_issuer_metadata'],
    ['keys in clear text', { jwks_uri: 'http://keys.example/jwks' }, 'oidc_issuer_metadata'],
    ['login page in clear text', { authorization_endpoint: 'http://login.example/' }, 'oidc_issuer_metadata'],
    ['login page by script', { authorization_endpoint: 'javascript:alert(1)' }, 'oidc_issuer_metadata'],
    ['endpoint with credentials', { token_endpoint: 'https://a:b@token.example/' }, 'oidc_issuer_metadata'],
    ['no RS256', { id_token_signing_alg_values_supported: ['ES256'] }, 'oidc_issuer_metadata'],
    ['no way for a secret', { token_endpoint_auth_methods_supported: ['private_key_jwt'] }, 'oidc_issuer_metadata'],
  ];
  test.each(refusedMetadata)('%s', async (_name, metadata, code) => {
    await using bench = await startBench();
    bench.stub.metadata = metadata;
    expect(await refusal(bench.oidc.start())).toBe(code);
    const failed = await bench.oidc.test().catch((error: unknown) => error);
    expect(failed).toMatchObject({ status: 502, code: 'oidc_test_failed', details: { reason: code } });
    bench.stub.metadata = {};
    expect(await refusal(bench.oidc.start())).toBe('accepted');
  });

  test('an issuer that is down, redirects, or answers with a page', async () => {
    await using bench = await startBench();
    const answers = [
      [503, '', 'oidc_issuer_down'],
      [302, '', 'oidc_issuer_down'],
      [404, '{}', 'oidc_issuer_metadata'],
      [200, '<!doctype html>', 'oidc_issuer_metadata'],
    ] as const;
    for (const [status, text, code] of answers) {
      bench.stub.answer = (_path, response) => {
        response.writeHead(status, { location: `${bench.stub.issuer}/elsewhere` }).end(text);
        return true;
      };
      expect(await refusal(bench.oidc.start())).toBe(code);
    }
    expect(new Set(bench.stub.asked)).toEqual(new Set(['/.well-known/openid-configuration']));
    await bench.stub[Symbol.asyncDispose]();
    expect(await refusal(bench.oidc.start())).toBe('oidc_issuer_down');
    await expect(bench.oidc.start()).rejects.toThrow(
      `the OIDC issuer at ${new URL(bench.stub.issuer).host} did not answer: ECONNREFUSED`,
    );
  });

  test.each([
    ['http://issuer.example'],
    ['ftp://issuer.example'],
    ['https://user:pass@issuer.example'],
    ['https://issuer.example?x=1'],
    ['nonsense'],
    [''],
  ])('issuer %s', async (issuer) => {
    await using bench = await startBench();
    bench.settings.issuer = issuer;
    expect(await refusal(bench.oidc.start())).toBe('oidc_not_configured');
  });

  test('switched off, without a public address, or offline: nothing leaves the hub', async () => {
    await using bench = await startBench();
    bench.settings.enabled = false;
    expect(await refusal(bench.oidc.start())).toBe('oidc_not_configured');
    bench.settings.enabled = true;
    bench.world.publicUrl = null;
    expect(await refusal(bench.oidc.start())).toBe('oidc_not_configured');
    bench.world.publicUrl = 'https://hub.example';
    bench.world.offline = true;
    expect(await refusal(bench.oidc.start())).toBe('oidc_offline');
    await expect(bench.oidc.test()).rejects.toMatchObject({ status: 502, details: { reason: 'oidc_offline' } });
    expect(bench.stub.asked).toEqual([]);
  });
});

describe('the test of the settings', () => {
  test('asks the issuer anew each time, its keys too', async () => {
    await using bench = await startBench();
    expect(await bench.oidc.test()).toEqual({ issuer: bench.stub.issuer });
    expect(await bench.oidc.test()).toEqual({ issuer: bench.stub.issuer });
    expect(bench.stub.asked).toEqual(Array(2).fill(['/.well-known/openid-configuration', '/jwks']).flat());
  });

  test('fails without a usable key', async () => {
    await using bench = await startBench();
    for (const text of ['{"keys":[]}', '{"keys":[null]}', '{"keys":[{"kty":"EC"}]}', '{}', 'null', '<p>']) {
      bench.stub.answer = (path, response) => {
        if (path !== '/jwks') {
          return null;
        }
        response.end(text);
        return true;
      };
      const details = { reason: 'oidc_issuer_metadata' };
      await expect(bench.oidc.test()).rejects.toMatchObject({ code: 'oidc_test_failed', details });
    }
  });
});

// Browser login against an issuer whose every answer is replaced in turn: each wrong one is refused by its own code.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '#kernel/errors.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { clientId, clientSecret, logIn, refusal, startBench } from '../../../support/oidc-bench.ts';
import { newKey, type StubIssuer, signWith, startStubIssuer, stubPerson } from '../../../support/stub-issuer.ts';

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

  test('asks nobody for an e-mail address that the ID token has, or that cannot be asked for', async () => {
    await using bench = await startBench();
    await logIn(bench);
    bench.settings.issuer = `${bench.stub.issuer}/`;
    bench.stub.metadata = { userinfo_endpoint: undefined };
    bench.stub.claims = { email: undefined, email_verified: undefined };
    expect(await refusal(logIn(bench))).toBe('oidc_email_unverified');
    expect(bench.stub.asked).not.toContain('/me');
  });

  test('takes nothing that it remembers of one issuer for another', async () => {
    await using bench = await startBench();
    await using other = await startStubIssuer({ now: bench.clock.now, clientId });
    const first = bench.stub.issuer;
    const asked = () => [bench.stub.asked.length, other.asked.length];
    await logIn(bench);
    bench.settings.issuer = other.issuer;
    await logIn({ ...bench, stub: other });
    expect(asked()).toEqual([3, 3]);
    // A failure that comes late makes the hub forget nothing of the issuer that is set meanwhile.
    const held = Promise.withResolvers<() => void>();
    bench.stub.answer = (_path, response) => {
      held.resolve(() => void response.writeHead(503).end());
      return true;
    };
    bench.settings.issuer = first;
    const failing = refusal(bench.oidc.start());
    const fail = await held.promise;
    bench.settings.issuer = other.issuer;
    await bench.oidc.start();
    fail();
    expect(await failing).toBe('oidc_issuer_down');
    await bench.oidc.start();
    expect(asked()).toEqual([4, 4]);
  });

  test.each(['https://hub.example/', 'https://hub.example//?x=1#y', 'https://hub.example#y'])(
    'comes back to the hub at %s',
    async (publicUrl) => {
      await using bench = await startBench();
      bench.world.publicUrl = publicUrl;
      const { searchParams } = new URL((await bench.oidc.start()).location);
      expect(searchParams.get('redirect_uri')).toBe('https://hub.example/api/auth/oidc/callback');
    },
  );

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
    ['another audience', { aud: 'other' }, 'oidc_audience'],
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
    ['e-mail not on a list', { email: 'eve@example.com' }, 'oidc_email_not_allowed'],
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
    ['an empty code', ({ searchParams }) => searchParams.set('code', ''), 'oidc_code_rejected'],
    [
      'its issuer twice',
      ({ searchParams }) => searchParams.append('iss', searchParams.get('iss') ?? ''),
      'oidc_issuer_mismatch',
    ],
    ['two codes', ({ searchParams }) => searchParams.append('code', 'x'), 'oidc_code_rejected'],
  ];
  test.each(bent)('%s', async (_name, change, code) => {
    await using bench = await startBench();
    expect(await refusal(logIn(bench, change))).toBe(code);
    expect(bench.stub.asked).toEqual(['/.well-known/openid-configuration']);
    expect(bench.logged).toEqual([JSON.stringify([{ reason: code }, 'browser login refused'])]);
  });

  test('not without an issuer where none is announced', async () => {
    await using bench = await startBench();
    bench.stub.metadata = { authorization_response_iss_parameter_supported: undefined };
    expect(await refusal(logIn(bench, ({ searchParams }) => searchParams.delete('iss')))).toBe('accepted');
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

// The pure parts of browser login: who is let in, which issuer is usable, flows, and what a failure may tell.
import fc from 'fast-check';
import type { ServerMetadata } from 'openid-client';
import { describe, expect, test } from 'vitest';
import '#contract/errors.ts';
import { admit, hashSubject, type OidcClaims, validateClaims } from '#hub/base/auth/oidc/admission.ts';
import { exchangeFailure } from '#hub/base/auth/oidc/failure.ts';
import { createOidcFlows } from '#hub/base/auth/oidc/flows.ts';
import {
  asksForAccount,
  chooseAuthentication,
  parseIssuer,
  requireUsable,
  toIssuerUrl,
} from '#hub/base/auth/oidc/metadata.ts';
import { localPath } from '#hub/base/auth/oidc/oidc.ts';
import { AppError } from '#kernel/errors.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const refusalOf = (work: () => unknown): string => {
  try {
    return String(work());
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    return error.code;
  }
};

describe('admission', () => {
  const lists = { allowedEmails: ['olive@example.com', 'kim@example.net'], allowedDomains: ['example.org'] };
  const role = (email: unknown) => refusalOf(() => admit({ email, email_verified: true }, lists));

  test.each([
    ['olive@example.com', 'operator'],
    ['OLIVE@Example.COM', 'operator'],
    ['anyone@example.org', 'viewer'],
    ['anyone@EXAMPLE.ORG', 'viewer'],
    ['eve@example.com', 'oidc_email_not_allowed'],
    ['eve@notexample.org', 'oidc_email_not_allowed'],
    ['eve@example.org.evil.example', 'oidc_email_not_allowed'],
    ['eve@evil.example@example.org', 'oidc_email_not_allowed'],
    ['eve @example.org', 'oidc_email_not_allowed'],
    ['eve\n@example.org', 'oidc_email_not_allowed'],
    ['"eve@evil.example"@example.org', 'oidc_email_not_allowed'],
    ['@example.org', 'oidc_email_not_allowed'],
    ['example.org', 'oidc_email_not_allowed'],
    // U+212A, the Kelvin sign, is a k in lower case.
    ['\u212Aim@example.net', 'oidc_email_not_allowed'],
    ['eve@example.or\u212A', 'oidc_email_not_allowed'],
    [`${'e'.repeat(64)}@example.org`, 'viewer'],
    [`${'e'.repeat(65)}@example.org`, 'oidc_email_not_allowed'],
    ['', 'oidc_email_not_allowed'],
    [undefined, 'oidc_email_not_allowed'],
    [['olive@example.com'], 'oidc_email_not_allowed'],
  ])('%j → %s', (email, expected) => {
    expect(role(email)).toBe(expected);
  });

  test('an address on both lists is an operator', () => {
    expect(
      admit(
        { email: 'a@b.example', email_verified: true },
        { allowedEmails: ['A@b.example'], allowedDomains: ['b.example'] },
      ),
    ).toBe('operator');
  });

  test.each([false, 'true', 1, null, undefined, {}])('verified: %j is not enough', (verified) => {
    const claims = { email: 'olive@example.com', email_verified: verified };
    expect(refusalOf(() => admit(claims, lists))).toBe('oidc_email_unverified');
  });

  test('empty lists let nobody in, whatever the claims', () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string(), fc.anything()), (email) => {
        const code = refusalOf(() => admit({ email, email_verified: true }, { allowedEmails: [], allowedDomains: [] }));
        expect(code).toBe('oidc_email_not_allowed');
      }),
      { numRuns: 2000 },
    );
  });

  test('only the exact domain makes a viewer', () => {
    const words = fc.string({ unit: fc.constantFrom(...'ab.@ -\u212A'), maxLength: 8 });
    fc.assert(
      fc.property(words, words, (before, after) => {
        const email = `${before}@example.org${after}`;
        const isExact = after === '' && /^[ab.\u212A-]+$/.test(before);
        expect(role(email)).toBe(isExact ? 'viewer' : 'oidc_email_not_allowed');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('times and audience', () => {
  const now = Date.UTC(2026, 2, 1);
  const seconds = now / 1000;
  const good: OidcClaims = { iss: 'https://i.example', sub: 's', aud: 'hub', iat: seconds, exp: seconds + 300 };
  const check = (changed: Record<string, unknown>) =>
    refusalOf(() => validateClaims({ ...good, ...changed } as OidcClaims, 'hub', now));

  test.each([
    [{}, 'undefined'],
    [{ exp: seconds - 59.999 }, 'undefined'],
    [{ exp: seconds - 60 }, 'oidc_token_invalid'],
    [{ exp: Number.NaN }, 'oidc_token_invalid'],
    [{ exp: undefined }, 'oidc_token_invalid'],
    [{ iat: seconds + 60 }, 'undefined'],
    [{ iat: seconds + 60.001 }, 'oidc_token_invalid'],
    [{ nbf: seconds + 60.001 }, 'oidc_token_invalid'],
    [{ nbf: '0' }, 'oidc_token_invalid'],
    [{ nbf: seconds + 60, iat: seconds - 1000 }, 'undefined'],
    [{ aud: ['hub', 'other'], azp: 'hub' }, 'undefined'],
    [{ aud: ['hub', 'other'] }, 'oidc_audience'],
    [{ aud: 'hub', azp: 'hub' }, 'undefined'],
    [{ aud: [] }, 'oidc_audience'],
    [{ aud: 'hub2' }, 'oidc_audience'],
    [{ aud: ['hub', 'hub'] }, 'oidc_audience'],
    [{ aud: ['other'], azp: 'hub' }, 'oidc_audience'],
    [{ aud: 'hub', azp: '' }, 'oidc_audience'],
  ])('%j → %s', (changed, expected) => {
    expect(check(changed)).toBe(expected);
  });
});

test('the subject is one name for one account of one issuer', () => {
  expect(hashSubject({ iss: 'a', sub: 'b' })).toMatch(/^[0-9a-f]{64}$/);
  expect(hashSubject({ iss: 'a', sub: 'b' })).not.toBe(hashSubject({ iss: 'a', sub: 'c' }));
  expect(hashSubject({ iss: 'a', sub: 'b' })).not.toBe(hashSubject({ iss: 'c', sub: 'b' }));
});

describe('an issuer', () => {
  const at = (issuer: string, changed: Record<string, unknown> = {}) =>
    ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      code_challenge_methods_supported: ['plain', 'S256'],
      ...changed,
    }) as ServerMetadata;
  const usable = (metadata: ServerMetadata) => refusalOf(() => requireUsable(metadata));

  test.each([
    ['https://issuer.example', {}, 'undefined'],
    ['http://127.0.0.1:4000', {}, 'undefined'],
    ['http://[::1]:4000', {}, 'undefined'],
    ['http://localhost:4000', {}, 'undefined'],
    ['https://issuer.example', { token_endpoint: 'https://elsewhere.example/token' }, 'undefined'],
    ['https://issuer.example', { token_endpoint: 'http://127.0.0.1:4000/token' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { token_endpoint: 'https://127.0.0.1/token' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { jwks_uri: 'https://[::1]/jwks' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { jwks_uri: 'https://[::ffff:127.0.0.1]/jwks' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { jwks_uri: 'https://2130706433/jwks' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { jwks_uri: 'https://localhost/jwks' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { token_endpoint: 'https://169.254.169.254/token' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { token_endpoint: 'https://[fe80::1]/token' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { token_endpoint: 'https://0.0.0.0/token' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { token_endpoint: 'https://[::]/token' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { userinfo_endpoint: 'file:///etc/passwd' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { userinfo_endpoint: 'https://issuer.example/me' }, 'undefined'],
    ['https://issuer.example', { authorization_endpoint: 'https://:p@issuer.example/' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { authorization_endpoint: undefined }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { authorization_endpoint: 'javascript:alert(1)' }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { id_token_signing_alg_values_supported: ['ES256', 'RS256'] }, 'undefined'],
    ['https://issuer.example', { id_token_signing_alg_values_supported: ['ES256'] }, 'oidc_issuer_metadata'],
    ['https://issuer.example', { jwks_uri: 7 }, 'oidc_issuer_metadata'],
    // URL.canParse of Node 24 takes it, and its constructor does not.
    ['https://issuer.example', { jwks_uri: `https://${'a'.repeat(17_000)}.exampleG/` }, 'oidc_issuer_metadata'],
    ['http://127.0.0.1:4000', { token_endpoint: 'http://192.168.1.1/token' }, 'oidc_issuer_metadata'],
    ['https://127.0.0.1:4000', { token_endpoint: 'http://127.0.0.1:4001/token' }, 'oidc_issuer_metadata'],
    ['https://127.0.0.1:4000', { token_endpoint: 'https://127.0.0.1:4001/token' }, 'undefined'],
    ['https://issuer.example', { code_challenge_methods_supported: [] }, 'oidc_pkce_unsupported'],
  ])('at %s with %j: %s', (issuer, changed, expected) => {
    expect(usable(at(issuer, changed))).toBe(expected);
  });

  test.each([
    ...['https://issuer.example/realms/home', 'https://192.168.1.1', 'https://1.169.254.1', 'https://10.0.0.1'],
    ...[
      'https://[::1]',
      'https://[fd00::1]',
      'https://[fec0::1]',
      'https://[2001:db8::fe80:1]',
      'https://fe80.example',
    ],
    ...['http://127.0.0.1:4000', 'http://localhost', 'http://[::1]:4000'],
  ])('may be at %s', (text) => {
    expect([toIssuerUrl(text), parseIssuer(text)]).toEqual([new URL(text), new URL(text)]);
  });

  test.each([
    ...['https://169.254.169.254', 'https://[::ffff:169.254.1.1]', 'https://0.1.2.3', 'https://[::]'],
    ...['https://[fe80::1]', 'https://[fe9a::1]', 'https://[fea0::1]', 'https://[febf::1]', 'http://192.168.1.1'],
    ...['https://i.example/#x', 'https://i.example/?x', 'https://u@i.example', 'https://:p@i.example'],
    ...['ftp://127.0.0.1', 'issuer.example', ''],
  ])('may not be at "%s"', (text) => {
    expect(toIssuerUrl(text)).toBeNull();
    expect(refusalOf(() => parseIssuer(text))).toBe('oidc_not_configured');
  });

  test.each([
    [undefined, true],
    [['none', 'select_account'], true],
    [['none'], false],
    ['select_account', false],
  ])('that lists the prompts %j is asked for a choice of account: %s', (prompts, expected) => {
    expect(asksForAccount(at('https://i.example', { prompt_values_supported: prompts }))).toBe(expected);
  });

  test('gets the secret in the header when it says nothing', () => {
    expect(chooseAuthentication(at('https://i.example'))).toBe('basic');
    const both = { token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'] };
    expect(chooseAuthentication(at('https://i.example', both))).toBe('basic');
    const post = { token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'] };
    expect(chooseAuthentication(at('https://i.example', post))).toBe('post');
    expect(chooseAuthentication(at('https://i.example', { token_endpoint_auth_methods_supported: [] }))).toBeNull();
  });
});

describe('flows', () => {
  const of = { clientId: 'hub', redirectUri: 'https://h.example/x', metadata: { issuer: 'i' }, returnTo: null };

  test('are taken once and by their own state', () => {
    const flows = createOidcFlows(new ManualClock());
    const [first, second] = [flows.begin(of, '::1'), flows.begin(of, '::1')];
    expect(new Set([first.state, first.nonce, first.verifier, second.state, second.nonce, second.verifier]).size).toBe(
      6,
    );
    expect(flows.take('unknown')).toBeNull();
    expect(flows.take(second.state)).toMatchObject({ nonce: second.nonce });
    expect(flows.take(second.state)).toBeNull();
    expect(flows.take(first.state)).toMatchObject({ nonce: first.nonce });
  });

  const mine = '203.0.113.1';

  test('the eleventh of a client ends its first, and no other one', () => {
    const flows = createOidcFlows(new ManualClock());
    const other = flows.begin(of, '2001:db8:1:2::1');
    const begun = Array.from({ length: 11 }, (_, n) => flows.begin(of, `2001:db8:1:3::${n}`));
    expect(begun.map(({ state }) => flows.take(state) !== null)).toEqual([false, ...Array(10).fill(true)]);
    expect(flows.take(other.state)).not.toBeNull();
  });

  test('the 1,001st ends the oldest of the client that has most', () => {
    const flows = createOidcFlows(new ManualClock());
    const early = flows.begin(of, mine);
    const begun = Array.from({ length: 999 }, (_, n) => flows.begin(of, `10.0.0.${n % 200}`));
    const late = flows.begin(of, mine);
    expect([early, late, begun[0], begun[1], begun[998]].map((flow) => flows.take(flow?.state ?? '') !== null)).toEqual(
      [true, true, false, true, true],
    );
  });

  test('an expired flow takes no room', async () => {
    const clock = new ManualClock();
    const flows = createOidcFlows(clock);
    Array.from({ length: 998 }, (_, n) => flows.begin(of, `10.0.${n >> 8}.${n & 255}`));
    clock.skip(300_000);
    const young = [flows.begin(of, mine), flows.begin(of, mine)];
    clock.skip(300_000);
    flows.begin(of, '203.0.113.2');
    expect(young.map(({ state }) => flows.take(state) !== null)).toEqual([true, true]);
  });

  test('when all have the same number, the oldest of all ends; a finished one makes room', () => {
    const flows = createOidcFlows(new ManualClock());
    const begun = Array.from({ length: 1000 }, (_, n) => flows.begin(of, `10.0.${n >> 8}.${n & 255}`));
    expect(flows.take(begun[500]?.state ?? '')).not.toBeNull();
    flows.begin(of, mine);
    flows.begin(of, '203.0.113.2');
    expect(begun.map(({ state }) => flows.take(state) !== null).slice(0, 3)).toEqual([false, true, true]);
  });
});

test.each([
  ['/', '/'],
  ['/devices?x=1#y', '/devices?x=1#y'],
  ['//evil.example', null],
  ['/\\evil.example', null],
  ['/a\\b', null],
  ['/\t/evil.example', null],
  ['https://evil.example', null],
  ['javascript:alert(1)', null],
  [`/${'a'.repeat(511)}`, `/${'a'.repeat(511)}`],
  [`/${'a'.repeat(512)}`, null],
  ['/a b', null],
  ['/\u00e4', null],
  ['/~!', '/~!'],
  ['', null],
  [undefined, null],
])('a path to return to: %j → %j', (given, kept) => {
  expect(localPath(given)).toBe(kept);
});

const claimed = (of: Record<string, unknown>) => Object.assign(new Error('refused'), { code: 'OAUTH_X', cause: of });
const deep = (depth: number, innermost: unknown): unknown =>
  depth === 0 ? innermost : new Error('outer', { cause: deep(depth - 1, innermost) });
const circular = new Error('outer');
circular.cause = circular;

test.each<[string, unknown, string, RegExp]>([
  ['issuer', claimed({ claim: 'iss' }), 'oidc_issuer_mismatch', /another issuer/],
  ['audience', claimed({ claim: 'aud' }), 'oidc_audience', /not meant for this hub/],
  ['authorized party', claimed({ claim: 'azp' }), 'oidc_audience', /not meant for this hub/],
  ['nonce', claimed({ claim: 'nonce' }), 'oidc_nonce_mismatch', /another login/],
  ['no nonce', claimed({ claims: {} }), 'oidc_nonce_mismatch', /another login/],
  ['claims with a nonce', claimed({ claims: { nonce: 'n' } }), 'oidc_token_invalid', /was refused: refused$/],
  ['claims that are null', claimed({ claims: null }), 'oidc_token_invalid', /was refused: refused$/],
  ['claims that are a text', claimed({ claims: 'none' }), 'oidc_token_invalid', /was refused: refused$/],
  ['another claim', claimed({ claim: 'exp' }), 'oidc_token_invalid', /was refused: refused$/],
  ['no token answer', claimed({ code: 'OAUTH_RESPONSE_IS_NOT_JSON' }), 'oidc_exchange_failed', /unexpected answer/],
  ['an error without a code', new Error('secret'), 'oidc_token_invalid', /could not be understood$/],
  ['no error', { code: 'OAUTH_X', message: 'secret' }, 'oidc_token_invalid', /could not be understood$/],
  ['causes in a circle', circular, 'oidc_token_invalid', /could not be understood$/],
  ['our own, 401', deep(9, new AppError('oidc_denied', 'ours')), 'oidc_denied', /^ours$/],
  [
    'our own, 503',
    deep(1, new AppError('oidc_issuer_down', 'ours')),
    'oidc_exchange_failed',
    /^ours: log in again later$/,
  ],
  ['our own, too deep', deep(10, new AppError('oidc_denied', 'ours')), 'oidc_token_invalid', /not be understood$/],
  ['the innermost with a code', Object.assign(claimed({}), { cause: claimed({}) }), 'oidc_token_invalid', /refused$/],
])('a failure of the exchange (%s) is told by %s', (_name, thrown, code, says) => {
  expect(exchangeFailure(thrown)).toMatchObject({ code, message: expect.stringMatching(says) });
});

test('whatever the library throws becomes a 401 that shows no claim', () => {
  const anything = fc.anything({ withNullPrototype: true });
  fc.assert(
    fc.property(anything, fc.constantFrom('iss', 'aud', 'azp', 'nonce', 'exp', 'x'), (thrown, claim) => {
      const secret = 'olive@example.com';
      const nested = Object.assign(new Error('refused'), { code: 'OAUTH_X', cause: { claim, claims: { secret } } });
      for (const one of [thrown, nested, new Error(secret, { cause: thrown })]) {
        const failure = exchangeFailure(one);
        expect(failure.status).toBe(401);
        expect(failure.message).not.toContain(secret);
        expect(failure.cause).toBeUndefined();
      }
    }),
    { numRuns: 2000 },
  );
});

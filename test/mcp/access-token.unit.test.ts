// Tokens no honest issuer would sign, and key sets and metadata no honest issuer would serve.
import { generateKeyPairSync } from 'node:crypto';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import { verifyAccessToken } from '#mcp/oauth/access-token.ts';
import { discoveryAddresses, keysAddress, signingKeys } from '#mcp/oauth/issuer-metadata.ts';
import type { OAuthSettings } from '#mcp/oauth/settings.ts';
import { newKey } from '../support/stub-issuer.ts';
import { verifies } from '../support/verifies.ts';

const settings: OAuthSettings = {
  issuer: 'https://issuer.example/realm',
  compatibility: 'strict',
  resource: 'https://mcp.example/mcp',
  readScope: 'net:read',
  writeScope: 'notes:write',
};
const now = 1_790_000_000;
const clock = { ...systemClock, now: () => now * 1000 };

let key: Awaited<ReturnType<typeof newKey>>;
let other: Awaited<ReturnType<typeof newKey>>;

beforeAll(async () => {
  key = await newKey();
  other = await newKey();
});

const good: JWTPayload = {
  iss: settings.issuer,
  aud: settings.resource,
  sub: 'user-1',
  client_id: 'assistant',
  scope: 'net:read notes:write',
  iat: now,
  exp: now + 600,
};

const sign = (change: Record<string, unknown> = {}, header: Record<string, unknown> = {}, signer = key) =>
  new SignJWT(JSON.parse(JSON.stringify({ ...good, ...change })) as JWTPayload)
    .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header })
    .sign(signer.privateKey);

const verify = (token: string, by = settings, publicKey = key.publicKey) =>
  verifyAccessToken(token, { key: async () => publicKey }, by, clock, new AbortController().signal);

describe('what is believed', () => {
  test('subject, client and scopes', async () => {
    const believed = { subject: 'user-1', client: 'assistant', scopes: new Set(['net:read', 'notes:write']) };
    expect(await verify(await sign())).toEqual(believed);
    expect(await verify(await sign({ aud: [settings.resource] }))).toEqual(believed);
    expect(await verify(await sign({ client_id: undefined, azp: 'assistant' }))).toEqual(believed);
    expect(await verify(await sign({ scope: undefined, scp: ['net:read', 'notes:write'] }))).toEqual(believed);
    expect(await verify(await sign({}, { typ: 'at+jwt' }))).toEqual(believed);
    expect(await verify(await sign({ iat: undefined }))).toEqual(believed);
  });

  test('clocks may differ by 30 seconds', async () => {
    await expect(verify(await sign({ exp: now - 29 }))).resolves.toBeDefined();
    await expect(verify(await sign({ nbf: now + 29, iat: now + 29 }))).resolves.toBeDefined();
  });
});

describe('what is not', () => {
  const claims: [string, Record<string, unknown>][] = [
    ['another issuer', { iss: 'https://issuer.example' }],
    ['the issuer with a slash', { iss: `${settings.issuer}/` }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'https://mcp.example/' }],
    ['an ID token, which is for the client', { aud: 'assistant', client_id: undefined, azp: 'assistant', nonce: 'n' }],
    ['two audiences, ours among them', { aud: [settings.resource, 'https://other.example'] }],
    ['our audience twice', { aud: [settings.resource, settings.resource] }],
    ['no audience', { aud: undefined }],
    ['an empty list of audiences', { aud: [] }],
    ['expired', { exp: now - 31 }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is text', { exp: String(now + 600) }],
    ['not valid yet', { nbf: now + 31 }],
    ['issued in the future', { iat: now + 31 }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['no client', { client_id: undefined }],
    ['a client that is no text', { client_id: 7 }],
  ];
  verifies('mcp.oauth.issuer-mismatch mcp.oauth.audience mcp.oauth.expired', 'wrong claims', async () => {
    for (const [what, change] of claims) {
      await expect(verify(await sign(change)), what).rejects.toThrow();
    }
  });

  verifies('mcp.oauth.cloud-idp-checks', 'cloud_idp forgives none of them', async () => {
    for (const [what, change] of claims) {
      await expect(verify(await sign(change), { ...settings, compatibility: 'cloud_idp' }), what).rejects.toThrow();
    }
  });

  verifies('mcp.oauth.rs256', 'wrong signatures', async () => {
    const [header = '', payload = '', signature = ''] = (await sign()).split('.');
    const forged = Buffer.from(JSON.stringify({ ...good, sub: 'admin' })).toString('base64url');
    const symmetric = await new SignJWT(good)
      .setProtectedHeader({ alg: 'HS256', kid: key.kid })
      .sign(new TextEncoder().encode(JSON.stringify(key.jwk)));
    for (const token of [
      await sign({}, {}, other),
      await sign({}, { jwk: other.jwk, jku: 'https://evil.example/jwks', x5u: 'https://evil.example/x5u' }, other),
      `${header}.${forged}.${signature}`,
      `${header}.${payload}.`,
      new UnsecuredJWT(good).encode(),
      symmetric,
      await sign({}, { kid: undefined }),
      `${header}.${payload}`,
      `${header}.${payload}.${signature}.x`,
      'not a token',
      '',
      await sign({ filler: 'x'.repeat(16_384) }),
    ]) {
      await expect(verify(token), token.slice(0, 60)).rejects.toThrow();
    }
  });

  verifies('mcp.oauth.rs256', 'another algorithm, by the right key, which would do for all of them', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const signedBy = async (alg: string) => {
      const token = await new SignJWT(good).setProtectedHeader({ alg, kid: key.kid }).sign(privateKey);
      return verify(token, settings, publicKey as never);
    };
    await expect(signedBy('RS256')).resolves.toMatchObject({ subject: 'user-1' });
    for (const alg of ['RS384', 'RS512', 'PS256', 'PS512']) {
      await expect(signedBy(alg), alg).rejects.toThrow();
    }
  });
});

describe('metadata of the issuer', () => {
  const document = {
    issuer: settings.issuer,
    jwks_uri: 'https://issuer.example/keys',
    code_challenge_methods_supported: ['plain', 'S256'],
  };
  const cloud: OAuthSettings = { ...settings, compatibility: 'cloud_idp' };
  const { code_challenge_methods_supported: _, ...silent } = document;

  test('is looked for where OpenID Connect and RFC 8414 put it', () => {
    expect(discoveryAddresses(settings.issuer)).toEqual([
      'https://issuer.example/realm/.well-known/openid-configuration',
      'https://issuer.example/.well-known/oauth-authorization-server/realm',
    ]);
    expect(discoveryAddresses('https://issuer.example')[0]).toBe(
      'https://issuer.example/.well-known/openid-configuration',
    );
  });

  verifies('mcp.oauth.pkce mcp.oauth.strict', 'must promise PKCE with S256', () => {
    expect(keysAddress(document, settings)).toBe('https://issuer.example/keys');
    for (const methods of [undefined, null, [], ['plain'], ['s256'], 'S256']) {
      expect(() => keysAddress({ ...document, code_challenge_methods_supported: methods }, settings)).toThrow();
    }
  });

  verifies(
    'mcp.oauth.cloud-idp-omitted mcp.oauth.cloud-idp-contradiction',
    'under cloud_idp it may say nothing of PKCE, but not something else',
    () => {
      expect(() => keysAddress(silent, settings)).toThrow(/PKCE/);
      expect(keysAddress(silent, cloud)).toBe('https://issuer.example/keys');
      expect(keysAddress(document, cloud)).toBe('https://issuer.example/keys');
      for (const methods of [null, [], ['plain'], ['s256'], 'S256']) {
        expect(() => keysAddress({ ...document, code_challenge_methods_supported: methods }, cloud)).toThrow();
      }
    },
  );

  verifies('mcp.oauth.cloud-idp-checks', 'must be that of the issuer, with keys at home, under both profiles', () => {
    for (const by of [settings, cloud]) {
      for (const change of [
        { issuer: 'https://issuer.example' },
        { issuer: `${settings.issuer}/` },
        { jwks_uri: 'https://keys.example/keys' },
        { jwks_uri: 'http://issuer.example/keys' },
        { jwks_uri: 'keys' },
        { jwks_uri: undefined },
      ]) {
        expect(() => keysAddress({ ...document, ...change }, by), JSON.stringify(change)).toThrow();
      }
      expect(() => keysAddress('<!doctype html>', by)).toThrow();
      expect(() => keysAddress(null, by)).toThrow();
    }
  });

  test('only RSA keys for RS256 signatures with an id are used, and at most a hundred are looked at', () => {
    const usable = { kty: 'RSA', kid: 'a', n: 'AQ', e: 'AQAB' };
    const ids = (keys: unknown[]) => [...signingKeys({ keys }).keys()];
    expect(ids([usable, { ...usable, kid: 'b', use: 'sig', alg: 'RS256' }])).toEqual(['a', 'b']);
    expect(
      ids([
        { ...usable, use: 'enc' },
        { ...usable, alg: 'RS512' },
        { ...usable, kid: undefined },
        { ...usable, kid: '' },
        { kty: 'oct', kid: 'a', k: 'c2VjcmV0' },
        { kty: 'EC', kid: 'a', crv: 'P-256', x: 'AQ', y: 'AQ' },
        null,
        'key',
      ]),
    ).toEqual([]);
    expect(() => ids(Array.from({ length: 101 }, (_, at) => ({ ...usable, kid: String(at) })))).toThrow();
    expect(() => signingKeys({})).toThrow();
  });
});

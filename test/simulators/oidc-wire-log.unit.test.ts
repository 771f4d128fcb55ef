// What the simulated issuer writes down of each request: parameters that are no secret, of the others whether they came.
import type { KoaContextWithOIDC } from 'oidc-provider';
import { expect, test } from 'vitest';
import { createWireLog } from '#simulators/oidc/wire-log.ts';

/** What the log of the wire notes of a request. */
async function noted(request: object, next = async () => {}, notes: unknown[] = []): Promise<unknown[]> {
  const { headers = {}, location = '', ...rest } = request as { headers?: Record<string, string>; location?: string };
  const ctx = {
    ...{ method: 'GET', query: {}, status: 200, body: null, get: (name: string) => headers[name] ?? '' },
    ...{ response: { get: () => location }, ...rest },
  };
  await createWireLog((kind, details) => notes.push({ kind, ...details }))(ctx as unknown as KoaContextWithOIDC, next);
  return notes;
}

const long = 'x'.repeat(40);
const nobody = { client: null, clientAuthentication: 'none' };
const nothingAsked = {
  ...{ client: null, redirectUri: null, responseType: null, scope: null, resource: null, prompt: null },
  ...{ codeChallengeMethod: null, codeChallenge: false, state: false, nonce: false },
};
const nothingSent = {
  ...{ grantType: null, redirectUri: null, scope: null, resource: null },
  ...{ code: false, codeVerifier: false, refreshToken: false },
};
const answered = { kind: 'authorization-answer', client: null, user: null };

test.each<[request: object, notes: unknown[]]>([
  [{ path: '/elsewhere' }, []],
  [{ path: '/.well-known/x', status: 404 }, [{ kind: 'discovery', document: 'x', status: 404 }]],
  [{ path: '/jwks', status: 503 }, [{ kind: 'jwks', status: 503 }]],
  [{ path: '/me', status: 401 }, [{ kind: 'userinfo', status: 401 }]],
  [{ path: '/auth', oidc: { body: { client_id: 'x' } } }, [{ kind: 'authorization', ...nothingAsked, status: 200 }]],
  [
    {
      path: '/auth',
      method: 'POST',
      query: { client_id: 'x' },
      oidc: { body: { client_id: 'y', state: '', nonce: 'n' } },
    },
    [{ kind: 'authorization', ...nothingAsked, client: 'y', nonce: true, status: 200 }],
  ],
  [
    {
      path: '/auth',
      query: { scope: `a ${long} b`, resource: ['r', `${long}.y`], prompt: `${'a '.repeat(300)}`, state: 's' },
    },
    [
      {
        ...{
          kind: 'authorization',
          ...nothingAsked,
          scope: 'a *** b',
          resource: ['r', '***'],
          state: true,
          status: 200,
        },
        prompt: 'a '.repeat(250),
      },
    ],
  ],
  [
    { path: '/token', status: 400, body: { error: 'e' } },
    [{ kind: 'token', ...nobody, ...nothingSent, status: 400, error: 'e' }],
  ],
  [
    {
      path: '/token',
      headers: { authorization: 'Basic x' },
      oidc: { body: { client_id: 'x', client_secret: 's' }, client: { clientId: 'y' } },
    },
    [{ kind: 'token', ...nothingSent, client: 'y', clientAuthentication: 'basic', status: 200, error: null }],
  ],
  [
    {
      path: '/token',
      headers: { authorization: 'Bearer x' },
      oidc: { body: { client_id: 'x', client_secret: 's', code: 'c' } },
    },
    [
      {
        kind: 'token',
        ...nothingSent,
        client: 'x',
        clientAuthentication: 'post',
        code: true,
        status: 200,
        error: null,
      },
    ],
  ],
  [
    { path: '/token/revocation', body: 'text', oidc: { body: { token: '', token_type_hint: 'h' } } },
    [{ kind: 'revocation', ...nobody, hint: 'h', token: true, status: 200, error: null }],
  ],
  [{ path: '/x', location: 'http://a/?code=1' }, [{ ...answered, code: true, error: null }]],
  [{ path: '/x', location: 'http://a/?error=e' }, [{ ...answered, code: false, error: 'e' }]],
  [{ path: '/x', location: 'http://a/?state=1' }, []],
  [
    { path: '/x', location: 'http://a/?code=1', oidc: { client: { clientId: 'c' }, session: { accountId: 'u' } } },
    [{ ...answered, client: 'c', user: 'u', code: true, error: null }],
  ],
])('of the request %j is noted what is no secret', async (request, notes) => {
  expect(await noted(request)).toEqual(notes);
});

test('a request that fails is noted too', async () => {
  const failing = async () => {
    throw new Error('inside');
  };
  const notes: unknown[] = [];
  await expect(noted({ path: '/jwks', status: 500 }, failing, notes)).rejects.toThrow('inside');
  expect(notes).toEqual([{ kind: 'jwks', status: 500 }]);
});

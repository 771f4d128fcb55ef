// An issuer of 100 lines whose every answer a test can replace: for ID tokens no honest provider would sign.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'] | Uint8Array;

export interface StubIssuer extends AsyncDisposable {
  readonly issuer: string;
  /** Path of each request, in order. */
  readonly asked: string[];
  /** The body of the last token request. */
  readonly form: () => URLSearchParams;
  /** Headers of the last token request. */
  readonly tokenHeaders: () => IncomingMessage['headers'];
  /** Members laid over the discovery document; undefined removes one. */
  metadata: Record<string, unknown>;
  /** Claims laid over those of the ID token. */
  claims: Record<string, unknown>;
  userinfo: Record<string, unknown>;
  /** Takes the place of an answer by path; null lets the stub answer. */
  answer: (path: string, response: ServerResponse) => true | null;
  /** Makes the ID token; RS256 with the current key when not replaced. */
  sign: (claims: JWTPayload) => Promise<string>;
  /** A new key; the old one leaves `jwks_uri`. */
  rotate(): Promise<void>;
  publicJwk(): JWK;
  /** Code, state and `iss` as the redirect would carry them. */
  approve(location: string): URL;
}

export interface StubOptions {
  /** Epoch milliseconds by which tokens are stamped. */
  now: () => number;
  clientId: string;
}

export const stubPerson = { sub: 'sub-1', email: 'olive@example.com', email_verified: true };

export async function startStubIssuer({ now, clientId }: StubOptions): Promise<StubIssuer> {
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let key = await newKey();
  let nonce = '';
  let form = new URLSearchParams();
  let tokenHeaders: IncomingMessage['headers'] = {};
  const stub: StubIssuer = {
    issuer,
    asked: [],
    form: () => form,
    tokenHeaders: () => tokenHeaders,
    metadata: {},
    claims: {},
    userinfo: {},
    answer: () => null,
    sign: (claims) => signWith(claims, key.privateKey, { alg: 'RS256', kid: key.kid }),
    async rotate() {
      key = await newKey();
    },
    publicJwk: () => key.jwk,
    approve(location) {
      const asked = new URL(location).searchParams;
      nonce = asked.get('nonce') ?? '';
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code: 'code-1', state: asked.get('state') ?? '', iss: issuer }).toString();
      return back;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    stub.asked.push(path);
    const body = await read(request);
    if (stub.answer(path, response)) {
      return;
    }
    response.setHeader('content-type', 'application/json');
    const at = Math.floor(now() / 1000);
    switch (path) {
      case '/.well-known/openid-configuration':
        response.end(JSON.stringify({ ...createDiscovery(issuer), ...stub.metadata }));
        return;
      case '/jwks':
        response.end(JSON.stringify({ keys: [key.jwk] }));
        return;
      case '/me':
        response.end(JSON.stringify(stub.userinfo));
        return;
      case '/token': {
        form = new URLSearchParams(body);
        tokenHeaders = request.headers;
        const claims = { ...stubPerson, iss: issuer, aud: clientId, iat: at, exp: at + 300, nonce, ...stub.claims };
        const idToken = await stub.sign(JSON.parse(JSON.stringify(claims)));
        response.end(JSON.stringify({ access_token: 'access-1', token_type: 'Bearer', id_token: idToken }));
        return;
      }
      default:
        response.writeHead(404).end('{}');
    }
  }
  return stub;
}

/** Signs claims with any key and header. */
export function signWith(claims: JWTPayload, key: Key, header: { alg: string; kid?: string }): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ typ: 'JWT', ...header }).sign(key);
}

export async function newKey(alg = 'RS256') {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const kid = crypto.randomUUID();
  return { privateKey, publicKey, kid, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } satisfies JWK };
}

function createDiscovery(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/me`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
  }
  return text;
}

// An OAuth client like those of MCP clients: code flow with PKCE S256 and `resource` (RFC 8707), refresh, revocation.

import * as oidc from 'openid-client';
import { Agent, type Dispatcher, type RequestInit, fetch as undiciFetch } from 'undici';
import { toErrorKind } from '../check.ts';
import { GateError, readPrivateFile } from '../private-file.ts';
import { trustedCa } from '../target.ts';
import { authorizeByPerson, authorizeByRedirects, openCallback } from './authorization.ts';
import type { CollectContext } from './collector.ts';

export interface Tokens {
  accessToken: string;
  refreshToken: string | undefined;
}

export type GrantOutcome =
  | { state: 'accepted'; tokens: Tokens }
  /** OAuth error `invalid_grant` (RFC 6749 §5.2): the grant is not valid. */
  | { state: 'rejected' }
  /** Any other error; it proves nothing about the grant. */
  | { state: 'unclear'; because: string };

export interface OAuthClient extends AsyncDisposable {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Signs in, in a person's browser or by following redirects; `port` defaults to that of the options. */
  login(scopes: readonly string[], redirectPort?: number): Promise<Tokens>;
  /** Signs in and redeems the code with a wrong verifier (RFC 7636 §4.6). */
  redeemWithWrongVerifier(scopes: readonly string[]): Promise<GrantOutcome>;
  /** Signs in and redeems the code with another callback (RFC 6749 §4.1.3). */
  redeemForOtherCallback(scopes: readonly string[]): Promise<GrantOutcome>;
  refresh(refreshToken: string): Promise<GrantOutcome>;
  /** RFC 7009. */
  revoke(refreshToken: string): Promise<void>;
  keys(): Promise<unknown>;
}

/** Discovers the issuer. Rejects with a GateError that names what is missing. */
export async function openOAuthClient(context: CollectContext): Promise<OAuthClient> {
  const { config, options, ca } = context;
  const dispatcher = new Agent({ connect: trustedCa(ca) });
  const fetchWithCa = createFetch(dispatcher, config.MCP_GATE_TIMEOUT_MS, context.signal);
  const clientId = typeof options['client-id'] === 'string' ? options['client-id'] : 'gatehouse-mcp';
  const secretFile = options['client-secret-file'];
  const secret = typeof secretFile === 'string' ? readPrivateFile(secretFile, 'the client secret').trim() : undefined;
  const authentication = secret === undefined ? oidc.None() : oidc.ClientSecretBasic(secret);
  const discover = (algorithm: 'oidc' | 'oauth2') =>
    oidc.discovery(new URL(config.MCP_GATE_ISSUER), clientId, undefined, authentication, {
      algorithm,
      [oidc.customFetch]: fetchWithCa,
    });
  const found = await explainFailure(
    `${config.MCP_GATE_ISSUER} has no discovery document`,
    'compare MCP_GATE_ISSUER with the address of the issuer, and MCP_GATE_CA_PATH with its certificate',
    // As the probes do (probes/issuer-discovery.ts): OpenID Connect discovery, else RFC 8414.
    discover('oidc').catch(() => discover('oauth2')),
  );
  const metadata = found.serverMetadata() as unknown as Readonly<Record<string, unknown>>;
  const resource = { resource: config.MCP_GATE_RESOURCE };
  /** Runs the browser part: returns the callback and the values that belong to it. */
  const authorize = async (scopes: readonly string[], redirectPort: number) => {
    await using callback = await openCallback(redirectPort);
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    const expectedState = oidc.randomState();
    const url = oidc.buildAuthorizationUrl(found, {
      redirect_uri: callback.uri,
      scope: scopes.join(' '),
      state: expectedState,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
      ...resource,
    });
    const answer = options.automatic
      ? await authorizeByRedirects(url, callback.uri, fetchWithCa)
      : await authorizeByPerson(url, callback, context);
    return { answer, checks: { pkceCodeVerifier, expectedState } };
  };
  return {
    metadata,
    async login(scopes, redirectPort = parseCallbackPort(options)) {
      const { answer, checks } = await authorize(scopes, redirectPort);
      const tokens = await explainFailure(
        'the issuer refused the sign-in',
        `register the client ${clientId} for the code flow, these scopes and this resource (docs/gate.md, section 3)`,
        oidc.authorizationCodeGrant(found, answer, checks, resource),
      );
      return toTokens(tokens);
    },
    async redeemWithWrongVerifier(scopes) {
      const { answer, checks } = await authorize(scopes, parseCallbackPort(options));
      const wrong = { ...checks, pkceCodeVerifier: oidc.randomPKCECodeVerifier() };
      return tryGrant(() => oidc.authorizationCodeGrant(found, answer, wrong, resource));
    },
    async redeemForOtherCallback(scopes) {
      const { answer, checks } = await authorize(scopes, parseCallbackPort(options));
      const elsewhere = new URL(`/elsewhere${answer.search}`, answer);
      return tryGrant(() => oidc.authorizationCodeGrant(found, elsewhere, checks, resource));
    },
    refresh: (refreshToken) => tryGrant(() => oidc.refreshTokenGrant(found, refreshToken, resource)),
    async revoke(refreshToken) {
      if (typeof metadata.revocation_endpoint !== 'string') {
        throw new GateError('the issuer names no revocation endpoint (RFC 7009): revocation cannot be shown');
      }
      await explainFailure(
        'the issuer refused to revoke a refresh token',
        `let the client ${clientId} use the revocation endpoint (RFC 7009)`,
        oidc.tokenRevocation(found, refreshToken, { token_type_hint: 'refresh_token' }),
      );
    },
    async keys() {
      const response = await fetchWithCa(String(metadata.jwks_uri), { method: 'GET' });
      return response.status === 200 ? response.json() : undefined;
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

async function tryGrant(grant: () => Promise<oidc.TokenEndpointResponse>): Promise<GrantOutcome> {
  try {
    return { state: 'accepted', tokens: toTokens(await grant()) };
  } catch (error) {
    const isAnswer = error instanceof oidc.ResponseBodyError;
    return isAnswer && error.error === 'invalid_grant' && error.status === 400
      ? { state: 'rejected' }
      : { state: 'unclear', because: isAnswer ? `${error.status} ${toErrorCode(error.error)}` : 'no answer' };
  }
}

/** Awaits `work`. When it fails, rejects with a GateError that says what failed, the code of the error, and what to do. */
async function explainFailure<T>(what: string, toDo: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const { error } = cause as { error?: unknown };
    const code = typeof error === 'string' ? toErrorCode(error) : toErrorKind(cause);
    throw new GateError(`${what} (${code}): ${toDo}`, { cause });
  }
}

type Fetch = (url: string, init: { method?: string; body?: unknown; headers?: unknown }) => Promise<Response>;

/** A platform-compatible fetch over the dispatcher; it follows no redirects. */
function createFetch(dispatcher: Dispatcher, timeoutMs: number, stop: AbortSignal): Fetch {
  return (url, init) => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
    const ours = { ...init, redirect: 'manual', dispatcher, signal } as RequestInit;
    return undiciFetch(url, ours) as unknown as Promise<Response>;
  };
}

function toTokens({ access_token: accessToken, refresh_token: refreshToken }: oidc.TokenEndpointResponse): Tokens {
  return { accessToken, refreshToken };
}

/** The OAuth error code, or a fixed text: a server may send anything. */
function toErrorCode(code: string): string {
  return /^[a-z_]{3,40}$/.test(code) ? code : 'an unknown error';
}

/** With a fixed callback, no other is registered. */
function parseCallbackPort({
  'fixed-callback-port': fixed,
  'callback-port': usual = '0',
}: CollectContext['options']): number {
  const port = String(fixed ?? usual);
  const value = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (!(value <= 65_535)) {
    throw new GateError(`--${fixed === undefined ? '' : 'fixed-'}callback-port must be a port number`);
  }
  return value;
}

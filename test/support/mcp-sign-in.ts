// The official clients signing in at the simulated issuer: they find it themselves; only the browser is ours.
import {
  Client as NextClient,
  StreamableHTTPClientTransport as NextHttp,
  UnauthorizedError as NextUnauthorized,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as FirstUnauthorized } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { mcpClientId } from '#simulators/oidc/clients.ts';
import { createBrowser } from './issuer-client.ts';
import type { ToolResult } from './mcp-clients.ts';

const redirectUri = 'http://127.0.0.1:53211/callback';

/** What an application keeps of its sign-in. */
function createProvider() {
  const kept: { verifier: string; tokens: Record<string, unknown> | undefined; sentTo: URL | undefined } = {
    verifier: '',
    tokens: undefined,
    sentTo: undefined,
  };
  return {
    kept,
    redirectUrl: redirectUri,
    clientMetadata: { client_name: 'test', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
    clientInformation: () => ({ client_id: mcpClientId }),
    tokens: () => kept.tokens as never,
    saveTokens: (tokens: object) => {
      kept.tokens = { ...tokens };
    },
    redirectToAuthorization: (url: URL) => {
      kept.sentTo = url;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
  };
}

export interface SignedIn extends AsyncDisposable {
  list(): Promise<string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
  /** Calls a tool that the token is not good for, signs in again as the client is told, and connects anew. */
  stepUp(name: string, args: Record<string, unknown>): Promise<void>;
  /** Address of the last authorization request it made. */
  readonly authorization: URL;
}

/** Connects, is refused, signs in through a browser, and connects again. */
export async function signIn(kind: 'v1' | 'v2 legacy' | 'v2 modern', url: URL): Promise<SignedIn> {
  const provider = createProvider();
  const begin = () => {
    if (kind === 'v1') {
      const transport = new FirstHttp(url, { authProvider: provider });
      const client = new FirstClient({ name: 'test', version: '1' });
      return { transport, client, connect: () => client.connect(transport as Parameters<typeof client.connect>[0]) };
    }
    const transport = new NextHttp(url, { authProvider: provider });
    const mode = kind === 'v2 modern' ? { pin: '2026-07-28' } : 'legacy';
    const client = new NextClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    return { transport, client, connect: () => client.connect(transport) };
  };
  let session = begin();
  /** Does what is refused, and what the client then wants of its browser. */
  const authorize = async (refused: Promise<unknown>) => {
    const error = await refused.then(
      () => new Error('nothing was refused'),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof FirstUnauthorized || error instanceof NextUnauthorized)) {
      throw error;
    }
    const page = await createBrowser().open(sentTo(), redirectUri);
    const { searchParams } = page.url;
    await session.transport.finishAuth(kind === 'v1' ? (searchParams.get('code') ?? '') : (searchParams as never));
    await session.client.close();
    session = begin();
    await session.connect();
  };
  const sentTo = () => {
    if (!provider.kept.sentTo) {
      throw new Error('the client did not find where to sign in');
    }
    return provider.kept.sentTo;
  };
  await authorize(session.connect());
  return {
    get authorization() {
      return sentTo();
    },
    stepUp: (name, args) => authorize(session.client.callTool({ name, arguments: args })),
    list: async () => (await session.client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => (await session.client.callTool({ name, arguments: args })) as ToolResult,
    [Symbol.asyncDispose]: () => session.client.close(),
  };
}

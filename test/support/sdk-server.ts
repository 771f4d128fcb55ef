// An MCP server that is not ours: the official TypeScript SDK with its own OAuth middleware, as its examples put it together.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { close, listen } from '#kernel/http/listening.ts';

export interface SdkServerOptions {
  /** The address that is to be published. */
  resource: string;
  issuer: string;
  /** PEM of the CA of the issuer. */
  ca: string;
  scope: string;
  /** Each client has a session of its own, as in most examples of the SDK. */
  isStateful: boolean;
  /** False: any token of the issuer is taken, the commonest mistake. */
  checksAudience: boolean;
  /** True: a client that ends its session gets no answer. */
  holdsDelete?: boolean;
}

export interface SdkServer extends AsyncDisposable {
  readonly url: URL;
  /** Names of the tools that were called. */
  readonly called: string[];
  /** Ids of the sessions that clients opened, and of those that they ended. */
  readonly opened: string[];
  readonly ended: string[];
  /** Ids of the sessions whose end `holdsDelete` does not answer. */
  readonly asked: string[];
}

export async function startSdkServer(options: SdkServerOptions): Promise<SdkServer> {
  const { resource, issuer, scope, isStateful } = options;
  const resourceServerUrl = new URL(resource);
  const metadata = await readIssuer(options);
  const keys = createLocalJWKSet(metadata.keys);
  const called: string[] = [];
  const app = createMcpExpressApp({ host: '0.0.0.0', allowedHosts: [resourceServerUrl.hostname] });
  app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata.document, resourceServerUrl, scopesSupported: [scope] }));
  const verifyAccessToken = async (token: string) => {
    const audience = options.checksAudience ? { audience: resource } : {};
    const { payload } = await jwtVerify(token, keys, { issuer, algorithms: ['RS256'], ...audience }).catch((cause) => {
      throw new InvalidTokenError(String(cause));
    });
    return {
      token,
      clientId: String(payload.client_id),
      scopes: String(payload.scope).split(' '),
      expiresAt: payload.exp ?? 0,
    };
  };
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceServerUrl);
  app.use('/mcp', requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes: [scope], resourceMetadataUrl }));
  const opened: string[] = [];
  const ended: string[] = [];
  const asked: string[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  app.post('/mcp', async (request, response) => {
    let transport = sessions.get(String(request.headers['mcp-session-id']));
    if (!transport) {
      const created = new StreamableHTTPServerTransport({
        ...(isStateful ? { sessionIdGenerator: () => randomUUID() } : {}),
        onsessioninitialized(id) {
          sessions.set(id, created);
          opened.push(id);
        },
        onsessionclosed: (id) => void ended.push(id),
      });
      transport = created;
      await createTools(called).connect(transport);
    }
    await transport.handleRequest(request, response, request.body);
  });
  app.delete('/mcp', async (request, response) => {
    if (options.holdsDelete) {
      asked.push(String(request.headers['mcp-session-id']));
      return;
    }
    const transport = sessions.get(String(request.headers['mcp-session-id']));
    await (transport ? transport.handleRequest(request, response) : response.sendStatus(404));
  });
  const server = createServer(app);
  const url = new URL(`http://${await listen(server)}/mcp`);
  return { url, called, opened, ended, asked, [Symbol.asyncDispose]: () => close(server) };
}

/** The tool that writes comes first: whoever calls just any tool calls that one. */
function createTools(called: string[]): McpServer {
  const server = new McpServer({ name: 'bookshop', version: '3.1.4' });
  const answer = (name: string) => () => {
    called.push(name);
    return { content: [{ type: 'text' as const, text: 'three books' }] };
  };
  server.registerTool('order_books', { description: 'Orders all of them.' }, answer('order_books'));
  const search = { annotations: { readOnlyHint: true }, inputSchema: { title: z.string() } };
  server.registerTool('search_books', search, answer('search_books'));
  server.registerTool('list_books', { annotations: { readOnlyHint: true } }, answer('list_books'));
  return server;
}

async function readIssuer({ issuer, ca }: SdkServerOptions) {
  await using opened = new AsyncDisposableStack();
  const dispatcher = opened.adopt(new Agent({ connect: { ca } }), (agent) => agent.close());
  const read = async (url: string) => (await fetch(url, { dispatcher })).json();
  const document = (await read(`${issuer}/.well-known/openid-configuration`)) as Parameters<
    typeof mcpAuthMetadataRouter
  >[0]['oauthMetadata'];
  const keys = (await read(String(document.jwks_uri))) as JSONWebKeySet;
  return { document, keys };
}

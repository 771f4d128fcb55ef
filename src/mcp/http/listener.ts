// The HTTP server of the MCP endpoint. It sets request ids and client addresses, and hands requests to /mcp over.
import type { ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { limits } from '#contract/limits.ts';
import { answerBrokenSocket, headersWithin } from '#kernel/http/broken-socket.ts';
import { acceptRequestId } from '#kernel/http/request-id.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { type HttpSettings, mcpPath } from '../settings.ts';
import { commonHeaders, sendRefusal } from './answer.ts';
import { type Exchange, openExchange } from './exchange.ts';
import { refuse } from './refusal.ts';

export interface ListenerOptions {
  settings: Pick<HttpSettings, 'bind' | 'port' | 'trustProxy' | 'requestTimeoutMs'>;
  clock: Clock;
  log: Log;
  /** Answers a request to /mcp. Its connection is closed when this rejects. */
  serve(exchange: Exchange, raw: ServerResponse): Promise<void>;
  /** Called after a 404; `address` is that of the client. */
  notFound(requestId: string, address: string): void;
  /** JSON documents by path. */
  documents: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** Disposal refuses new connections and waits for the running requests. */
export interface Listener extends AsyncDisposable {
  /** Ends with `/mcp`. */
  readonly url: URL;
  /** Closes every connection, also those with a running request. */
  closeConnections(): void;
}

export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { settings, clock, log } = options;
  const app: FastifyInstance = Fastify({
    logger: false,
    genReqId: acceptRequestId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    routerOptions: { ignoreTrailingSlash: true },
    clientErrorHandler: answerBrokenSocket(({ code, message }, requestId) => ({ error: code, message, requestId })),
    // The largest access token and the other headers must fit.
    http: {
      maxHeaderSize: 2 * limits.mcpJwtBytes,
      ...headersWithin(Math.min(limits.headersMs, settings.requestTimeoutMs)),
    },
    // Routes a path that cannot be decoded as an unknown one: `request` here ignores `trustProxy`, so its `ip` may be wrong.
    frameworkErrors: (_, { raw }, reply) => app.routing(Object.assign(raw, { url: '/' }), reply.raw),
    forceCloseConnections: 'idle',
    // The deadline of the exchange passes first: it answers with 504 and an audit row.
    requestTimeout: settings.requestTimeoutMs + 5000,
  });
  // Every request is hijacked before Fastify reads a body.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) {
      reply.hijack();
      sendRefusal(reply.raw, refuse.notFound(), request.id);
      options.notFound(request.id, request.ip);
    }
  });
  app.setNotFoundHandler(async () => undefined);
  app.route({
    method: app.supportedMethods,
    url: mcpPath,
    onRequest: async (request, reply) => {
      reply.hijack();
      const { id: requestId, ip: address, raw: incoming } = request;
      const exchange = openExchange({ requestId, address, incoming, clock, deadlineMs: settings.requestTimeoutMs });
      options.serve(exchange, reply.raw).catch((error: unknown) => {
        log.error({ requestId, kind: error instanceof Error ? error.name : typeof error }, 'an answer failed');
        reply.raw.destroy();
      });
    },
    handler: async () => undefined,
  });
  for (const [path, document] of options.documents) {
    serveDocument(app, path, JSON.stringify(document));
  }
  await app.listen({ host: settings.bind, port: settings.port });
  return {
    url: listeningUrl(app),
    closeConnections: () => app.server.closeAllConnections(),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

/** Serves a public document. Pages of any origin may read it, so that clients in browsers can discover the endpoint. */
function serveDocument(app: FastifyInstance, path: string, json: string): void {
  app.route({
    method: app.supportedMethods,
    url: path.replaceAll(':', '::'),
    onRequest: async (request, reply) => {
      reply.hijack();
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        sendRefusal(reply.raw, { ...refuse.method(), headers: { Allow: 'GET, HEAD' } }, request.id);
        return;
      }
      reply.raw.writeHead(200, {
        ...commonHeaders(request.id),
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(json),
        'Access-Control-Allow-Origin': '*',
      });
      reply.raw.end(request.method === 'HEAD' ? undefined : json);
    },
    handler: async () => undefined,
  });
}

function listeningUrl(app: FastifyInstance): URL {
  const address = app.server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the endpoint has no address: it is not listening');
  }
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return new URL(`http://${host}:${address.port}${mcpPath}`);
}

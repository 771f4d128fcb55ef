// The HTTP server of the endpoint: paths, request ids, client addresses. The steps handle requests to /mcp.
import type { ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { limits } from '#contract/limits.ts';
import { answerBrokenSocket, headersWithin } from '#kernel/http/broken-socket.ts';
import { acceptRequestId } from '#kernel/http/request-id.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { type HttpSettings, mcpPath } from '../settings.ts';
import { commonHeaders, sendRefusal } from './answer.ts';
import { type Exchange, openExchange } from './exchange.ts';
import { type Refusal, refuse } from './refusal.ts';

export interface ListenerOptions {
  settings: Pick<HttpSettings, 'bind' | 'port' | 'trustProxy' | 'requestTimeoutMs'>;
  clock: Clock;
  log: Log;
  serve(exchange: Exchange, raw: ServerResponse): Promise<void>;
  notFound(requestId: string, address: string): void;
  documents: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

export interface Listener extends AsyncDisposable {
  /** Ends with `/mcp`. */
  readonly url: URL;
  cutOff(): void;
}

export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { settings, clock, log } = options;
  const app = Fastify({
    logger: false,
    genReqId: acceptRequestId,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    routerOptions: { ignoreTrailingSlash: true },
    clientErrorHandler: answerBrokenSocket(({ code, message }, requestId) => ({ error: code, message, requestId })),
    // Room for the largest access token as well as the other headers.
    http: {
      maxHeaderSize: 2 * limits.mcpJwtBytes,
      ...headersWithin(Math.min(limits.headersMs, settings.requestTimeoutMs)),
    },
    frameworkErrors: (_, request, reply) =>
      hijackWithRefusal(request, reply.raw, refuse.notFound(), () => reply.hijack()),
    forceCloseConnections: 'idle',
    // Node's timeout is longer than ours, which sends a response.
    requestTimeout: settings.requestTimeoutMs + 5000,
  });
  // Every request is hijacked before Fastify reads a body.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) {
      hijackWithRefusal(request, reply.raw, refuse.notFound(), () => reply.hijack());
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
    cutOff: () => app.server.closeAllConnections(),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

/** Public and readable from any origin, so that clients in browsers can discover it. */
function serveDocument(app: FastifyInstance, path: string, text: string): void {
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
        'Content-Length': Buffer.byteLength(text),
        'Access-Control-Allow-Origin': '*',
      });
      reply.raw.end(request.method === 'HEAD' ? undefined : text);
    },
    handler: async () => undefined,
  });
}

function hijackWithRefusal(request: FastifyRequest, raw: ServerResponse, refusal: Refusal, hijack: () => void): void {
  hijack();
  sendRefusal(raw, refusal, request.id);
}

function listeningUrl(app: FastifyInstance): URL {
  const address = app.server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the endpoint has no address: it is not listening');
  }
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return new URL(`http://${host}:${address.port}${mcpPath}`);
}

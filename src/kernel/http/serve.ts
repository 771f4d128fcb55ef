// Binds route tables to Fastify in this order of checks: id, rate, headers, path, method, access, body, schema, handler
// (docs/reference/wire-contract/1-http-rules.md#12-order-of-checks). All errors have one shape.
import type { AddressInfo } from 'node:net';
import compress from '@fastify/compress';
import cookies from '@fastify/cookie';
import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../process/log.ts';
import { yieldToEventLoop } from '../time/clock.ts';
import { serveAssets } from './assets.ts';
import { bindRoute, defaultBodyLimit, type RouteRules } from './bind-route.ts';
import { answerBrokenSocket, headersWithin } from './broken-socket.ts';
import { errorBody, toAppError } from './failure.ts';
import { createKnownPaths, type KnownPaths, routerOptions } from './known-paths.ts';
import { enforceRateLimit, type Rates } from './rates.ts';
import { printablePath } from './request-facts.ts';
import { acceptRequestId } from './request-id.ts';
import type { Handlers, RouteTable } from './route.ts';
import { takeAnyBody } from './upload.ts';
import { ClientGone } from './when-closed.ts';

export interface Mounted<A, P> {
  routes: RouteTable<A>;
  handlers: Handlers<RouteTable<A>, P>;
}

/** Pairs a table with its handlers; the compiler checks that every route has one. */
export function mount<T extends RouteTable<unknown>, P>(routes: T, handlers: Handlers<T, P>): Mounted<AccessOf<T>, P> {
  return {
    routes: routes as RouteTable<AccessOf<T>>,
    handlers: handlers as unknown as Mounted<AccessOf<T>, P>['handlers'],
  };
}

type AccessOf<T extends RouteTable<unknown>> = T[keyof T] extends { access: infer A } ? A : never;

export interface ServeOptions<A, P> extends RouteRules<A, P> {
  mounted: readonly Mounted<A, P>[];
  log: Log;
  host: string;
  port: number;
  /** Rate limits of `/api`; absent: unlimited (simulators). */
  rates?: Rates;
  trustProxy?: readonly string[];
  /** Requests slower than this are logged; 3,000 ms when absent. */
  slowMs?: number;
  /** The page that a browser is shown at an address that nothing is served at; null: the failure as JSON. */
  lostPage?: (request: {
    path: string;
    accept: string;
  }) => { html: string; headers: Readonly<Record<string, string>> } | null;
  /** Folder of files that never change, served below `/assets/`, compressed ones (`.br`, `.gz`) where they are taken. */
  assets?: string;
  /** How long the headers of a request may take; 30,000 ms when absent. */
  headersMs?: number;
}

export interface Served extends AsyncDisposable {
  readonly url: URL;
  readonly app: FastifyInstance;
}

export async function startServer<A, P>(options: ServeOptions<A, P>): Promise<Served> {
  const knownPaths = createKnownPaths();
  const app = Fastify({
    logger: false,
    // Fastify starts a timer for each plugin, in case it hangs. The plugins of this server never wait.
    pluginTimeout: 0,
    genReqId: acceptRequestId,
    requestIdHeader: false,
    bodyLimit: defaultBodyLimit,
    routerOptions,
    trustProxy: options.trustProxy?.length ? [...options.trustProxy] : false,
    clientErrorHandler: answerBrokenSocket(),
    http: headersWithin(options.headersMs ?? 30_000),
    frameworkErrors: (error, request, response) => sendFailure(toAppError(error), request, response),
    forceCloseConnections: 'idle',
    // Fastify would answer 503 in its own form; drainOnClose refuses in ours.
    return503OnClosing: false,
    requestTimeout: 60_000,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });
  useJsonOnly(app);
  await app.register(cookies);
  app.addHook('onRequest', async (request, response) => {
    response.header('X-Request-Id', request.id);
    response.header('Cache-Control', 'no-store');
    if (request.protocol === 'https') {
      response.header('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
    }
    // Decided by the path of the route, since a request can spell the same path in many ways.
    if (options.rates && (knownPaths.pathOf(request) ?? request.url).startsWith('/api')) {
      enforceRateLimit(options.rates, request, response);
    }
  });
  await app.register(helmet, {
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
  });
  await app.register(compress, {
    globalDecompression: false,
    encodings: ['gzip', 'identity'],
    zlibOptions: { level: 1 },
  });
  app.addHook('onResponse', async (request, response) => logResponse(options, request, response));
  drainOnClose(app);
  app.setErrorHandler((error, request, response) => {
    if (error instanceof ClientGone) {
      response.hijack();
      return;
    }
    const failure = toAppError(error);
    if (failure.status >= 500) {
      const about = { requestId: request.id, path: printablePath(request.url) };
      // Thrown on purpose, so nothing is broken: the hub starts or is busy, or another service refused or is unreachable.
      if (failure === error && failure.status !== 500) {
        const cause = failure.cause === undefined ? {} : { cause: messageOf(failure.cause) };
        options.log.warn({ ...about, code: failure.code, ...cause }, failure.message);
      } else {
        options.log.error({ ...about, err: error }, failure.message);
      }
    }
    sendFailure(failure, request, response);
  });
  app.setNotFoundHandler((request, response) => {
    const { url, method, headers } = request;
    const page =
      method === 'GET' ? options.lostPage?.({ path: url.replace(/\?.*/, ''), accept: headers.accept ?? '' }) : null;
    if (page) {
      response.code(404).headers(page.headers).type('text/html; charset=utf-8').send(page.html);
      return;
    }
    sendFailure(new AppError('not_found', 'there is nothing at this path'), request, response);
  });
  await bindRoutes(app, options, knownPaths);
  if (options.assets !== undefined) {
    await serveAssets(app, options.assets);
  }
  await app.listen({ host: options.host, port: options.port });
  return {
    url: addressOf(app),
    app,
    [Symbol.asyncDispose]: () => app.close(),
  };
}

/**
 * At the stop Fastify closes idle connections. A connection with an answer in progress is closed after that answer, and
 * further requests on it are refused.
 */
function drainOnClose(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onRequest', async () => {
    if (isClosing) {
      throw new AppError('not_ready', 'the server is stopping: try again in a moment', {
        headers: { Connection: 'close', 'Retry-After': '5' },
      });
    }
  });
  app.addHook('onResponse', async () => {
    if (isClosing) {
      await yieldToEventLoop();
      app.server.closeIdleConnections();
    }
  });
}

/** Replaces the schema compilers that Fastify would load: routes check their parts themselves (bind-route.ts). */
function noSchemas(): never {
  throw new Error('a route has a schema of Fastify: state its parts in its contract instead');
}

function addressOf(app: FastifyInstance): URL {
  const address = app.server.address() as AddressInfo | null;
  if (address === null) {
    throw new Error('the server has no address: it is not listening');
  }
  return new URL(`http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`);
}

async function bindRoutes<A, P>(
  app: FastifyInstance,
  options: ServeOptions<A, P>,
  knownPaths: KnownPaths,
): Promise<void> {
  for (const { routes, handlers } of options.mounted) {
    for (const [name, route] of Object.entries(routes)) {
      const handler = handlers[name];
      if (!handler) {
        throw new Error(`no handler for ${route.method} ${route.path}`);
      }
      if (route.upload) {
        await app.register(async (scope) => {
          takeAnyBody(scope);
          bindRoute(scope, options, route, handler);
        });
      } else {
        bindRoute(app, options, route, handler);
      }
      knownPaths.add(route.path, route.method);
    }
  }
  knownPaths.refuseOtherMethods(app);
}

function useJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (request.headers['content-encoding'] !== undefined) {
      done(new AppError('unsupported_media_type', 'send the body uncompressed'));
      return;
    }
    if (body === '') {
      done(null, {});
      return;
    }
    void parse(request, body as string, (error, value) => {
      const name = error && forbiddenMember(body as string);
      done(
        name ? new AppError('invalid_body', `a member of the body is called ${name}, which is not accepted`) : error,
        value,
      );
    });
  });
}

/** The name of the first member that would change a prototype; null when there is none, or the text is not JSON. */
function forbiddenMember(text: string): string | null {
  const found: string[] = [];
  try {
    JSON.parse(text, (name, value: unknown) => {
      const reaches = typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
      if (name === '__proto__' || (name === 'constructor' && reaches)) {
        found.push(name);
      }
      return value;
    });
  } catch {
    // The text is no JSON: nothing was found in it, and the other parser says what is wrong.
  }
  return found[0] ?? null;
}

function sendFailure(failure: AppError, request: FastifyRequest, response: FastifyReply): void {
  response.header('X-Request-Id', request.id);
  for (const [name, value] of Object.entries(failure.headers)) {
    response.header(name, value);
  }
  const route = request.routeOptions.config.route;
  response.code(failure.status);
  if (route?.navigated && /^text\/html\b/.test(request.headers.accept ?? '')) {
    response.type('text/plain; charset=utf-8').send(`${failure.message} (${failure.code}, request ${request.id})\n`);
    return;
  }
  const body = { ...route?.failure, ...errorBody(failure, request.id) };
  response.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function logResponse<A, P>(options: ServeOptions<A, P>, request: FastifyRequest, response: FastifyReply): void {
  const elapsedMs = Math.round(response.elapsedTime);
  const line = {
    requestId: request.id,
    method: request.method,
    path: printablePath(request.url),
    status: response.statusCode,
    elapsedMs,
  };
  const { statusCode } = response;
  // A 502 was logged with its sentence when the other device or service refused.
  if (statusCode === 500) {
    options.log.error(line, 'request failed');
  } else if ([401, 429].includes(statusCode) || (statusCode > 500 && statusCode !== 502)) {
    options.log.warn(line, 'request refused');
  } else if (!request.routeOptions.config.route?.stream && elapsedMs >= (options.slowMs ?? 3000)) {
    options.log.warn(line, 'slow request');
  } else {
    options.log.debug(line, 'request');
  }
}

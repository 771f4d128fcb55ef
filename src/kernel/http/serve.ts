// Binds route tables to Fastify in the order of checks of the wire contract (1.2): id, rate, headers, path, method,
// access, body, schema, handler. What goes wrong has one shape, whoever notices it.
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from 'fastify';
import { AppError } from '../errors.ts';
import type { RateWindow } from '../limiter.ts';
import type { Log } from '../log.ts';
import { errorBody, toAppError } from './failure.ts';
import { isReadyBody, payloadOf } from './ready-body.ts';
import { acceptRequestId, answerBrokenSocket } from './request-id.ts';
import type { Call, Handlers, RouteDefinition, RouteTable } from './route.ts';
import { isStatusReply } from './route.ts';
import { parsePart } from './validate.ts';

/** A table with its handlers. */
export interface Mounted<A, P> {
  routes: RouteTable<A>;
  handlers: Handlers<RouteTable<A>, P>;
}

/** Pairs a table with its handlers, keeping the compiler's word that every route has one. */
export function mount<T extends RouteTable<unknown>, P>(routes: T, handlers: Handlers<T, P>): Mounted<AccessOf<T>, P> {
  return {
    routes: routes as RouteTable<AccessOf<T>>,
    handlers: handlers as unknown as Mounted<AccessOf<T>, P>['handlers'],
  };
}

type AccessOf<T extends RouteTable<unknown>> = T[keyof T] extends { access: infer A } ? A : never;

export interface ServeOptions<A, P> {
  mounted: readonly Mounted<A, P>[];
  /** Decides who calls; throws AppError 401, 403 or 503. */
  authorize: (request: FastifyRequest, access: A) => P | Promise<P>;
  log: Log;
  host: string;
  port: number;
  /** Reads and writes per client address; absent = unlimited (simulators). */
  rate?: { reads: RateWindow; writes: RateWindow };
  /** Addresses whose X-Forwarded-For is believed. */
  trustProxy?: readonly string[];
  /** Check replies against the contract and fail with 500 when they differ: on in tests. */
  checkReplies?: boolean;
  /** Requests slower than this are logged; 3,000 ms when absent. */
  slowMs?: number;
}

export interface Served extends AsyncDisposable {
  readonly url: URL;
  readonly app: FastifyInstance;
}

/** Bytes of JSON body accepted where a route names no other limit (specification 1 §8). */
export const defaultBodyLimit = 65_536;

export async function startServer<A, P>(options: ServeOptions<A, P>): Promise<Served> {
  const app = Fastify({
    logger: false,
    genReqId: acceptRequestId,
    requestIdHeader: false,
    bodyLimit: defaultBodyLimit,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    trustProxy: options.trustProxy?.length ? [...options.trustProxy] : false,
    clientErrorHandler: answerBrokenSocket,
    frameworkErrors: (error, request, response) => sendFailure(toAppError(error), request, response),
    forceCloseConnections: 'idle',
    requestTimeout: 60_000,
  });
  useJsonOnly(app);
  app.addHook('onRequest', async (request, response) => {
    response.header('X-Request-Id', request.id);
    response.header('Cache-Control', 'no-store');
    if (options.rate && request.url.startsWith('/api')) {
      takeTurn(options.rate, request, response);
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
  app.setErrorHandler((error, request, response) => {
    const failure = toAppError(error);
    if (failure.status >= 500) {
      options.log.error({ requestId: request.id, path: pathOf(request), err: error }, failure.message);
    }
    sendFailure(failure, request, response);
  });
  app.setNotFoundHandler((request, response) => {
    sendFailure(new AppError('not_found', 'there is nothing at this path'), request, response);
  });
  bindRoutes(app, options);
  await app.listen({ host: options.host, port: options.port });
  return {
    url: addressOf(app),
    app,
    [Symbol.asyncDispose]: () => app.close(),
  };
}

function addressOf(app: FastifyInstance): URL {
  const address = app.server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the server has no address: it is not listening');
  }
  return new URL(`http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`);
}

function bindRoutes<A, P>(app: FastifyInstance, options: ServeOptions<A, P>): void {
  const byPath = new Map<string, Set<HTTPMethods>>();
  for (const { routes, handlers } of options.mounted) {
    for (const [name, route] of Object.entries(routes)) {
      const handler = handlers[name];
      if (!handler) {
        throw new Error(`no handler for ${route.method} ${route.path}`);
      }
      bindOne(app, options, route, handler);
      const methods = byPath.get(route.path) ?? new Set<HTTPMethods>();
      methods.add(route.method);
      if (route.method === 'GET') {
        methods.add('HEAD');
      }
      byPath.set(route.path, methods);
    }
  }
  for (const [path, methods] of byPath) {
    const others = (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).filter(
      (m) => !methods.has(m),
    );
    const allow = [...methods].join(', ');
    app.route({
      method: [...others],
      url: path,
      exposeHeadRoute: false,
      onRequest: async () => {
        throw new AppError('method_not_allowed', `use ${allow} here`, { headers: { Allow: allow } });
      },
      handler: async () => undefined,
    });
  }
}

function bindOne<A, P>(
  app: FastifyInstance,
  options: ServeOptions<A, P>,
  route: RouteDefinition<A>,
  handler: (call: Call<RouteDefinition<A>, P>) => unknown,
): void {
  const principals = new WeakMap<FastifyRequest, P>();
  const [firstStatus = 200] = Object.keys(route.reply).map(Number);
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyLimit ?? defaultBodyLimit,
    onRequest: async (request) => {
      principals.set(request, await options.authorize(request, route.access));
    },
    handler: async (request, response) => {
      const gone = new AbortController();
      response.raw.once('close', () => gone.abort(new Error('the client went away')));
      const call = {
        params: parsePart('invalid_params', route.params, request.params),
        query: parsePart('invalid_query', route.query, request.query),
        body: route.body ? parsePart('invalid_body', route.body, request.body ?? {}) : {},
        principal: principals.get(request),
        requestId: request.id,
        signal: gone.signal,
      } as Call<RouteDefinition<A>, P>;
      const answer = await handler(call);
      if (isReadyBody(answer)) {
        const check = options.checkReplies ? (value: unknown) => checkReply(route, firstStatus, value) : undefined;
        const { type, headers, payload } = payloadOf(answer, check);
        return response.code(firstStatus).headers(headers).type(type).send(payload);
      }
      const { status, body } = isStatusReply(answer) ? answer : { status: firstStatus, body: answer };
      if (options.checkReplies) {
        checkReply(route, status, body);
      }
      return response.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
    },
  });
}

function checkReply(route: RouteDefinition<unknown>, status: number, body: unknown): void {
  const schema = route.reply[status];
  const parsed = schema?.safeParse(body);
  if (!parsed?.success) {
    throw new Error(`the reply ${status} of ${route.method} ${route.path} is not its contract's: ${parsed?.error}`);
  }
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
    void parse(request, body as string, done);
  });
}

function takeTurn(
  rate: { reads: RateWindow; writes: RateWindow },
  request: FastifyRequest,
  response: FastifyReply,
): void {
  const reading = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS';
  const window = reading ? rate.reads : rate.writes;
  const taken = window.take(request.ip);
  response.header('RateLimit-Limit', taken.limit);
  response.header('RateLimit-Remaining', taken.remaining);
  response.header('RateLimit-Reset', Math.ceil(taken.resetAt / 1000));
  if (!taken.allowed) {
    const seconds = Math.max(1, Math.ceil(window.remainingMs(taken) / 1000));
    throw new AppError('rate_limited', `too many requests: try again in ${seconds} s`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }
}

function sendFailure(failure: AppError, request: FastifyRequest, response: FastifyReply): void {
  response.header('X-Request-Id', request.id);
  for (const [name, value] of Object.entries(failure.headers)) {
    response.header(name, value);
  }
  response.code(failure.status).type('application/json; charset=utf-8');
  response.send(JSON.stringify(errorBody(failure, request.id)));
}

function logResponse<A, P>(options: ServeOptions<A, P>, request: FastifyRequest, response: FastifyReply): void {
  const elapsedMs = Math.round(response.elapsedTime);
  const line = {
    requestId: request.id,
    method: request.method,
    path: pathOf(request),
    status: response.statusCode,
    elapsedMs,
  };
  if (response.statusCode >= 500) {
    options.log.error(line, 'request failed');
  } else if (response.statusCode === 401 || response.statusCode === 429) {
    options.log.warn(line, 'request refused');
  } else if (elapsedMs >= (options.slowMs ?? 3000)) {
    options.log.warn(line, 'slow request');
  } else {
    options.log.debug(line, 'request');
  }
}

/** The path without its query, at most 512 printable characters: all of a URL that reaches a log. */
function pathOf(request: FastifyRequest): string {
  const [path = ''] = request.url.split('?', 1);
  return path.slice(0, 512).replace(/[^\x20-\x7e]/g, '?');
}

// Binds a route to Fastify: access, validation, handler, reply and headers.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { yieldToEventLoop } from '../time/clock.ts';
import { takesGzip } from './accept-encoding.ts';
import { answerLate } from './broken-socket.ts';
import { setCookie } from './cookie.ts';
import { toAppError } from './failure.ts';
import { Semaphore } from './limiter.ts';
import { choosePayload, isReadyBody, isReadyJson, readJsonText } from './ready-body.ts';
import { type RequestFacts, requestFacts } from './request-facts.ts';
import { type Call, type Cookie, isStatusReply, type RouteDefinition, type StatusReply } from './route.ts';
import { boundedUpload, dropUpload } from './upload.ts';
import { parsePart } from './validate.ts';
import { clientGone, whenClosed } from './when-closed.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: RouteDefinition<unknown>;
  }
}

/** Default limit of a JSON body in bytes (docs/reference/rest-api.md#8-limits). */
export const defaultBodyLimit = 65_536;

/** Checks large bodies in different turns of the event loop, so that other requests are answered in between. */
const largeBodies = new Semaphore(1);

export interface RouteRules<A, P> {
  /** Identifies the caller; throws AppError 401, 403 or 503. `keep` sets a cookie on the answer. */
  authorize: (request: RequestFacts, access: A, keep: (cookie: Cookie) => void) => P | Promise<P>;
  /** Checks the credential again after the body, which may take long to arrive; throws AppError 401. */
  confirmCredential?: (request: RequestFacts, principal: P) => void;
  guard?: (name: string) => Guard<P> | undefined;
  /** Called for every authorised call, before its answer is sent. */
  beforeAnswer?: (call: { request: RequestFacts; route: RouteDefinition<A>; principal: P; status: number }) => void;
  /** Checks replies against the contract and fails with 500 when they differ: on in tests. */
  checkReplies?: boolean;
}

/** A check between the credential and the body: throws AppError to refuse. */
export type Guard<P> = (call: GuardedCall<P>) => void;

export interface GuardedCall<P> {
  request: RequestFacts;
  principal: P;
  /** Runs `end` once the answer has ended, or the client went away. */
  answered: (end: () => void) => void;
  /** Answers 408 and closes the connection, unless the whole request has arrived. */
  cutOff: () => void;
}

/** Adds a route to `app`: access, then the parts against their schemas, then the handler. */
export function bindRoute<A, P>(
  app: FastifyInstance,
  rules: RouteRules<A, P>,
  route: RouteDefinition<A>,
  handler: (call: Call<RouteDefinition<A>, P>) => unknown,
): void {
  const known = new WeakMap<FastifyRequest, { facts: RequestFacts; principal: P }>();
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: route.bodyLimit ?? defaultBodyLimit,
    config: { route },
    // Files are sent uncompressed, so that their length and digest are right.
    ...(route.compress === false || route.media?.includes('application/octet-stream') ? { compress: false } : {}),
    onRequest: async (request, response) => {
      const facts = requestFacts(request);
      const keep = (cookie: Cookie) => setCookie(response, cookie);
      const principal = await rules.authorize(facts, route.access, keep);
      const answered = (end: () => void) => whenClosed(response.raw, end);
      const cutOff = () => void (request.raw.complete || answerLate(request.raw.socket));
      for (const name of route.guards ?? []) {
        guardOf(rules, name)({ request: facts, principal, answered, cutOff });
      }
      known.set(request, { facts, principal });
    },
    handler: async (request, response) => {
      const caller = known.get(request);
      if (!caller) {
        throw new Error('a handler was reached without authorization');
      }
      if ((route.bodyLimit ?? 0) > defaultBodyLimit) {
        await largeBodies.use(yieldToEventLoop);
      }
      if (route.body) {
        rules.confirmCredential?.(caller.facts, caller.principal);
      }
      const told = (status: number) =>
        rules.beforeAnswer?.({ request: caller.facts, route, principal: caller.principal, status });
      try {
        if (route.stream && request.method === 'HEAD') {
          return sendReply(response, { status: firstStatusOf(route), body: Readable.from([]) });
        }
        const answer = await handler(callOf(route, request, response, caller));
        if (isReadyBody(answer)) {
          const status = firstStatusOf(route);
          if (rules.checkReplies && isReadyJson(answer)) {
            checkReply(route, status, JSON.parse(readJsonText(answer)));
          }
          const { type, headers, payload } = choosePayload(answer, takesGzip(caller.facts.headers['accept-encoding']));
          told(status);
          return response.code(status).headers(headers).type(type).send(payload);
        }
        const answered = isStatusReply(answer) ? answer : { status: firstStatusOf(route), body: answer };
        if (rules.checkReplies) {
          checkReply(route, answered.status, answered.body);
        }
        told(answered.status);
        return sendReply(response, answered);
      } catch (error) {
        told(toAppError(error).status);
        throw error;
      }
    },
  });
}

function guardOf<A, P>(rules: RouteRules<A, P>, name: string): Guard<P> {
  const guard = rules.guard?.(name);
  if (!guard) {
    throw new Error(`a route names the check ${name}, which this server does not have`);
  }
  return guard;
}

function firstStatusOf(route: RouteDefinition<unknown>): number {
  return Number(Object.keys(route.reply)[0] ?? 200);
}

function callOf<A, P>(
  route: RouteDefinition<A>,
  request: FastifyRequest,
  response: FastifyReply,
  { facts, principal }: { facts: RequestFacts; principal: P },
): Call<RouteDefinition<A>, P> {
  const body = request.body === undefined ? {} : request.body;
  route.precheck?.(body);
  const gone = new AbortController();
  whenClosed(response.raw, () => gone.abort(clientGone));
  if (route.upload) {
    whenClosed(response.raw, () => dropUpload(request));
  }
  return {
    params: parsePart('invalid_params', route.params, request.params),
    query: parsePart('invalid_query', route.query, request.query),
    body: route.body ? parsePart('invalid_body', route.body, body) : {},
    principal,
    requestId: request.id,
    request: facts,
    signal: gone.signal,
    upload: route.upload ? boundedUpload(request, route.upload.maxBytes) : Readable.from([]),
  } as Call<RouteDefinition<A>, P>;
}

function sendReply(response: FastifyReply, answer: Pick<StatusReply, 'status' | 'body' | 'headers' | 'cookies'>) {
  response.code(answer.status).headers({ ...answer.headers });
  for (const cookie of answer.cookies ?? []) {
    setCookie(response, cookie);
  }
  if (answer.body instanceof Readable) {
    return response.type('text/event-stream').header('X-Accel-Buffering', 'no').send(answer.body);
  }
  return answer.body === null
    ? response.send()
    : response.type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}

function checkReply(route: RouteDefinition<unknown>, status: number, body: unknown): void {
  const schema = route.reply[status];
  const parsed = schema?.safeParse(body);
  if (!parsed?.success) {
    throw new Error(`the reply ${status} of ${route.method} ${route.path} is not its contract's: ${parsed?.error}`);
  }
}

// The typed client of a set of route tables: paths, parts and replies come from the same values the server binds.
import { type Dispatcher, request } from 'undici';
import { parseJson } from '../text/json.ts';
import { readBounded } from './bounded-fetch.ts';
import type { ClientInput, ClientReply, RouteDefinition, RouteGroups, RouteTable } from './route.ts';

type TableClient<T extends RouteTable<unknown>> = {
  [K in keyof T]: (input: ClientInput<T[K]>) => Promise<ClientReply<T[K]>>;
};

export type Client<G extends RouteGroups<unknown>> = { [K in keyof G]: TableClient<G[K]> };

export interface ClientOptions {
  baseUrl: URL;
  headers?: Record<string, string>;
  /** Time until the answer begins, and of each pause in it; 15,000 ms when absent. */
  timeoutMs?: number;
  /** Bytes of the body of an answer; 64 MB when absent. The largest answer, 50,000 rows of the log, has 25 to 45 MB. */
  maxBytes?: number;
  dispatcher?: Dispatcher;
  /** Wraps every call: adds a deadline, an abort signal, or translates errors. */
  around?: (route: RouteDefinition<unknown>, send: (signal?: AbortSignal) => Promise<unknown>) => Promise<unknown>;
}

export class ClientError extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string | string[] | undefined>;

  constructor(status: number, body: Record<string, unknown>, headers: Record<string, string | string[] | undefined>) {
    super(typeof body.error === 'string' ? body.error : `the server answered ${status}`);
    this.name = 'ClientError';
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : 'unknown';
    this.body = body;
    this.headers = headers;
  }
}

/** An answer that is too long, or a success that is not JSON. The message does not quote the answer. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

/**
 * A client of `groups`. Each call rejects with ClientError on a non-2xx answer, with AnswerError on one that cannot be
 * read, and with the error of the network when there is none.
 */
export function createClient<G extends RouteGroups<unknown>>(groups: G, options: ClientOptions): Client<G> {
  const tables = Object.entries(groups).map(([group, table]) => [
    group,
    Object.fromEntries(Object.entries(table).map(([name, route]) => [name, caller(route, options)])),
  ]);
  return Object.fromEntries(tables) as Client<G>;
}

interface Parts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

function caller(route: RouteDefinition<unknown>, options: ClientOptions) {
  const { around } = options;
  return around
    ? (input: Parts) => around(route, (signal) => call(route, input, options, signal))
    : (input: Parts) => call(route, input, options);
}

async function call(
  route: RouteDefinition<unknown>,
  input: Parts,
  options: ClientOptions,
  signal?: AbortSignal,
): Promise<unknown> {
  const { timeoutMs = 15_000, maxBytes = 64 * megabyte } = options;
  const response = await request(addressOf(route.path, input, options.baseUrl), {
    method: route.method,
    headers: { ...options.headers, ...(route.body ? { 'content-type': 'application/json' } : {}) },
    body: route.body ? JSON.stringify(input.body) : null,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    ...(signal ? { signal } : {}),
    ...(options.dispatcher ? { dispatcher: options.dispatcher } : {}),
  });
  const most = `${Math.floor(maxBytes / megabyte)} MB`;
  const tooLong = () => new AnswerError(`the answer to ${route.method} ${route.path} is larger than ${most}`);
  const text = (await readBounded(response.body, maxBytes, tooLong)).toString('utf8');
  const body = text === '' ? {} : parseJson(text);
  if (response.statusCode < 200 || response.statusCode > 299) {
    throw new ClientError(response.statusCode, isObject(body) ? body : {}, response.headers);
  }
  if (body === undefined) {
    throw new AnswerError(`the answer to ${route.method} ${route.path} is not JSON: is the hub at this address?`);
  }
  return body;
}

const megabyte = 1_048_576;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function addressOf(path: string, input: Parts, base: URL): URL {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input.params?.[name])));
  const url = new URL(base.pathname.replace(/\/$/, '') + filled, base);
  for (const [name, value] of Object.entries(input.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) {
        url.searchParams.append(name, String(one));
      }
    }
  }
  return url;
}

// Calls the hub. Parameters and replies have the types of the contract; only types are imported.
import type { Api } from '#contract/index.ts';
import type { ClientInput, ClientReply, RouteDefinition } from '#kernel/http/route.ts';
import { base } from '../base.ts';

type AnyRoute = { [G in keyof Api]: Api[G][keyof Api[G]] }[keyof Api];
type Named = { [R in AnyRoute as `${R['method']} ${R['path']}`]: R };
export type RouteName = keyof Named;
export type Reply<N extends RouteName> = Named[N] extends RouteDefinition<unknown> ? ClientReply<Named[N]> : never;
export type Input<N extends RouteName> = Named[N] extends RouteDefinition<unknown> ? ClientInput<Named[N]> : never;

interface Parts {
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
}

/**
 * A request that was refused. `code` is that of the API; `unreachable` when the hub did not answer, and `page` when the page
 * refused by itself, both with the status 0.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** Other members of the answer, such as `diag` of a failed router test. `seconds`: when to try again, if it says so. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** An ApiError as it is; any other error gets the code `failed`. */
export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, 'failed', String(error));
}

/** `listener` is called when the hub says that the session has ended. */
export const onSignedOut: { listener: () => void } = { listener: () => {} };

/** The URL of an API path, below the path at which a proxy serves the page. */
export function apiUrl(path: string, query: Parts['query'] = {}): URL {
  const url = new URL(`.${path}`, base);
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== '') {
        url.searchParams.append(name, String(one));
      }
    }
  }
  return url;
}

/** Rejects with ApiError, or with the reason of `signal`. */
export async function ask<N extends RouteName>(name: N, input: Input<N>, signal?: AbortSignal): Promise<Reply<N>> {
  const text = await (await open(name, input, signal)).text();
  return (text === '' ? null : JSON.parse(text)) as Reply<N>;
}

/** Like `ask`, but returns the response, whose body can be read as a stream. */
export async function open<N extends RouteName>(name: N, input: Input<N>, signal?: AbortSignal): Promise<Response> {
  const { params = {}, query, body }: Parts = input;
  const [method = 'GET', path = '/'] = name.split(' ');
  const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(params[key])));
  const answer = await send(apiUrl(filled, query), {
    method,
    headers: createHeaders(method),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  if (!answer.ok) {
    const refusal = toRefusal(answer.status, await answer.text(), answer.headers.get('retry-after'));
    // Other codes of 401, such as `login_failed`, refuse a password that was typed: the session goes on. A proxy sends no code.
    if (answer.status === 401 && ['unauthorized', 'unknown'].includes(refusal.code)) {
      onSignedOut.listener();
    }
    throw refusal;
  }
  return answer;
}

/** The error of an answer that is not a success. */
export function toRefusal(status: number, text: string, seconds: string | null = null): ApiError {
  const { error, code, details } = parseError(text);
  return new ApiError(status, code ?? 'unknown', error ?? `the hub answered ${status}`, { ...details, seconds });
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { credentials: 'same-origin', redirect: 'error', ...init });
  } catch (error) {
    if (init.signal?.aborted) {
      throw init.signal.reason;
    }
    throw new ApiError(0, 'unreachable', error instanceof Error ? error.message : 'no answer');
  }
}

/** With the token that the hub asks of a request that changes something. */
export function createHeaders(method: string): Record<string, string> {
  const csrf = /(?:^|; )(?:__Host-)?monitor_csrf=([0-9a-f]+)/.exec(document.cookie)?.[1];
  return method === 'GET'
    ? { accept: 'application/json' }
    : { accept: 'application/json', 'content-type': 'application/json', ...(csrf ? { 'x-csrf-token': csrf } : {}) };
}

function parseError(text: string): { error?: string; code?: string; details?: Record<string, unknown> } {
  try {
    const { error, code, ...details } = JSON.parse(text) as Record<string, unknown>;
    return { ...(typeof error === 'string' ? { error } : {}), ...(typeof code === 'string' ? { code } : {}), details };
  } catch {
    // A proxy answered with a page of its own, which is not shown.
    return {};
  }
}

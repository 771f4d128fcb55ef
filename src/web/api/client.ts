// Asks the hub: routes, parameters and replies have the types of its contract, of which nothing but types is loaded.
import type { Api } from '#contract/index.ts';
import type { ClientInput, ClientReply, RouteDefinition } from '#kernel/http/route.ts';

type AnyRoute = { [G in keyof Api]: Api[G][keyof Api[G]] }[keyof Api];
type Named = { [R in AnyRoute as `${R['method']} ${R['path']}`]: R };
export type RouteName = keyof Named;
export type Reply<N extends RouteName> = Named[N] extends RouteDefinition<unknown> ? ClientReply<Named[N]> : never;
type Input<N extends RouteName> = Named[N] extends RouteDefinition<unknown> ? ClientInput<Named[N]> : never;

interface Parts {
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
}

/** An answer other than success, or none: `code` is then `unreachable`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** What else the answer says, such as `diag` of a router that could not be tested. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Called when the hub says that nobody is signed in. */
export const onSignedOut: { listener: () => void } = { listener: () => {} };

/** The address of a path of the API, below whatever path a proxy serves the page at. */
export function apiUrl(path: string, query: Parts['query'] = {}): URL {
  const url = new URL(`.${path}`, document.baseURI);
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

/** As `ask`, for a body that is read as it comes. */
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
    const { error, code, details } = parseError(await answer.text());
    if (answer.status === 401 && path !== '/api/auth/login') {
      onSignedOut.listener();
    }
    throw new ApiError(answer.status, code ?? 'unknown', error ?? `the hub answered ${answer.status}`, details);
  }
  return answer;
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

function createHeaders(method: string): Record<string, string> {
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
    // What stands between browser and hub answered: its page says nothing that a person could use here.
    return {};
  }
}

// Who calls: typed clients that differ only in their credential, and a raw one for what a typed client cannot send.
import { type Dispatcher, request } from 'undici';
import type { Permission } from '#contract/access.ts';
import type { Api } from '#contract/index.ts';
import { type Client, createClient } from '#kernel/http/client.ts';
import { parseSetCookie } from './set-cookie.ts';

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; undefined when it is not. */
  body: unknown;
}

export interface RawCall {
  method: Dispatcher.HttpMethod;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface Actors {
  /** Holds the admin token: every permission. */
  admin: Client<Api>;
  nobody: Client<Api>;
  /** A page that has logged in: cookies, and the CSRF token with every change. */
  browser(): Promise<Browser>;
  /** A new API identity with these permissions; lives for an hour. */
  identity(permissions: readonly Permission[]): Promise<IdentityActor>;
  /** An API identity that may read. */
  reader(): Promise<Client<Api>>;
  /** One request as given; with the admin token unless `headers` say otherwise. */
  raw(call: RawCall): Promise<RawAnswer>;
}

export interface IdentityActor {
  client: Client<Api>;
  id: string;
  token: string;
}

/** `password` is the login password, null when it is not known. */
export function createActors(api: Api, url: URL, adminToken: string, password: string | null = null): Actors {
  const withToken = (token: string) => createClient(api, { baseUrl: url, headers: { 'x-admin-token': token } });
  const admin = withToken(adminToken);
  const identity: Actors['identity'] = async (permissions) => {
    const { token, identity: made } = await admin.auth.createIdentity({
      body: { label: permissions.join(' '), permissions: [...permissions], expiresInMs: 3_600_000 },
    });
    return { token, id: made.id, client: withToken(token) };
  };
  return {
    admin,
    nobody: createClient(api, { baseUrl: url }),
    identity,
    reader: async () => (await identity(['network.read'])).client,
    async browser() {
      if (password === null) {
        throw new Error('the login password of this hub is not known');
      }
      const browser = createBrowser(url);
      const answer = await browser.login(password);
      if (answer.status !== 200) {
        throw new Error(`the login was refused: ${answer.status} ${answer.text}`);
      }
      return browser;
    },
    raw: (call) => raw(url, { ...call, headers: { 'x-admin-token': adminToken, ...call.headers } }),
  };
}

/** Sends one request and reads the whole answer; of a stream, which has no end, its headers. */
export async function raw(url: URL, call: RawCall): Promise<RawAnswer> {
  const response = await request(new URL(call.path, url), {
    method: call.method,
    headers: call.headers ?? {},
    body: call.body ?? null,
  });
  if (/^text\/event-stream\b/.test(String(response.headers['content-type']))) {
    response.body.on('error', () => undefined).destroy();
    return { status: response.statusCode, headers: response.headers, text: '', body: undefined };
  }
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, text, body: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A browser as far as a server can tell: keeps cookies by name, sends them back, and its page adds the CSRF token. */
export interface Browser {
  /** Name → value of what it holds now. */
  readonly cookies: ReadonlyMap<string, string>;
  /** One request of the page; a change carries the CSRF token. */
  send(call: RawCall): Promise<RawAnswer>;
  /** One request without the CSRF token, as another site could cause it. */
  withoutCsrf(call: RawCall): Promise<RawAnswer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<RawAnswer>;
  get(path: string): Promise<RawAnswer>;
  login(password: string, deviceLabel?: string): Promise<RawAnswer>;
}

export function createBrowser(
  url: URL,
  headers: Record<string, string> = {},
  held: Record<string, string> = {},
): Browser {
  const cookies = new Map(Object.entries(held));
  const send = async (call: RawCall) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await raw(url, {
      ...call,
      headers: { ...headers, ...(cookie === '' ? {} : { cookie }), ...call.headers },
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      keep(cookies, line);
    }
    return answer;
  };
  const browser: Browser = {
    cookies,
    withoutCsrf: send,
    send: (call) => {
      const csrf = cookies.get('monitor_csrf') ?? cookies.get('__Host-monitor_csrf');
      const isChange = call.method !== 'GET' && call.method !== 'HEAD';
      return send({
        ...call,
        headers: { ...(isChange && csrf ? { 'x-csrf-token': csrf } : {}), ...call.headers },
      });
    },
    get: (path) => browser.send({ method: 'GET', path }),
    post: (path, body = {}, extra = {}) =>
      browser.send({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json', ...extra },
        body: JSON.stringify(body),
      }),
    login: (password, deviceLabel) =>
      browser.post('/api/auth/login', { password, ...(deviceLabel === undefined ? {} : { deviceLabel }) }),
  };
  return browser;
}

/** Takes one `Set-Cookie` value; one that is over already forgets the cookie. */
function keep(cookies: Map<string, string>, line: string): void {
  const { name, value, isOver } = parseSetCookie(line);
  if (isOver) {
    cookies.delete(name);
  } else {
    cookies.set(name, decodeURIComponent(value));
  }
}

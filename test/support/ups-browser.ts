// A client of the simulated UPS: HTTPS without verification, a cookie jar, redirects only when asked.
import { Agent, request } from 'undici';
import { parseSetCookie } from './set-cookie.ts';

export interface UpsPage {
  status: number;
  location: string | null;
  setCookies: readonly string[];
  contentType: string | null;
  text: string;
}

export interface UpsBrowser extends AsyncDisposable {
  /** One request, not followed; with `form` a POST. */
  send(path: string, form?: Record<string, string>, signal?: AbortSignal): Promise<UpsPage>;
  /** As `send`, and then what it leads to. */
  open(path: string, form?: Record<string, string>): Promise<UpsPage>;
  /** Through the login form to the page behind it. */
  logOn(credentials: { user: string; password: string }): Promise<UpsPage>;
  readonly cookies: Map<string, string>;
}

/** Text of the attribute `value` of the input called `name`; in any order and quotes, null when there is none. */
export function inputValue(page: string, name: string): string | null {
  const input = [...page.matchAll(/<input\b[^>]*>/gi)]
    .map(([tag]) => tag)
    .find((tag) => new RegExp(`name=["']?${name}["'\\s/>]`, 'i').test(tag));
  const found = /\bvalue=(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(input ?? '');
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null;
}

export function openUps(url: URL): UpsBrowser {
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  const cookies = new Map<string, string>();
  const send: UpsBrowser['send'] = async (path, form, signal) => {
    const answer = await request(new URL(path, url), {
      dispatcher: agent,
      signal: signal ?? null,
      method: form ? 'POST' : 'GET',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      body: form ? new URLSearchParams(form).toString() : null,
    });
    const header = (name: string) => [answer.headers[name] ?? []].flat();
    const setCookies = header('set-cookie');
    for (const line of setCookies) {
      const { name, value, isOver } = parseSetCookie(line);
      if (isOver) {
        cookies.delete(name);
      } else {
        cookies.set(name, value);
      }
    }
    return {
      status: answer.statusCode,
      location: header('location')[0] ?? null,
      setCookies,
      contentType: header('content-type')[0] ?? null,
      text: await answer.body.text(),
    };
  };
  const open: UpsBrowser['open'] = async (path, form) => {
    let page = await send(path, form);
    for (let redirects = 0; page.location !== null && redirects < 10; redirects += 1) {
      page = await send(page.location);
    }
    return page;
  };
  return {
    send,
    open,
    cookies,
    async logOn({ user, password }) {
      const { text } = await open('/status');
      return open('/j_security_check', {
        j_username: user,
        j_password: password,
        login: inputValue(text, 'login') ?? '',
        formtoken: inputValue(text, 'formtoken') ?? '',
        formtokenid: inputValue(text, 'formtokenid') ?? '',
      });
    },
    [Symbol.asyncDispose]: () => agent.close(),
  };
}

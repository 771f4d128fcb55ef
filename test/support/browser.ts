// A browser of one person: keeps cookies as browsers do (by host, whatever the port) and follows redirects.
import { request } from 'undici';

export interface Page {
  url: URL;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface Browser {
  /** One request, no redirect followed; cookies are sent and kept. */
  get(url: URL, headers?: Record<string, string>): Promise<Page>;
  /** Follows redirects until a page without one, or until the next address is one that `stopAt` names. */
  open(url: URL, stopAt?: (next: URL) => boolean): Promise<Page>;
  /** Value of a cookie the host has set, under any name ending so. */
  cookie(hostname: string, name: string): string | undefined;
  setCookie(hostname: string, name: string, value: string): void;
}

const longestChain = 20;

export function createBrowser(): Browser {
  const jar = new Map<string, { name: string; value: string; path: string }>();
  const keep = (hostname: string, line: string) => {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const read = (name: string) =>
      attributes.find((one) => one.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
    const name = pair.slice(0, at);
    const path = read('path') ?? '/';
    const expires = read('expires');
    const isGone = Number(read('max-age') ?? 1) <= 0 || (expires !== undefined && Date.parse(expires) <= 0);
    const key = `${hostname} ${path} ${name}`;
    if (isGone) {
      jar.delete(key);
    } else {
      jar.set(key, { name, value: pair.slice(at + 1), path });
    }
  };
  const cookiesFor = (url: URL) =>
    [...jar]
      .filter(([key, { path }]) => key.startsWith(`${url.hostname} `) && url.pathname.startsWith(path))
      .map(([, { name, value }]) => `${name}=${value}`)
      .join('; ');

  const get: Browser['get'] = async (url, headers = {}) => {
    const cookie = cookiesFor(url);
    const response = await request(url, {
      method: 'GET',
      headers: { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...headers },
    });
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      keep(url.hostname, line);
    }
    return { url, status: response.statusCode, headers: response.headers, text: await response.body.text() };
  };
  return {
    get,
    async open(url, stopAt = () => false) {
      let page = await get(url);
      for (let hops = 0; hops < longestChain; hops += 1) {
        const next = nextOf(page);
        if (next === null || stopAt(next)) {
          return page;
        }
        page = await get(next);
      }
      throw new Error(`more than ${longestChain} redirects from ${url}`);
    },
    cookie: (hostname, name) =>
      [...jar].find(([key, one]) => key.startsWith(`${hostname} `) && one.name.endsWith(name))?.[1].value,
    setCookie: (hostname, name, value) => {
      jar.set(`${hostname} / ${name}`, { name, value, path: '/' });
    },
  };
}

/** Where a page redirects to, or null. */
export function nextOf({ status, headers, url }: Page): URL | null {
  const { location } = headers;
  return status >= 300 && status < 400 && typeof location === 'string' ? new URL(location, url) : null;
}

// The browser part of the code flow: a person signs in, or redirects are followed automatically.
import { createServer } from 'node:http';
import { close, listen } from '#kernel/http/listening.ts';
import { withDeadline } from '#kernel/time/clock.ts';
import { GateError } from '../private-file.ts';
import type { CollectContext } from './collector.ts';

export interface Callback extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/callback`. */
  readonly uri: string;
  readonly answer: Promise<URL>;
}

const personMs = 300_000;

/** Listens for the redirect (RFC 8252 §7.3). */
export async function openCallback(port: number): Promise<Callback> {
  const answered = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', uri);
    const isAnswer = url.pathname === '/callback' && (url.searchParams.has('code') || url.searchParams.has('error'));
    response.writeHead(isAnswer ? 200 : 404, { 'content-type': 'text/plain' });
    response.end(isAnswer ? 'Signed in. You can close this window.\n' : 'Not here.\n');
    if (isAnswer) {
      answered.resolve(url);
    }
  });
  const uri = `http://${await listen(server, '127.0.0.1', port)}/callback`;
  return {
    uri,
    answer: answered.promise,
    [Symbol.asyncDispose]: () => close(server),
  };
}

/** Prints the address and waits up to five minutes for the redirect. */
export function authorizeByPerson(url: URL, callback: Callback, { clock, say, signal }: CollectContext): Promise<URL> {
  say(`Open this address in a browser, and sign in:\n\n  ${url.href}\n\n`);
  const expired = () => new GateError('nobody signed in within five minutes: run the command again');
  return withDeadline(clock, personMs, expired, signal, (stop) =>
    Promise.race([
      callback.answer,
      new Promise<never>((_resolve, reject) => stop.addEventListener('abort', () => reject(stop.reason as Error))),
    ]),
  );
}

const mostRedirects = 15;

/** Follows redirects with a cookie jar up to `callbackUri`, which is not requested. */
export async function authorizeByRedirects(
  first: URL,
  callbackUri: string,
  fetch: (url: string, init: { headers: Record<string, string> }) => Promise<Response>,
): Promise<URL> {
  const jar = new Map<string, string>();
  let url = first;
  for (let round = 0; round < mostRedirects; round += 1) {
    if (url.href.startsWith(`${callbackUri}?`)) {
      return url;
    }
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url.href, { headers: { accept: 'text/html', cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get('location');
    await response.body?.cancel();
    if (location === null) {
      throw new GateError(
        `the issuer answers ${response.status} where a redirect is due: sign in with a browser, without --automatic`,
      );
    }
    url = new URL(location, url);
  }
  throw new GateError('the issuer redirects in a circle');
}

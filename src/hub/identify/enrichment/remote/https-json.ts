// Bounded requests for JSON over HTTPS: so much time, so many bytes, so many redirects, never in clear text.
import type { Agent } from 'undici';
import { limits } from '#contract/limits.ts';
import { readBounded } from '#kernel/http/bounded-fetch.ts';
import { canonicalIp, isPublicIp, unbracketed } from '#kernel/net/address.ts';
import { isForbiddenHost, lookupOutside } from '#kernel/net/forbidden-target.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';

export interface AskOptions {
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

export type HttpsJson = ReturnType<typeof createHttpsJson>;

export interface HttpsJsonOptions {
  /** PEM of an authority to trust as well as the public ones. */
  ca?: string | undefined;
  /** Allows addresses of this machine: for simulators. */
  allowLoopback: boolean;
}

export function createHttpsJson(clock: Clock, options: HttpsJsonOptions) {
  let opened: Promise<Agent> | null = null;
  return {
    /** The JSON at `url`; `null` on 404. Rejects with a sentence on anything else, also on other addresses than https. */
    async ask(url: string, { headers = {}, signal }: AskOptions) {
      opened ??= openAgent(options).catch((error: unknown) => {
        opened = null;
        throw error;
      });
      const agent = await opened;
      const late = () => new Error(`no answer within ${limits.lookupTimeoutMs / 1000} s`);
      return withDeadline(clock, limits.lookupTimeoutMs, late, signal, (inner) =>
        follow({ agent, ...options }, new URL(url), headers, inner),
      );
    },
    [Symbol.asyncDispose]: async () => (await opened)?.close(),
  };
}

/** The library is loaded with the first request: a start does not wait for it. */
async function openAgent({ ca, allowLoopback }: HttpsJsonOptions): Promise<Agent> {
  const { Agent } = await import('undici');
  const connect = { lookup: lookupOutside(allowLoopback), ...(ca === undefined ? {} : { ca }) };
  return new Agent({ connect, connections: 2 });
}

async function follow(
  { agent, allowLoopback }: { agent: Agent; allowLoopback: boolean },
  first: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) {
  const { request } = await import('undici');
  let url = first;
  for (let redirects = 0; redirects <= limits.lookupRedirects; redirects += 1) {
    requireHttps(url);
    requireOutside(url, allowLoopback);
    const response = await request(url, {
      dispatcher: agent,
      // Headers for one host are not sent to another.
      headers: { accept: 'application/json', ...(url.origin === first.origin ? headers : {}) },
      signal,
    });
    const { statusCode: status, body } = response;
    const { location } = response.headers;
    if (status >= 300 && status < 400 && typeof location === 'string') {
      await body.dump();
      url = redirected(first, new URL(location, url));
      continue;
    }
    if (status === 404) {
      await body.dump();
      return null;
    }
    const tooLong = () => new Error(`${url.host} answered with more than 1 MB`);
    const text = (await readBounded(body, limits.lookupBytes, tooLong)).toString('utf8');
    if (status !== 200) {
      throw new Error(`${url.host} answered ${status}`);
    }
    return parseJson(url, text);
  }
  throw new Error(`${first.host} redirects more than ${limits.lookupRedirects} times`);
}

function requireHttps(url: URL): void {
  if (url.protocol !== 'https:') {
    throw new Error(`${url.host} would be asked in clear text`);
  }
}

/** A name is checked again when it is resolved. */
function requireOutside(url: URL, allowLoopback: boolean): void {
  if (isForbiddenHost(url.hostname, allowLoopback)) {
    throw new Error(`${url.host} is at an address where the hub sends nothing`);
  }
}

/** An external service cannot redirect the hub to an internal address. */
function redirected(first: URL, next: URL): URL {
  requireHttps(next);
  const ip = canonicalIp(unbracketed(next.hostname));
  if (next.origin !== first.origin && ip !== null && !isPublicIp(ip)) {
    throw new Error(`${first.host} redirects to ${next.host}, which is not public`);
  }
  return next;
}

function parseJson(url: URL, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${url.host} did not answer with JSON`, { cause });
  }
}

// HTTPS client for the web UI: a connection per request, cookies, no redirects, limits of size and time.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { decodeContent, decodeText } from './body.ts';
import { type CookieJar, createCookieJar } from './cookies.ts';
import { Failure, getErrorCode } from './failure.ts';
import { formatAuthority } from './host.ts';
import { limits } from './limits.ts';
import { createTlsConnector, type TlsOptions } from './tls.ts';

export interface WebRequest {
  method: 'GET' | 'POST';
  path: string;
  /** Sent as a form, in UTF-8. */
  form?: Readonly<Record<string, string>>;
}

export interface WebAnswer {
  status: number;
  statusText: string;
  headers: IncomingHttpHeaders;
  /** Path and query of a redirect on the same server; null when the response is no redirect. */
  redirect: string | null;
  body: string;
}

export interface CallOptions {
  signal: AbortSignal;
  /** Timeout of the whole request; the client's default when absent. */
  limitMs?: number;
}

export interface WebClient {
  /** Rejects with a Failure without a complete response. */
  call(request: WebRequest, options: CallOptions): Promise<WebAnswer>;
  readonly cookies: CookieJar;
}

export interface WebClientOptions {
  host: string;
  port: number;
  requestMs: number;
  tls: TlsOptions;
  onAnswer?: (request: WebRequest, answer: WebAnswer) => void;
}

export function createWebClient(options: WebClientOptions): WebClient {
  const { host, port, tls } = options;
  const origin = `https://${formatAuthority(host, port)}`;
  const cookies = createCookieJar();
  const connect = createTlsConnector(host, port, tls);
  return {
    cookies,
    async call(request, { signal, limitMs = options.requestMs }) {
      const limit = AbortSignal.timeout(limitMs);
      try {
        const response = await send(request, AbortSignal.any([signal, limit]));
        cookies.store(response.headers['set-cookie'] ?? []);
        const answer: WebAnswer = {
          status: response.statusCode ?? 0,
          statusText: response.statusMessage ?? '',
          headers: response.headers,
          redirect: parseRedirect(response, `${origin}${request.path}`),
          body: await readText(response),
        };
        options.onAnswer?.(request, answer);
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Failure) {
          throw error;
        }
        const reason = limit.aborted ? `no whole answer within ${limitMs / 1000} s` : describeError(error);
        throw new Failure(`${request.method} ${request.path} at ${formatAuthority(host, port)} failed: ${reason}`, {
          cause: error,
        });
      }
    },
  };

  function send({ method, path, form }: WebRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const body = form && new URLSearchParams(form).toString();
    const cookie = cookies.header();
    const headers = {
      'User-Agent': 'upsget',
      Accept: 'text/html',
      Connection: 'close',
      ...(cookie === undefined ? {} : { Cookie: cookie }),
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': Buffer.byteLength(body) }),
    };
    return new Promise((resolve, reject) => {
      httpsRequest(`${origin}${path}`, { method, headers, signal, createConnection: connect(signal) })
        .on('response', resolve)
        .on('error', reject)
        .end(body);
    });
  }
}

/** The target of a redirect. Throws when it is another server, which must not receive cookies and passwords. */
function parseRedirect(response: IncomingMessage, from: string): string | null {
  const { statusCode = 0 } = response;
  const location = response.headers.location;
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) {
    return null;
  }
  const target = URL.parse(location, from);
  if (target === null) {
    response.destroy();
    throw new Failure(`the UPS redirects to "${location.slice(0, 100)}", which is no address`);
  }
  if (target.origin !== new URL(from).origin) {
    response.destroy();
    throw new Failure(`the UPS redirects to another server, ${target.origin}; that is not followed`);
  }
  return `${target.pathname}${target.search}`;
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > limits.bodyBytes) {
      throw new Failure(`the page is larger than ${limits.bodyBytes / 1024 / 1024} MiB; this is no UPS status page`);
    }
    parts.push(part);
  }
  const bytes = await decodeContent(Buffer.concat(parts), response.headers['content-encoding']);
  return decodeText(bytes, response.headers['content-type']);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; is the address right and the UPS management running?',
  ENOTFOUND: 'the host name is not known; check its spelling',
  EAI_AGAIN: 'the host name could not be looked up; check the name server',
  EHOSTUNREACH: 'there is no route to this host; check address and network',
  ENETUNREACH: 'there is no route to this network; check address and network',
  ETIMEDOUT: 'no answer to the connection; check address and firewall',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ERR_SSL_WRONG_VERSION_NUMBER: 'this port does not speak HTTPS; check the port',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'it offers old TLS only; try --tls-legacy',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'it offers old TLS only; try --tls-legacy',
  ERR_SSL_DH_KEY_TOO_SMALL: 'its keys are too short for today; try --tls-legacy',
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: 'it offers old TLS only; try --tls-legacy',
};

function describeError(error: unknown): string {
  const code = getErrorCode(error) ?? '';
  const text = error instanceof Error ? error.message : String(error);
  if (code.startsWith('HPE_')) {
    return `the answer is not HTTP as it should be (${code})`;
  }
  if (code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE') {
    return 'the compressed page cannot be decoded';
  }
  return reasons[code] ?? (text === 'aborted' ? 'the connection was cut in the middle of the answer' : firstLine(text));
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 200) ?? '';
}

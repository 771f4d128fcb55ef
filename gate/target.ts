// HTTP client for the staged endpoint: it connects to the pinned address, with the canonical name in TLS and Host.
import { randomUUID } from 'node:crypto';
import { lookup as resolve } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from 'node:zlib';
import { Agent, type Dispatcher, request } from 'undici';
import { limits } from '#contract/limits.ts';
import { parseJson } from '#kernel/text/json.ts';

/** A complete response. `json` is undefined when the body is not JSON; of an event stream it is the first message. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  json: unknown;
  requestId: string;
  /** The head arrived before the body: no proxy buffers responses. */
  headCameFirst: boolean;
}

export interface Ask {
  method?: 'GET' | 'POST' | 'OPTIONS' | 'DELETE';
  token?: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Aborts this request. The signal of the run, which does so otherwise, then does not. */
  signal?: AbortSignal;
}

export interface HttpOptions {
  timeoutMs: number;
  /** PEM of a CA trusted in addition to the public ones. */
  ca?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Local address of connections; the system's choice when absent. */
  localAddress?: string;
}

export interface Http extends AsyncDisposable {
  /** Sends one request; `name` becomes part of the request id. It follows no redirects. Rejects on transport errors. */
  ask(name: string, url: URL, ask?: Ask): Promise<Answer>;
}

/** `pinned`: every connection goes to this address, independent of the name in the URL. */
export function createHttp({ timeoutMs, ca, signal: runSignal, localAddress }: HttpOptions, pinned?: Address): Http {
  const agent = new Agent({
    ...(localAddress === undefined ? {} : { localAddress }),
    connect: {
      timeout: timeoutMs,
      ...trustedCa(ca),
      ...(pinned ? { lookup: createFixedLookup(pinned) } : {}),
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  return {
    async ask(name, url, { method = 'GET', token, headers = {}, body, signal = runSignal } = {}) {
      const requestId = `gate-${name}-${randomUUID()}`;
      const response = await request(url, {
        method,
        dispatcher: agent,
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
        headers: {
          'x-request-id': requestId,
          accept: 'application/json, text/event-stream',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      });
      const headCameFirst = response.body.readableLength === 0;
      const text = decodeBody(await readBounded(response), response);
      return {
        status: response.statusCode,
        headers: response.headers,
        json: parseMessage(text, response),
        requestId,
        headCameFirst,
      };
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/** TLS options that trust `ca` (PEM) in addition to the public CAs; without it, the public CAs only. */
export function trustedCa(ca: string | undefined): { ca?: string[] } {
  return ca === undefined ? {} : { ca: [...rootCertificates, ca] };
}

export interface Address {
  address: string;
  family: number;
}

/** The distinct addresses of the staged target (MCP_GATE_CONNECT_ADDRESS). Rejects when there is none. */
export async function resolveTarget(hosts: string): Promise<readonly [Address, ...Address[]]> {
  const found = await Promise.all(
    hosts.split(',').map(async (host) => {
      const family = isIP(host);
      return family === 0 ? resolve(host, { all: true }) : [{ address: host, family }];
    }),
  );
  const [first, ...more] = [...new Map(found.flat().map((one) => [one.address, one])).values()];
  if (!first) {
    throw Object.assign(new Error('the target has no address'), { code: 'ENOTFOUND' });
  }
  return [first, ...more];
}

function createFixedLookup({ address, family }: Address): LookupFunction {
  return (_name, options, callback) => {
    if (options.all) {
      callback(null, [{ address, family }]);
    } else {
      callback(null, address, family);
    }
  };
}

class AnswerTooLarge extends Error {
  readonly code = 'ANSWER_TOO_LARGE';
}

async function readBounded({ body }: Dispatcher.ResponseData): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limits.gateAnswerBytes) {
      throw new AnswerTooLarge('the answer is larger than a megabyte');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const decoders: Readonly<Record<string, (bytes: Buffer, options: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: (bytes, { maxOutputLength }) => brotliDecompressSync(bytes, { maxOutputLength }),
};

/** Decodes a body (RFC 9110 §8.4); empty when it does not match Content-Encoding. */
function decodeBody(bytes: Buffer, { headers }: Dispatcher.ResponseData): string {
  const decode = decoders[String(headers['content-encoding'] ?? '').toLowerCase()];
  try {
    return (decode ? decode(bytes, { maxOutputLength: limits.gateAnswerBytes }) : bytes).toString('utf8');
  } catch {
    return '';
  }
}

/** The JSON of a body, or of the first data event of a stream (era 2025-11-25). */
function parseMessage(text: string, { headers }: Dispatcher.ResponseData): unknown {
  const type = String(headers['content-type'] ?? '');
  if (/^text\/event-stream\b/i.test(type)) {
    const events = text.split(/\r?\n\r?\n/).map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    );
    return parseJson(events.find((data) => data.startsWith('{')) ?? '');
  }
  return parseJson(text);
}

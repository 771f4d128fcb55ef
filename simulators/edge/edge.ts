// A TLS proxy as an operator puts in front of the MCP endpoint: canonical names outside, plain HTTP on loopback inside.
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { z } from 'zod';
import type { Clock } from '#kernel/time/clock.ts';
import type { ArmedFaults } from '../support/armed-faults.ts';
import type { Certificate } from '../support/certificates.ts';
import { parseChange } from '../support/change.ts';
import { toRunning } from '../support/running.ts';
import type { Control, Simulator, SimulatorOptions } from '../support/simulator.ts';
import { createSimulatorBase } from '../support/simulator-base.ts';
import { forwardAnswer, planPassage } from './answers.ts';
import { type EdgeFault, edgeFaults } from './faults.ts';
import { alterPath, alterRequest, answerInstead, needsBody, requestName } from './misbehaviour.ts';

/** Upstreams by path prefix; the longest prefix wins. A path without one is answered 404. */
export type Upstreams = Readonly<Record<string, URL>>;

export interface EdgeOptions extends SimulatorOptions {
  certificate: Certificate;
  otherCertificate?: Certificate;
  upstreams?: Upstreams;
}

export interface EdgeControl extends Control<EdgeFault> {
  readonly upstreams: Upstreams;
  setUpstreams(upstreams: Upstreams): void;
  /** Presented on new connections; without one the certificate it was started with. */
  setCertificate(certificate?: Certificate): void;
}

export interface Edge extends EdgeControl, Simulator {}

const patchSchema = z.strictObject({ upstreams: z.record(z.string().startsWith('/'), z.url()).optional() });
/** Headers that belong to one connection (RFC 9110 §7.6.1). */
const hopByHop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** Forwards as it comes and goes, without buffering; sets X-Forwarded-For and X-Forwarded-Proto. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { certificate, otherCertificate } = options;
  const base = createSimulatorBase<EdgeFault>(options, { faults: edgeFaults });
  const { clock, faults, journal } = base;
  let upstreams = options.upstreams ?? {};
  const other = otherCertificate && createSecureContext(otherCertificate);
  let presented = createSecureContext(certificate);
  const cache: Forwarding['cache'] = new Map();
  const server = createServer(
    {
      key: certificate.key,
      cert: certificate.cert,
      SNICallback: (_name, callback) => callback(null, (faults.take('wrong-certificate') && other) || presented),
    },
    (request, response) => {
      const { servername } = request.socket as TLSSocket;
      journal.add('request', { method: request.method, path: request.url, host: request.headers.host, servername });
      if (!answerInstead(faults, request, response)) {
        const upstream = findUpstream(upstreams, request.url ?? '/');
        forward({ request, response, faults, upstream, clock, cache }).catch(() => response.destroy());
      }
    },
  );
  const address = await base.listen(server);
  const first = upstreams;
  const control: EdgeControl = {
    get upstreams() {
      return upstreams;
    },
    setUpstreams: (next) => {
      upstreams = next;
    },
    setCertificate: (next = certificate) => {
      presented = createSecureContext(next);
    },
    ...base.control,
    fail(fault, faultOptions) {
      if (fault === 'wrong-certificate' && !other) {
        throw new Error('wrong-certificate needs another certificate: start the edge with one');
      }
      faults.arm(fault, faultOptions);
      // Without its options: a value may be a token.
      journal.add('fault-armed', { fault });
    },
    clearFaults() {
      faults.clear();
      cache.clear();
    },
    reset() {
      upstreams = first;
      presented = createSecureContext(certificate);
      cache.clear();
      faults.clear();
      journal.clear();
    },
    state: () => ({ upstreams, faults: faults.list().map(({ fault, left }) => ({ fault, left })) }),
    patch(change) {
      const parsed = parseChange(patchSchema, change).upstreams;
      upstreams = parsed
        ? Object.fromEntries(Object.entries(parsed).map(([prefix, url]) => [prefix, new URL(url)]))
        : upstreams;
    },
  };
  return toRunning(control, {
    url: new URL(`https://${address}`),
    [Symbol.asyncDispose]: () => base.close(server),
  });
}

function findUpstream(upstreams: Upstreams, path: string): URL | undefined {
  const [prefix] = Object.keys(upstreams)
    .filter((one) => path === one || path.startsWith(one.endsWith('/') ? one : `${one}/`) || path.startsWith(`${one}?`))
    .sort((a, b) => b.length - a.length);
  return prefix === undefined ? undefined : upstreams[prefix];
}

interface Forwarding {
  request: IncomingMessage;
  response: ServerResponse;
  faults: ArmedFaults<EdgeFault>;
  upstream: URL | undefined;
  clock: Clock;
  /** Answers by path and body, for `cache-answers`. */
  cache: Map<string, { headers: IncomingHttpHeaders; text: string }>;
}

async function forward({ request, response, faults, upstream, clock, cache }: Forwarding): Promise<void> {
  if (!upstream) {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not_found"}');
    return;
  }
  const name = requestName(request);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const body = needsBody(faults, name) ? Buffer.concat(await request.toArray()) : null;
  const key = body && faults.armed('cache-answers', name) ? `${request.url}\n${body.toString('utf8')}` : null;
  const kept = key === null ? undefined : cache.get(key);
  if (kept) {
    response.writeHead(200, kept.headers).end(kept.text);
    return;
  }
  const slow = faults.take('slow', name);
  if (slow) {
    await clock.sleep(Number(slow.value), gone.signal).catch(() => undefined);
  }
  let isAnswered = false;
  const onward = http.request(
    {
      host: upstream.hostname,
      port: upstream.port,
      method: request.method,
      path: alterPath(faults, name, request.url ?? '/'),
      headers: alterRequest(faults, name, forwardedHeaders(request, faults), body),
      signal: gone.signal,
    },
    (answer) => {
      isAnswered = true;
      answer.headers = withoutHops(answer.headers);
      const passage = planPassage(faults, request, answer);
      forwardAnswer(answer, response, passage).then(
        (text) => {
          if (key !== null && passage.status === 200) {
            const { 'content-length': _length, ...headers } = passage.headers;
            cache.set(key, { headers, text });
          }
        },
        () => response.destroy(),
      );
    },
  );
  onward.on('error', () => {
    if (isAnswered) {
      // The rest of the request was not wanted; the answer is passed on whole.
      return;
    }
    if (!response.headersSent) {
      response.writeHead(502, { 'content-type': 'application/json' }).end('{"error":"bad_gateway"}');
    } else {
      response.destroy();
    }
  });
  if (body === null) {
    request.pipe(onward);
  } else {
    onward.end(body);
  }
}

/** The address of the client replaces what the client says of it. */
function forwardedHeaders(request: IncomingMessage, faults: ArmedFaults<EdgeFault>): IncomingHttpHeaders {
  const { 'x-forwarded-for': before, ...headers } = withoutHops(request.headers);
  const from = request.socket.remoteAddress ?? '';
  const appended = before !== undefined && faults.take('append-forwarded-for') ? `${String(before)}, ${from}` : from;
  return {
    ...headers,
    'x-forwarded-for': before !== undefined && faults.take('keep-forwarded-for') ? before : appended,
    'x-forwarded-proto': 'https',
  };
}

function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)));
}

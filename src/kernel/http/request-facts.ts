// The metadata of a request: client address, host, protocol, headers and cookies.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

export interface RequestFacts {
  readonly id: string;
  readonly method: string;
  /** Without query, at most 512 printable characters: the only part of a URL that is logged. */
  readonly path: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Of the client: the socket's, or what a trusted proxy says. */
  readonly address: string;
  /** Requested host and port, from `Host` or a trusted proxy. */
  readonly host: string;
  /** Over TLS, to us or to a trusted proxy. */
  readonly isSecure: boolean;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly cookies: Readonly<Record<string, string | undefined>>;
}

export function requestFacts(request: FastifyRequest): RequestFacts {
  return {
    id: request.id,
    method: request.method,
    path: printablePath(request.url),
    target: request.url,
    address: request.ip,
    host: request.host,
    isSecure: request.protocol === 'https',
    headers: request.headers,
    cookies: request.cookies,
  };
}

/** The path of a URL without its query, at most 512 printable characters. */
export function printablePath(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.slice(0, 512).replace(/[^\x20-\x7e]/g, '?');
}

// What the faults of the edge do to requests and answers on their way.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { ArmedFaults } from '../armed-faults.ts';
import type { EdgeFault } from './faults.ts';

type Faults = ArmedFaults<EdgeFault>;

const metadataRoot = '/.well-known/oauth-protected-resource';

/** Answers in place of the upstream when a fault says so; true when it did. */
export function answerInstead(faults: Faults, request: IncomingMessage, response: ServerResponse): boolean {
  const path = request.url ?? '/';
  if (faults.take('redirect-to-other-host')) {
    response.writeHead(302, { location: 'https://elsewhere.gatehouse.example/' }).end();
    return true;
  }
  if (faults.take('bad-gateway')) {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
    return true;
  }
  const isDropped =
    (path === metadataRoot && faults.take('drop-metadata-root')) ||
    (path.startsWith(`${metadataRoot}/`) && faults.take('drop-metadata-path'));
  if (isDropped) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404 Not Found</h1>');
    return true;
  }
  if (path.startsWith(metadataRoot) && faults.take('html-metadata')) {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
    return true;
  }
  return false;
}

export function alterRequest(faults: Faults, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const id = requestIdOf(headers);
  const good = headers.authorization === undefined ? null : faults.take('accept-any-token', id);
  const withToken = good ? { ...headers, authorization: `Bearer ${String(good.value ?? '')}` } : headers;
  const withId = faults.take('new-request-id', id) ? { ...withToken, 'x-request-id': randomUUID() } : withToken;
  return faults.take('strip-mcp-headers', id)
    ? Object.fromEntries(Object.entries(withId).filter(([name]) => !name.startsWith('mcp-')))
    : withId;
}

/** What `command` of a fault is compared with. */
export function requestIdOf({ 'x-request-id': id = '' }: IncomingHttpHeaders): string {
  return String(id);
}

export function changeAnswer(
  faults: Faults,
  status: number,
  headers: IncomingHttpHeaders,
): { status: number; headers: IncomingHttpHeaders } {
  const hidden = [
    ...(headers['www-authenticate'] !== undefined && faults.take('strip-challenge') ? ['www-authenticate'] : []),
    ...(headers['retry-after'] !== undefined && faults.take('strip-retry-after') ? ['retry-after'] : []),
  ];
  return {
    status: status === 429 && faults.take('swallow-429') ? 401 : status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !hidden.includes(name))),
  };
}

// What the faults of the edge do to requests on their way, and where it answers itself.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { ArmedFaults } from '../support/armed-faults.ts';
import type { EdgeFault } from './faults.ts';

type Faults = ArmedFaults<EdgeFault>;

const metadataRoot = '/.well-known/oauth-protected-resource';
const html = { 'content-type': 'text/html' };

export function requestName({ headers }: IncomingMessage): string {
  return String(headers['x-request-id'] ?? '');
}

/** Answers instead of the upstream when a fault says so; true when it did. */
export function answerInstead(faults: Faults, request: IncomingMessage, response: ServerResponse): boolean {
  const path = request.url ?? '/';
  const name = requestName(request);
  if (faults.take('redirect-to-other-host', name)) {
    response.writeHead(302, { location: 'https://elsewhere.gatehouse.example/' }).end();
    return true;
  }
  if (faults.take('bad-gateway', name)) {
    response.writeHead(502, html).end('<h1>502 Bad Gateway</h1>');
    return true;
  }
  const isDropped =
    (path === metadataRoot && faults.take('drop-metadata-root')) ||
    (path.startsWith(`${metadataRoot}/`) && faults.take('drop-metadata-path'));
  if (isDropped) {
    response.writeHead(404, html).end('<h1>404 Not Found</h1>');
    return true;
  }
  if (path.startsWith(metadataRoot) && faults.take('html-metadata')) {
    response.writeHead(200, html).end('<h1>Welcome</h1>');
    return true;
  }
  if (faults.take('ask-for-password', name)) {
    response.writeHead(401, { ...html, 'www-authenticate': 'Basic realm="staging"' }).end('<h1>401</h1>');
    return true;
  }
  if (request.method === 'OPTIONS' && faults.take('answer-preflight', name)) {
    const every = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
    response.writeHead(204, every).end();
    return true;
  }
  const limit = faults.armed('body-limit', name);
  if (limit && Number(request.headers['content-length'] ?? 0) > Number(limit.value)) {
    response.writeHead(413, { ...html, connection: 'close' }).end('<h1>413 Request Entity Too Large</h1>');
    return true;
  }
  return false;
}

export function alterPath(faults: Faults, name: string, path: string): string {
  const [from = '', to = ''] = faultText(faults.take('rewrite-path', name)).split(' => ');
  return from === '' ? path : path.replace(from, to);
}

/** Whether a fault must see the body of the request before it is passed on. */
export function needsBody(faults: Faults, name: string): boolean {
  return faults.armed('repair-header', name) !== null || faults.armed('cache-answers', name) !== null;
}

/** `body`: of the request, where a fault needs it. */
export function alterRequest(
  faults: Faults,
  name: string,
  headers: IncomingHttpHeaders,
  body: Buffer | null,
): IncomingHttpHeaders {
  const altered = { ...headers };
  const good = headers.authorization === undefined ? null : faults.take('accept-any-token', name);
  if (good) {
    altered.authorization = `Bearer ${faultText(good)}`;
  }
  if (faults.take('new-request-id', name)) {
    altered['x-request-id'] = randomUUID();
  }
  const [set = '', value = ''] = faultText(faults.take('set-header', name)).split(': ');
  const stripped = faultText(faults.take('strip-header', name)).toLowerCase().split(',');
  const isMcpStripped = faults.take('strip-mcp-headers', name) !== null;
  const repaired = faultText(faults.take('repair-header', name)).toLowerCase();
  const said = body === null ? undefined : readFromBody(repaired, body);
  return Object.fromEntries(
    Object.entries({
      ...altered,
      ...(set === '' ? {} : { [set.toLowerCase()]: value }),
      ...(said === undefined ? {} : { [repaired]: said }),
    }).filter(([one]) => !stripped.includes(one) && !(isMcpStripped && one.startsWith('mcp-'))),
  );
}

/** What a header must repeat, as the body says it; undefined when it says nothing. */
function readFromBody(header: string, body: Buffer): string | undefined {
  const patterns: Readonly<Record<string, RegExp>> = {
    'mcp-method': /"method"\s*:\s*"([^"]+)"/,
    'mcp-name': /"params"\s*:\s*\{\s*"name"\s*:\s*"([^"]+)"/,
    'mcp-protocol-version': /"io\.modelcontextprotocol\/protocolVersion"\s*:\s*"([^"]+)"/,
  };
  return patterns[header]?.exec(body.toString('utf8'))?.[1];
}

function faultText(armed: { value?: unknown } | null): string {
  return String(armed?.value ?? '');
}

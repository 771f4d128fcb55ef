// One request to the simulated providers as it was received: which provider, where, and with what.
import type { IncomingMessage } from 'node:http';
import { readBody } from '../support/body.ts';
import { type Provider, type Surface, surfaces } from './surfaces.ts';

export interface Received {
  /** 1 for the first request since the start. */
  number: number;
  /** Epoch milliseconds. */
  at: number;
  provider: Provider;
  surface: Surface;
  method: string;
  /** Without the query, behind the surface: `/v1/messages`; percent-encoded as it was sent. */
  path: string;
  /** The same with the surface: `/cloud_a/v1/messages`; `command` of a fault is compared with it. */
  fullPath: string;
  query: string;
  /** Names in lower case; several values of one name are joined with commas. */
  headers: Readonly<Record<string, string>>;
  /** As it was sent. */
  body: string;
}

const longestBody = 4_194_304;

/** Reads the whole request; null when it is for no provider. Rejects when the client goes away or its body is over 4 MB. */
export async function readRequest(request: IncomingMessage, number: number, at: number): Promise<Received | null> {
  const [fullPath = '/', query = ''] = (request.url ?? '/').split('?');
  const [, name = '', path = '/'] = /^\/([a-z_]+)(\/.*)?$/.exec(fullPath) ?? [];
  const body = await readBody(request, longestBody);
  if (body === null) {
    throw new Error(`${fullPath}: the body is longer than ${longestBody} characters`);
  }
  if (!isSurface(name)) {
    return null;
  }
  const headers = Object.entries(request.headers).map(([header, value = '']) => [header, [value].flat().join(',')]);
  return {
    number,
    at,
    provider: surfaces[name],
    surface: name,
    method: request.method ?? 'GET',
    path,
    fullPath,
    query,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body,
  };
}

function isSurface(name: string): name is Surface {
  return Object.hasOwn(surfaces, name);
}

/** The token behind `Bearer`; null without one. */
export function readBearer({ headers }: Received): string | null {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The object in a JSON body, or what is wrong with the body, as a sentence. */
export function readJsonObject({ headers, body }: Received): Record<string, unknown> | string {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json') {
    return `Unsupported content type '${type}': this method accepts application/json.`;
  }
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : 'The body of the request is no JSON object.';
  } catch {
    return 'The body of the request could not be parsed as JSON.';
  }
}

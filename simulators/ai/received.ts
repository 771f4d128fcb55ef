// Reads a request to the simulated providers: which provider it is for, and what it holds.
import type { IncomingMessage } from 'node:http';
import { readBody } from '../support/body.ts';
import { type Provider, type Surface, surfaces } from './surfaces.ts';

export interface AiRequest {
  /** 1 for the first request since the start. */
  number: number;
  /** When it came, epoch milliseconds. */
  at: number;
  provider: Provider;
  /** First part of the path. Bedrock has two, one for each of its services. */
  surface: Surface;
  method: string;
  /** The path without surface and query, such as `/v1/messages`; still percent-encoded. */
  path: string;
  /** The path with the surface, such as `/cloud_a/v1/messages`; `command` of a fault is compared with it. */
  fullPath: string;
  /** What follows the `?`, still percent-encoded; often empty. */
  query: string;
  /** Names in lower case. Node joins the values of a repeated header, or keeps only the first. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

const maxBodyCharacters = 4_194_304;

/** Reads a request; null when it is for no provider. Rejects when the client goes away or the body is too long. */
export async function readRequest(request: IncomingMessage, number: number, at: number): Promise<AiRequest | null> {
  const [fullPath = '/', query = ''] = (request.url ?? '/').split('?');
  const [, name = '', path = '/'] = /^\/([a-z_]+)(\/.*)?$/.exec(fullPath) ?? [];
  const body = await readBody(request, maxBodyCharacters);
  if (body === null) {
    throw new Error(`${fullPath}: the body is longer than ${maxBodyCharacters} characters`);
  }
  if (!isSurface(name)) {
    return null;
  }
  const headers = Object.entries(request.headers).map(([header, value = '']) => [header, String(value)]);
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

/** Returns the token of the header `Authorization: Bearer TOKEN`, or null. */
export function readBearer({ headers }: AiRequest): string | null {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** Returns the object in a JSON body, or a sentence that says what is wrong with the body. */
export function readJsonObject({ headers, body }: AiRequest): Record<string, unknown> | string {
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

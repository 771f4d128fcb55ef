// One request to the simulated web UI, taken apart: path without session parameter, query, form and cookies.
import type { IncomingMessage } from 'node:http';
import { readBody } from '../support/body.ts';

export interface Call {
  /** 1 for the first request since the start. */
  number: number;
  method: string;
  path: string;
  /** Session id that stood in the path (`;jsessionid=…`); null without one. */
  sessionParameter: string | null;
  query: URLSearchParams;
  form: URLSearchParams;
  cookies: readonly { name: string; value: string }[];
  /** Authority of the Host header; null without one. */
  host: string | null;
  connection: string;
  userAgent: string;
}

const longestBody = 65_536;

/** Reads the whole request; null when its body is longer than 64 KiB. Rejects when the client goes away in mid-body. */
export async function readCall(request: IncomingMessage, number: number): Promise<Call | null> {
  const body = await readBody(request, longestBody);
  if (body === null) {
    return null;
  }
  const target = request.url ?? '/';
  const cut = target.indexOf('?');
  const [pathText, queryText] = cut < 0 ? [target, ''] : [target.slice(0, cut), target.slice(cut + 1)];
  const [path = '/', ...parameters] = pathText.split(';');
  return {
    number,
    method: request.method ?? 'GET',
    path,
    sessionParameter: parameters.map((one) => one.slice(one.indexOf('=') + 1)).at(-1) ?? null,
    query: new URLSearchParams(queryText),
    form: new URLSearchParams(body),
    cookies: parseCookies(request.headers.cookie ?? ''),
    host: request.headers.host ?? null,
    connection: request.headers.connection ?? '',
    userAgent: request.headers['user-agent'] ?? '',
  };
}

function parseCookies(header: string): { name: string; value: string }[] {
  return header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.includes('='))
    .map((part) => ({ name: part.slice(0, part.indexOf('=')), value: part.slice(part.indexOf('=') + 1) }));
}

/** What the journal shows of a call: no password, no token, no session id. */
export function describeCall({ number, method, path, form, query, cookies, connection, userAgent }: Call) {
  return {
    number,
    method,
    path,
    query: maskParameters(query),
    form: maskParameters(form),
    cookies: cookies.map(({ name }) => name),
    connection,
    userAgent,
  };
}

function maskParameters(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...parameters].map(([name, value]) => [name, /password|token$/i.test(name) && value !== '' ? '***' : value]),
  );
}

// What goes back over HTTP: JSON as the service writes it, and what the faults put in its place.
import type { ServerResponse } from 'node:http';
import type { FaultAnswers } from '../support/fault-answers.ts';
import type { ChatFault } from './faults.ts';
import { refuse } from './methods.ts';
import type { IssuedToken } from './settings.ts';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function asJson(answer: object, headers: Record<string, string> = {}): Reply {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(answer),
  };
}

export function rateLimited(retryAfterSec: number): Reply {
  return { ...asJson(refuse('ratelimited'), { 'retry-after': String(retryAfterSec) }), status: 429 };
}

const page = '<!doctype html><html><body>Something went wrong.</body></html>';
const html = { headers: { 'content-type': 'text/html' }, body: page };

/** Faults that keep a call from being carried out. */
export const faultAnswers: FaultAnswers<ChatFault, Reply> = [
  ['invalid_auth', () => asJson(refuse('invalid_auth'))],
  ['error', (value) => asJson(refuse(String(value)))],
  ['rate-limited', (value) => rateLimited(Number(value ?? 30))],
  ['server-error', (value) => ({ status: Number(value ?? 500), ...html })],
  ['html-answer', () => ({ status: 200, ...html })],
  ['large-answer', () => asJson({ ok: true, padding: 'x'.repeat(2_000_000) })],
];

/** Why a token opens nothing; null when it does. */
export function tokenRefusal({ state }: IssuedToken): string | null {
  const codes = { active: null, revoked: 'token_revoked', expired: 'token_expired', inactive: 'account_inactive' };
  return codes[state];
}

export function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

// What the faults of the edge do to answers on their way back.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { ArmedFaults } from '../support/armed-faults.ts';
import type { EdgeFault } from './faults.ts';
import { requestName } from './misbehaviour.ts';

type Faults = ArmedFaults<EdgeFault>;

/** Head of an answer, and what is done with its body: `null` passes it on as it comes. */
export interface Passage {
  status: number;
  headers: IncomingHttpHeaders;
  rewrite: ((body: string) => string) | null;
  /** The head waits for the end of the body as well. */
  isHeld: boolean;
}

export function planPassage(faults: Faults, request: IncomingMessage, answer: IncomingMessage): Passage {
  const name = requestName(request);
  const before = answer.statusCode ?? 502;
  const status = before === 429 && faults.take('swallow-429', name) ? 401 : before;
  const page = errorPage(faults, name, status);
  const rewrite = page ? () => page : bodyChange(faults, name);
  const [set = '', value = ''] = String(faults.take('set-answer-header', name)?.value ?? '').split(': ');
  const isLabelled = /\bgzip\b/.test(String(request.headers['accept-encoding'])) && faults.take('label-gzip', name);
  return {
    status,
    headers: {
      ...withoutHidden(faults, name, answer.headers),
      ...(set === '' ? {} : { [set.toLowerCase()]: value }),
      ...(isLabelled ? { 'content-encoding': 'gzip' } : {}),
      ...(page ? { 'content-type': 'text/html' } : {}),
    },
    rewrite,
    isHeld: faults.take('buffer', name) !== null,
  };
}

/** Passes an answer on as a proxy without buffers does, or as the faults have it. Resolves to its body where it was buffered. */
export async function forwardAnswer(
  answer: IncomingMessage,
  response: ServerResponse,
  passage: Passage,
): Promise<string> {
  const { status, headers, rewrite, isHeld } = passage;
  const isStream = /^text\/event-stream\b/.test(String(headers['content-type']));
  if (!rewrite && !isHeld) {
    response.writeHead(status, headers);
    if (isStream) {
      response.flushHeaders();
    }
    answer.pipe(response);
    return '';
  }
  const { 'content-length': _length, ...rest } = headers;
  if (isStream && !isHeld) {
    response.writeHead(status, rest).flushHeaders();
  }
  const text = Buffer.concat(await answer.toArray()).toString('utf8');
  const changed = rewrite ? rewrite(text) : text;
  if (!response.headersSent) {
    response.writeHead(status, { ...rest, 'content-length': Buffer.byteLength(changed) });
  }
  response.end(changed);
  return changed;
}

function withoutHidden(faults: Faults, name: string, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const hidden = [
    ...(headers['www-authenticate'] !== undefined && faults.take('strip-challenge', name) ? ['www-authenticate'] : []),
    ...(headers['retry-after'] !== undefined && faults.take('strip-retry-after', name) ? ['retry-after'] : []),
  ];
  return Object.fromEntries(Object.entries(headers).filter(([one]) => !hidden.includes(one)));
}

function errorPage(faults: Faults, name: string, status: number): string | null {
  const only = faults.armed('error-pages', name);
  return only && status >= 400 && (only.value === undefined || only.value === status)
    ? `<html><h1>${status}</h1></html>`
    : null;
}

function bodyChange(faults: Faults, name: string): ((body: string) => string) | null {
  const rewriting = faults.take('rewrite-body', name);
  const cut = faults.take('truncate', name);
  if (!rewriting && !cut) {
    return faults.armed('cache-answers', name) ? (body) => body : null;
  }
  const [from = '', to = ''] = String(rewriting?.value ?? '').split(' => ');
  return (body) => {
    const changed = from === '' ? body : body.replaceAll(from, to);
    return cut ? changed.slice(0, Number(cut.value)) : changed;
  };
}

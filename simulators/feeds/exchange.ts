// One request to the simulated feeds and reputation services, answered as it should be or as a fault wants it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { toDate } from '#kernel/time/clock.ts';
import type { Armed } from '../support/armed-faults.ts';
import { answerFirst, type FaultAnswers } from '../support/fault-answers.ts';
import type { SimulatorBase } from '../support/simulator-base.ts';
import type { FeedFault } from './faults.ts';
import type { Rows } from './listing.ts';
import { type Publication, type Publications, pages } from './publications.ts';
import {
  askedAddress,
  keyHeaders,
  keyRefusals,
  type ReputationService,
  reportReputation,
  reputationServices,
} from './reputation.ts';

export interface FeedSettings {
  authKey: string;
  keys: Record<ReputationService, string>;
}

export interface ExchangeOptions {
  rows: Rows;
  settings: FeedSettings;
  publications: Publications;
  base: SimulatorBase<FeedFault>;
}

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Bytes sent of an announced body; all when absent. */
  sent?: number;
}

const page = '<!doctype html><html><head><title>Welcome</title></head><body><p>It works!</p></body></html>\n';
const html = { 'content-type': 'text/html; charset=utf-8' };

export function createExchange(options: ExchangeOptions) {
  const { faults, journal, delay, stopped } = options.base;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://simulator.invalid');
    const path = url.pathname;
    const sent = await readText(request);
    const take = (fault: FeedFault) => {
      const armed = faults.take(fault, path);
      if (armed) {
        journal.add('fault', { fault, path });
      }
      return armed;
    };
    await delay(take('slow'));
    const reply = answerFirst(faultAnswers, take) ?? answer(options, request, url, sent, take);
    journal.add('request', {
      method: request.method,
      path,
      query: url.search,
      conditional: request.headers['if-none-match'] !== undefined,
      status: reply.status,
      bytes: reply.body?.length ?? 0,
    });
    await deliver(response, reply, take('hang') !== null, stopped);
  };
}

type TakeFault = (fault: FeedFault) => Armed<FeedFault> | null;

const faultAnswers: FaultAnswers<FeedFault, Reply> = [
  ['error-500', () => ({ status: 500, headers: html, body: page })],
  [
    'too-many',
    (value) => ({ status: 429, headers: { 'retry-after': String(value ?? 30) }, body: 'Too many requests\n' }),
  ],
  ['forbidden', () => ({ status: 403, headers: html, body: page })],
  ['html', () => ({ status: 200, headers: html, body: page })],
  ['empty', () => ({ status: 200, headers: { 'content-type': 'text/csv' }, body: '' })],
  ['redirect', (value) => ({ status: 302, headers: { location: String(value ?? 'https://elsewhere.invalid/') } })],
];

function answer(options: ExchangeOptions, request: IncomingMessage, url: URL, sent: string, take: TakeFault): Reply {
  const service = reputationServices.find((name) => url.pathname.startsWith(`/${name}/`));
  if (service) {
    return reputation(options, service, request, url, take);
  }
  const published = pages[url.pathname];
  if (!published || published.method !== request.method) {
    return { status: 404, headers: html, body: page };
  }
  if (published.locked && !isUnlocked(options.settings.authKey, request, url)) {
    return { status: 401, headers: { 'content-type': 'application/json' }, body: '{"error":"Unauthorized"}' };
  }
  if (published.method === 'POST' && !sent.includes('get_fplist')) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"query_status":"unknown_query"}' };
  }
  return document(options, url.pathname, request, take);
}

/** The key travels in the address of a download, and in a header of the API. */
function isUnlocked(key: string, request: IncomingMessage, url: URL): boolean {
  return (url.searchParams.get('auth-key') ?? request.headers['auth-key']) === key;
}

function document(
  { rows, publications }: ExchangeOptions,
  path: string,
  request: IncomingMessage,
  take: TakeFault,
): Reply {
  const publication = take('shrunk') ? publications.from(path, shrinkRows(rows)) : publications.at(path);
  const { etag, changedAt, type } = publication;
  const isBlind = take('no-validators') !== null;
  const lastModified = toDate(changedAt).toUTCString();
  const { 'if-none-match': known, 'if-modified-since': since } = request.headers;
  if (!isBlind && (known === undefined ? since === lastModified : known === etag)) {
    return { status: 304, headers: { etag } };
  }
  const validators = isBlind ? {} : { etag, 'last-modified': lastModified };
  const headers: Record<string, string> = { 'content-type': type, ...validators };
  const huge = take('huge');
  if (huge) {
    return { status: 200, headers, body: Buffer.alloc(Number(huge.value ?? 70_000_000), '# nothing here\n') };
  }
  const body = changed(publication, take);
  const bomb = take('bomb');
  if (bomb) {
    const unpacked = Buffer.alloc(Number(bomb.value ?? 300_000_000), '#');
    return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(unpacked) };
  }
  if (take('cut-off')) {
    return { status: 200, headers, body, sent: Math.floor(body.length / 2) };
  }
  const mayPack = type !== 'application/zip' && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  return mayPack
    ? { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body, { level: 1 }) }
    : { status: 200, headers, body };
}

function changed({ body }: Publication, take: TakeFault): Buffer {
  if (take('half')) {
    return body.subarray(0, body.length / 2);
  }
  if (take('garbled')) {
    const lines = body.toString().split('\n');
    return Buffer.from(
      lines.map((line, index) => (index % 2 === 0 && !line.startsWith('#') ? '\u0000;' : line)).join('\n'),
    );
  }
  return body;
}

function shrinkRows(rows: Rows): Rows {
  const some = <T>(list: readonly T[]) => list.slice(0, Math.floor(list.length / 20));
  const { c2, ioc, url, drop, falsePositives } = rows;
  return { c2: some(c2), ioc: some(ioc), url: some(url), drop: some(drop), falsePositives: some(falsePositives) };
}

function reputation(
  { settings, base }: ExchangeOptions,
  service: ReputationService,
  request: IncomingMessage,
  url: URL,
  take: TakeFault,
): Reply {
  const json = { 'content-type': 'application/json' };
  if (take('not-json')) {
    return { status: 200, headers: html, body: page };
  }
  if (request.headers[keyHeaders[service]] !== settings.keys[service]) {
    const { status, body } = keyRefusals[service];
    return { status, headers: json, body: JSON.stringify(body) };
  }
  const ip = askedAddress(service, url.pathname.slice(service.length + 1), url.searchParams);
  if (ip === null) {
    return { status: 404, headers: json, body: '{"error":"not found"}' };
  }
  const { status, body } = reportReputation(service, ip, base.clock.now());
  const huge = take('huge');
  return {
    status,
    headers: json,
    body: JSON.stringify(huge ? { filler: 'x'.repeat(Number(huge.value ?? 70_000_000)) } : body),
  };
}

async function deliver(response: ServerResponse, reply: Reply, hangs: boolean, stopped: AbortSignal): Promise<void> {
  const body = Buffer.from(reply.body ?? '');
  response.writeHead(reply.status, { 'content-length': body.length, ...reply.headers });
  if (hangs) {
    response.flushHeaders();
    stopped.addEventListener('abort', () => response.destroy(), { once: true });
    return;
  }
  if (reply.sent !== undefined) {
    await new Promise<void>((resolve) => response.write(body.subarray(0, reply.sent), () => resolve()));
    response.socket?.end();
    return;
  }
  response.end(body);
}

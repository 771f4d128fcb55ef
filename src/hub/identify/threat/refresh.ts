// Refreshes one document: the request, the outcome, and when to ask again.
import { limits } from '#contract/limits.ts';
import { hashToken } from '#kernel/text/secret.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import { type DownloadReply, type DownloadRequest, download, parseRetryAfter } from './download.ts';
import { type DocumentName, feedDocuments, type Publisher, publishers } from './feed-documents.ts';
import { failurePhrases } from './feed-failure.ts';
import { pack } from './feeds/unpack.ts';
import type { DocumentRecord } from './store.ts';
import type { DocumentRows } from './tables/rows.ts';
import type { FeedThread } from './thread.ts';

export interface RefreshOptions {
  clock: Clock;
  /** Serves all publishers, each in a folder; null: the publishers themselves are asked. */
  mirror: URL | null;
  /** Key of abuse.ch; empty when there is none. */
  authKey: string;
  /** Parses the answer. */
  thread: FeedThread;
  /** Version of the parsers, stored with the rows. */
  readBy: string;
  signal?: AbortSignal;
}

export interface Refreshed {
  record: DocumentRecord;
  /** The new document, compressed and as rows; absent when the previous one stays. */
  fresh?: { packed: Uint8Array; rows: DocumentRows };
}

/** Random share of the interval, so that not all hubs ask at once. */
const jitter = 0.1;
/** Older data is no longer compared with: a feed that shrank for good is accepted then. */
const comparableMs = 7 * dayMs;

export function buildPublisherUrl(publisher: Publisher, path: string, mirror: URL | null): URL {
  const base = mirror ? new URL(`${mirror.href.replace(/\/$/, '')}/${publisher}/`) : new URL(publishers[publisher]);
  return new URL(path, base);
}

/** Whether the document can be requested with this key. */
export function isUnlocked(name: DocumentName, { refusedKey }: DocumentRecord, authKey: string): boolean {
  return feedDocuments[name].key === 'none' || (authKey !== '' && refusedKey !== hashToken(authKey));
}

/** Requests the document. Rejects only when `signal` is aborted. */
export async function refreshDocument(
  name: DocumentName,
  before: DocumentRecord,
  options: RefreshOptions,
): Promise<Refreshed> {
  const { clock, signal } = options;
  const onBody = () => options.thread.start();
  const reply = await download(clock, { ...buildRequest(name, before, options), onBody }, signal);
  const now = clock.now();
  const attempted = { ...before, attemptedAt: now };
  const failed = (failure: string, waitMs = 0): Refreshed => {
    const failures = before.failures + 1;
    return { record: { ...attempted, failures, failure, nextAt: now + computeRetryMs(name, failures, waitMs) } };
  };
  if ('failure' in reply) {
    return failed(reply.failure);
  }
  const isSame = reply.status === 304 || (reply.status === 200 && reply.sha256 === before.sha256);
  if (isSame && before.fetchedAt !== null) {
    return { record: { ...toSucceeded(name, attempted, now), fetchedAt: before.fetchedAt } };
  }
  if ((reply.status === 401 || reply.status === 403) && feedDocuments[name].key !== 'none') {
    const refusedKey = hashToken(options.authKey);
    return { record: { ...attempted, refusedKey, failure: 'refused the key', failures: before.failures + 1 } };
  }
  if (reply.status !== 200) {
    return failed(formatStatusFailure(reply), parseRetryAfter(reply.headers) ?? 0);
  }
  const isComparable = before.fetchedAt !== null && now - before.fetchedAt < comparableMs;
  const task = { part: name, body: reply.body, before: isComparable ? before.entries : 0 };
  const [checked, packed] = await Promise.all([options.thread.run('check', task), pack(reply.body)]);
  if ('problem' in checked) {
    return failed(failurePhrases.notList(checked.problem));
  }
  const { entries, rows } = checked;
  const validators = {
    etag: reply.headers.get('etag'),
    lastModified: reply.headers.get('last-modified'),
    sha256: reply.sha256,
  };
  const { readBy } = options;
  return {
    record: { ...toSucceeded(name, attempted, now), ...validators, entries, fetchedAt: now, readBy },
    fresh: { packed, rows },
  };
}

function toSucceeded(name: DocumentName, record: DocumentRecord, now: number): DocumentRecord {
  const { everyMs, floorMs } = feedDocuments[name];
  const varied = everyMs * (1 + jitter * (2 * Math.random() - 1));
  const nextAt = now + Math.max(floorMs, Math.round(varied));
  return { ...record, checkedAt: now, nextAt, failures: 0, failure: null, refusedKey: null };
}

/** Five minutes, doubled with each failure up to six hours; never below what the publisher allows or asks for. */
function computeRetryMs(name: DocumentName, failures: number, askedMs: number): number {
  const doubled = Math.min(limits.feedRetryMaxMs, limits.feedRetryMinMs * 2 ** Math.min(failures - 1, 20));
  return Math.max(doubled, askedMs, feedDocuments[name].floorMs);
}

function buildRequest(
  name: DocumentName,
  before: DocumentRecord,
  { mirror, authKey }: RefreshOptions,
): DownloadRequest {
  const { publisher, path, key, body } = feedDocuments[name];
  const url = buildPublisherUrl(publisher, path, mirror);
  if (key === 'query') {
    url.searchParams.set('auth-key', authKey);
  }
  return {
    url,
    headers: {
      'user-agent': 'gatehouse',
      ...(key === 'header' ? { 'auth-key': authKey } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(before.etag === null ? {} : { 'if-none-match': before.etag }),
      ...(before.lastModified === null ? {} : { 'if-modified-since': before.lastModified }),
    },
    ...(body === undefined ? {} : { body }),
    timeoutMs: limits.feedTimeoutMs,
    maxBytes: limits.feedBytes,
  };
}

function formatStatusFailure({ status }: Extract<DownloadReply, { status: number }>): string {
  if (status >= 300 && status < 400) {
    return failurePhrases.redirect(status);
  }
  return status === 429 ? failurePhrases.busy : failurePhrases.status(status);
}

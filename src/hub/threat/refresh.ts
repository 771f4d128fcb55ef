// One document asked for: what is sent, what becomes of the answer, and when it is asked for again.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { hashToken } from '#kernel/secret.ts';
import { dayMs } from '#kernel/time.ts';
import { ask, type Question, type Reply, retryAfterMs } from './download.ts';
import { type PartName, type Publisher, parts, publishers } from './feed-documents.ts';
import { pack } from './feeds/unpack.ts';
import type { PartRecord } from './store.ts';
import type { DocumentRows } from './tables/rows.ts';
import type { FeedThread } from './thread.ts';

export interface RefreshOptions {
  clock: Clock;
  /** Where publishers are: each is a folder of it. At their own addresses when null. */
  mirror: URL | null;
  /** Key of abuse.ch; empty when there is none. */
  authKey: string;
  /** Reads what came. */
  thread: FeedThread;
  /** What its rows are kept as read by. */
  readBy: string;
  signal?: AbortSignal;
}

export interface Refreshed {
  record: PartRecord;
  /** The new document, packed and as rows; absent when the one before stays. */
  fresh?: { packed: Uint8Array; rows: DocumentRows };
}

/** A share of the interval by which it varies, so that not all hubs ask at once. */
const jitter = 0.1;
/** Data older than this is not compared with any more: a feed that shrank for good is believed then. */
const believedAfterMs = 7 * dayMs;

export function addressOf(publisher: Publisher, path: string, mirror: URL | null): URL {
  const base = mirror ? new URL(`${mirror.href.replace(/\/$/, '')}/${publisher}/`) : new URL(publishers[publisher]);
  return new URL(path, base);
}

/** Whether the document may be asked for with this key. */
export function isUnlocked(name: PartName, { refusedKey }: PartRecord, authKey: string): boolean {
  return parts[name].key === 'none' || (authKey !== '' && refusedKey !== hashToken(authKey));
}

/** Asks for the document. Rejects only when `signal` is aborted. */
export async function refreshPart(name: PartName, before: PartRecord, options: RefreshOptions): Promise<Refreshed> {
  const { clock, signal } = options;
  const onBody = () => options.thread.start();
  const reply = await ask(clock, { ...questionOf(name, before, options), onBody }, signal);
  const now = clock.now();
  const attempted = { ...before, attemptedAt: now };
  const failed = (failure: string, waitMs = 0): Refreshed => {
    const failures = before.failures + 1;
    return { record: { ...attempted, failures, failure, nextAt: now + retryMs(name, failures, waitMs) } };
  };
  if ('failure' in reply) {
    return failed(reply.failure);
  }
  const isSame = reply.status === 304 || (reply.status === 200 && reply.sha256 === before.sha256);
  if (isSame && before.fetchedAt !== null) {
    return { record: { ...good(name, attempted, now), fetchedAt: before.fetchedAt } };
  }
  if ((reply.status === 401 || reply.status === 403) && parts[name].key !== 'none') {
    const refusedKey = hashToken(options.authKey);
    return { record: { ...attempted, refusedKey, failure: 'refused the key', failures: before.failures + 1 } };
  }
  if (reply.status !== 200) {
    return failed(statusFailure(reply), retryAfterMs(reply.headers) ?? 0);
  }
  const isComparable = before.fetchedAt !== null && now - before.fetchedAt < believedAfterMs;
  const task = { part: name, body: reply.body, before: isComparable ? before.entries : 0 };
  const [checked, packed] = await Promise.all([options.thread.run('check', task), pack(reply.body)]);
  if ('problem' in checked) {
    return failed(`sent something that is not the list: ${checked.problem}`);
  }
  const { entries, rows } = checked;
  const validators = {
    etag: reply.headers.get('etag'),
    lastModified: reply.headers.get('last-modified'),
    sha256: reply.sha256,
  };
  const { readBy } = options;
  return {
    record: { ...good(name, attempted, now), ...validators, entries, fetchedAt: now, readBy },
    fresh: { packed, rows },
  };
}

function good(name: PartName, record: PartRecord, now: number): PartRecord {
  const { everyMs, floorMs } = parts[name];
  const varied = everyMs * (1 + jitter * (2 * Math.random() - 1));
  const nextAt = now + Math.max(floorMs, Math.round(varied));
  return { ...record, checkedAt: now, nextAt, failures: 0, failure: null, refusedKey: null };
}

/** Five minutes, then twice as long with each failure, up to six hours; never below what the publisher allows or asks for. */
function retryMs(name: PartName, failures: number, askedMs: number): number {
  const doubled = Math.min(limits.feedRetryMaxMs, limits.feedRetryMinMs * 2 ** Math.min(failures - 1, 20));
  return Math.max(doubled, askedMs, parts[name].floorMs);
}

function questionOf(name: PartName, before: PartRecord, { mirror, authKey }: RefreshOptions): Question {
  const { publisher, path, key, ask: body } = parts[name];
  const url = addressOf(publisher, path, mirror);
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

function statusFailure({ status }: Extract<Reply, { status: number }>): string {
  if (status >= 300 && status < 400) {
    return `answered with a redirect (${status}), which is not followed`;
  }
  return status === 429 ? 'says that it was asked too often (429)' : `answered ${status}`;
}

// Downloads from publishers and services, bounded in time and bytes, without redirects. Its messages name no address.
import { createHash } from 'node:crypto';
import { boundedChunks } from '#kernel/http/bounded-fetch.ts';
import { type Clock, withDeadline, yieldToEventLoop } from '#kernel/time/clock.ts';
import { failurePhrases } from './feed-failure.ts';

export interface DownloadRequest {
  /** May contain a key: never logged, never part of a message. */
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Body of the POST; a GET when absent. */
  body?: string;
  timeoutMs: number;
  /** Of the answer, decompressed. */
  maxBytes: number;
  /** Called when the body of an answer 200 begins to arrive. */
  onBody?: () => void;
}

export type DownloadReply =
  | {
      status: number;
      headers: Headers;
      /** In shared memory. */
      body: Uint8Array;
      /** Digest of the body, hex. */
      sha256: string;
    }
  /** Why there is no answer: a phrase to follow the name of the publisher. */
  | { failure: string };

export async function download(clock: Clock, request: DownloadRequest, signal?: AbortSignal): Promise<DownloadReply> {
  const seconds = request.timeoutMs / 1000;
  try {
    return await withDeadline(
      clock,
      request.timeoutMs,
      () => new Failure(failurePhrases.late(seconds)),
      signal,
      (inner) => exchange(request, inner),
    );
  } catch (error) {
    signal?.throwIfAborted();
    return { failure: error instanceof Failure ? error.message : failurePhrases.broken(findErrorCode(error)) };
  }
}

class Failure extends Error {}

async function exchange(
  { url, headers, body, maxBytes, onBody }: DownloadRequest,
  signal: AbortSignal,
): Promise<DownloadReply> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    redirect: 'manual',
    signal,
    ...(body === undefined ? {} : { body }),
  });
  if (response.status === 200) {
    onBody?.();
  }
  const chunks: Uint8Array[] = [];
  const hash = createHash('sha256');
  const tooLong = () => new Failure(failurePhrases.tooLong(Math.floor(maxBytes / 1_048_576)));
  let size = 0;
  for await (const chunk of boundedChunks(response.body, maxBytes, tooLong)) {
    size += chunk.length;
    hash.update(chunk);
    chunks.push(chunk);
  }
  const whole = await concatShared(chunks, size);
  return { status: response.status, headers: response.headers, body: whole, sha256: hash.digest('hex') };
}

/** Concatenates chunks in shared memory, cooperatively: touching fresh memory is slow. */
export async function concatShared(chunks: readonly Uint8Array[], size: number): Promise<Uint8Array> {
  const whole = new Uint8Array(new SharedArrayBuffer(size));
  let yieldedAt = 0;
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
    if (at - yieldedAt > stepBytes) {
      yieldedAt = at;
      await yieldToEventLoop();
    }
  }
  return whole;
}

const stepBytes = 2_097_152;

/** The error code alone: messages of network errors name addresses, which contain keys. */
function findErrorCode(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : null;
  return code ?? 'no connection';
}

/** `Retry-After` in seconds (RFC 9110 10.2.3) as milliseconds; `null` without it. */
export function parseRetryAfter(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null;
}

// One bounded question to a publisher or a service: so much time, so many bytes, no redirect; no address in what it says.
import { createHash } from 'node:crypto';
import { type Clock, withDeadline, yieldToEventLoop } from '#kernel/clock.ts';
import { boundedChunks } from '#kernel/http/bounded-fetch.ts';

export interface Question {
  /** May hold a key: it is never logged and never part of a message. */
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Sent with POST; a GET without one. */
  body?: string;
  timeoutMs: number;
  /** Bytes of the answer, unpacked. */
  maxBytes: number;
  /** Told when a whole answer (200) begins to arrive. */
  onBody?: () => void;
}

export type Reply =
  | {
      status: number;
      headers: Headers;
      /** In memory that threads share. */
      body: Uint8Array;
      /** Of the body, hex. */
      sha256: string;
    }
  /** No whole answer came: why, in words that follow the name of who was asked. */
  | { failure: string };

export async function ask(clock: Clock, question: Question, signal?: AbortSignal): Promise<Reply> {
  const seconds = question.timeoutMs / 1000;
  try {
    return await withDeadline(
      clock,
      question.timeoutMs,
      () => new Failure(`did not answer within ${seconds} s`),
      signal,
      (inner) => exchange(question, inner),
    );
  } catch (error) {
    signal?.throwIfAborted();
    return { failure: error instanceof Failure ? error.message : `gave no whole answer (${reasonOf(error)})` };
  }
}

class Failure extends Error {}

async function exchange({ url, headers, body, maxBytes, onBody }: Question, signal: AbortSignal): Promise<Reply> {
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
  const tooLong = () => new Failure(`answered with more than ${Math.floor(maxBytes / 1_048_576)} MB`);
  let size = 0;
  for await (const chunk of boundedChunks(response.body, maxBytes, tooLong)) {
    size += chunk.length;
    hash.update(chunk);
    chunks.push(chunk);
  }
  const whole = await joined(chunks, size);
  return { status: response.status, headers: response.headers, body: whole, sha256: hash.digest('hex') };
}

/** One array of all, in memory that threads share. In turns of the event loop: fresh memory is slow to touch. */
export async function joined(chunks: readonly Uint8Array[], size: number): Promise<Uint8Array> {
  const whole = new Uint8Array(new SharedArrayBuffer(size));
  let turn = 0;
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
    if (at - turn > turnBytes) {
      turn = at;
      await yieldToEventLoop();
    }
  }
  return whole;
}

const turnBytes = 2_097_152;

/** What a code says; messages of network errors name addresses, and addresses hold keys. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : null;
  return code ?? 'no connection';
}

/** What `Retry-After` asks for in seconds (RFC 9110 10.2.3), in milliseconds; `null` without it. */
export function retryAfterMs(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null;
}

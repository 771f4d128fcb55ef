// Outgoing requests with a limit of time and of bytes for the whole answer. Redirects are not followed.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type Clock, withDeadline } from '../time/clock.ts';
import { withStartNotice } from './start-notice.ts';

export interface BoundedRequest {
  method: 'GET' | 'POST';
  headers: NonNullable<Dispatcher.RequestOptions['headers']>;
  body?: string | null;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal | undefined;
  /** Opens the connections; the shared dispatcher when absent. */
  dispatcher?: Dispatcher | undefined;
  /** Called when the first byte of the request is about to be sent. Not called when no connection comes about. */
  onSent?: (() => void) | undefined;
  /** Called with the status when the headers of the answer have arrived. */
  onStatus?: ((status: number) => void) | undefined;
  /** The error after `timeoutMs`, and the one for an answer of more than `maxBytes`. */
  late: () => Error;
  tooLong: () => Error;
}

export interface BoundedAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer<ArrayBuffer>;
}

/** Rejects with the errors of `request`, with the reason of its signal, or with that of the network. */
export async function boundedFetch(clock: Clock, url: string | URL, request: BoundedRequest): Promise<BoundedAnswer> {
  const { method, headers, body = null, timeoutMs, maxBytes, late, tooLong, dispatcher, onSent, onStatus } = request;
  return withDeadline(clock, timeoutMs, late, request.signal, async (signal) => {
    // Imported with the first request: the library would make every start slower.
    const undici = await import('undici');
    const asking = onSent ? withStartNotice(dispatcher ?? undici.getGlobalDispatcher(), onSent) : dispatcher;
    const {
      statusCode,
      headers: fields,
      body: chunks,
    } = await undici.request(url, {
      method,
      headers,
      body,
      signal,
      ...(asking && { dispatcher: asking }),
    });
    onStatus?.(statusCode);
    return { status: statusCode, headers: fields, body: await readBounded(chunks, maxBytes, tooLong) };
  });
}

/** The whole body. Rejects with `tooLong()` as soon as it exceeds `maxBytes`, else as `body` does. */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  tooLong: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of boundedChunks(body, maxBytes, tooLong)) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export async function* boundedChunks(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  tooLong: () => Error,
): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw tooLong();
    }
    yield chunk;
  }
}

/** The named headers that an answer has, for a `Response`. */
export function pickHeaders(headers: IncomingHttpHeaders, names: readonly string[]): [name: string, value: string][] {
  return names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
}

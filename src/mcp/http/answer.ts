// Sends responses: refusals as JSON, responses of the SDK unchanged, streams as streams.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { limits } from '#contract/limits.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { mayExceed } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { Refusal } from './refusal.ts';

export function commonHeaders(requestId: string): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}

/** Closes the connection when a large body is still to come. A refused body is drained briefly and discarded. */
export function sendRefusal(raw: ServerResponse, { status, body, headers }: Refusal, requestId: string): void {
  if (raw.headersSent || raw.destroyed) {
    return;
  }
  const isBodyLeft = !raw.req.complete && mayExceed(raw.req, limits.mcpBodyBytes);
  const text = JSON.stringify('jsonrpc' in body ? body : { ...body, requestId });
  raw.writeHead(status, {
    ...commonHeaders(requestId),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...(isBodyLeft ? { Connection: 'close' } : {}),
    ...headers,
  });
  if (isBodyLeft) {
    raw.write(text);
    endSoon(raw);
  } else {
    raw.end(text);
  }
}

/**
 * Drains the rest of a request for a limited time and size. Closing the connection while the client sends would reset
 * it and lose the response.
 */
function endSoon(raw: ServerResponse): void {
  const over = new AbortController();
  const end = () => {
    over.abort();
    raw.end();
  };
  let bytes = 0;
  raw.req.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > limits.mcpLingerBytes) {
      end();
    }
  });
  raw.req.once('end', end);
  raw.once('close', () => over.abort());
  systemClock.sleep(limits.mcpLingerMs, over.signal).then(end, () => undefined);
}

/** Resolves when the response is sent, or when the exchange was aborted, which truncates the response. */
export async function sendResponse(raw: ServerResponse, response: Response, exchange: Exchange): Promise<void> {
  if (raw.headersSent || raw.destroyed) {
    await response.body?.cancel();
    return;
  }
  const isStream = /^text\/event-stream\b/.test(response.headers.get('content-type') ?? '');
  const kept = [...response.headers].filter(([name]) => !/^(connection|transfer-encoding|keep-alive)$/.test(name));
  const headers = { ...Object.fromEntries(kept), ...commonHeaders(exchange.requestId) };
  if (!isStream) {
    // A body that is no stream is complete: one write suffices.
    const bytes = Buffer.from(await response.arrayBuffer());
    raw.writeHead(response.status, { ...headers, 'Content-Length': bytes.length }).end(bytes);
    return;
  }
  raw.writeHead(response.status, { ...headers, 'X-Accel-Buffering': 'no' });
  raw.flushHeaders();
  if (response.body) {
    await pour(response.body, raw, exchange.signal);
  }
  raw.end();
  if (exchange.signal.aborted && raw.writableLength > 0) {
    raw.destroy();
  }
}

async function pour(body: ReadableStream<Uint8Array>, raw: ServerResponse, signal: AbortSignal): Promise<void> {
  const reader = body.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done || signal.aborted) {
      return;
    }
    if (!raw.write(value)) {
      await once(raw, 'drain', { signal }).catch(() => undefined);
    }
  }
}

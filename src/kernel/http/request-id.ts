// The id that ties a request to its answer and its log lines (specification 1 §4, common rules).
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const safe = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** The caller's `X-Request-Id` when it is safe, else a new UUID. */
export function acceptRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && safe.test(given) ? given : randomUUID();
}

const answers: Record<string, readonly [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'the request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'the request took too long to arrive'],
};

/** Answers what was not HTTP enough to become a request, and closes: the same error shape, with an id. */
export function answerBrokenSocket(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code, message] = answers[error.code ?? ''] ?? [
    400,
    'malformed_request',
    'the request is not valid HTTP',
  ];
  const requestId = randomUUID();
  const body = JSON.stringify({ error: message, code, requestId });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
      `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

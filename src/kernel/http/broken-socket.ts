// Answers to malformed requests: headers that are no HTTP, too large, or late (RFC 9112 §2, RFC 6585 §5).
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';
import { errorBody } from './failure.ts';

export type FailureBody = (failure: AppError, requestId: string) => Record<string, unknown>;

/** `clientErrorHandler` of a server: answers with an error body and an id, and closes. */
export function answerBrokenSocket(bodyOf: FailureBody = errorBody) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const failure = failureOf(error.code);
    const requestId = randomUUID();
    const body = JSON.stringify(bodyOf(failure, requestId));
    socket.end(
      `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n` +
        'Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n' +
        `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}

/** Answers a request that takes too long to arrive, and closes its connection. */
export function answerLate(socket: Socket): void {
  answerBrokenSocket()(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
}

/** Options of `http.createServer` that end a request whose headers take longer than `headersMs`, a second later at most. */
export function headersWithin(headersMs: number) {
  return { headersTimeout: headersMs, connectionsCheckingInterval: 1000 };
}

function failureOf(code: string | undefined): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('headers_too_large', 'the request headers are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request_timeout', 'the request took too long to arrive');
    default:
      return new AppError('malformed_request', 'the request is not valid HTTP');
  }
}

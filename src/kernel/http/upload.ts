// Bodies that are files. Their handler reads them as a stream; they are never held in memory.
import { type Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

export function takeAnyBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _body, done) => done(null));
}

/** Reads what is left of a body that its handler did not want, so that the connection can be used again. */
export function dropUpload(request: FastifyRequest): void {
  request.raw.unpipe();
  request.raw.resume();
}

/**
 * The bytes of a body, `maxBytes` at most: throws AppError `payload_too_large` before anything is read when more are
 * announced (Content-Length), and fails with it at the first byte too many.
 */
export function boundedUpload(request: FastifyRequest, maxBytes: number): Readable {
  const tooLarge = () =>
    new AppError('payload_too_large', `the body may have ${maxBytes} bytes: send a smaller file`, {
      headers: { Connection: 'close' },
    });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw tooLarge();
  }
  let size = 0;
  const bounded = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length;
      done(size > maxBytes ? tooLarge() : null, chunk);
    },
  });
  request.raw.once('aborted', () =>
    bounded.destroy(new AppError('malformed_request', 'the body ended too early: send it again')),
  );
  request.raw.once('error', (error) => bounded.destroy(error));
  bounded.once('error', () => request.raw.unpipe(bounded));
  return request.raw.pipe(bounded);
}

// The id that ties a request to its answer and its log lines (docs/reference/rest-api.md#common-rules).
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const safe = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** The caller's `X-Request-Id` when it is safe, else a new UUID. */
export function acceptRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && safe.test(given) ? given : randomUUID();
}

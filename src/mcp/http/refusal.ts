// The refusals of the HTTP endpoint: status, JSON body, and audit reason (docs/reference/mcp-server.md#7-errors,
// docs/reference/wire-contract/7-mcp-http.md#72-one-request).
import { limits } from '#contract/limits.ts';
import type { FixedWindowLimiter, Taken } from '#kernel/http/limiter.ts';
import type { AuditReason } from '../audit.ts';

export interface Refusal {
  status: number;
  body: Record<string, unknown>;
  /** Null when no audit row is written. */
  reason: AuditReason;
  headers: Readonly<Record<string, string>>;
}

/** An error below the protocol: a code and a sentence, not JSON-RPC. */
function plain(
  status: number,
  error: string,
  message: string,
  reason: AuditReason,
  headers: Record<string, string> = {},
): Refusal {
  return { status, body: { error, message }, reason, headers };
}

/** A JSON-RPC error without `id`: the request could not be parsed, and MCP does not allow a null id. */
function rpc(code: number, message: string): Refusal {
  return {
    status: 400,
    body: { jsonrpc: '2.0', error: { code, message } },
    reason: 'bad_request',
    headers: {},
  };
}

type LimitReason = Extract<AuditReason, `${string}_limit`>;

export const refuse = {
  /** `challenge` is the value of `WWW-Authenticate`. */
  unauthorized: (message: string, challenge: string) =>
    plain(401, 'unauthorized', message, 'unauthorized', { 'WWW-Authenticate': challenge }),
  invalidToken: (message: string, challenge: string) =>
    plain(401, 'invalid_token', message, 'invalid_token', { 'WWW-Authenticate': challenge }),
  insufficientScope: (message: string, challenge: string) =>
    plain(403, 'insufficient_scope', message, 'insufficient_scope', { 'WWW-Authenticate': challenge }),
  foreign: (message: string) => plain(403, 'forbidden', message, 'client_error'),
  notFound: () => plain(404, 'not_found', 'there is nothing at this path: MCP is at /mcp', 'not_found'),
  method: () =>
    plain(405, 'method_not_allowed', 'use POST: there are no sessions to open or end', 'method_not_allowed', {
      Allow: 'POST',
    }),
  accept: () => plain(406, 'not_acceptable', 'Accept must list application/json and text/event-stream', 'client_error'),
  tooLarge: (bytes: number) =>
    plain(413, 'payload_too_large', `the body may have ${bytes} bytes at most`, 'payload_too_large', {
      Connection: 'close',
    }),
  mediaType: () =>
    plain(415, 'unsupported_media_type', 'send the body as application/json, uncompressed', 'client_error'),
  limited: (reason: LimitReason, waitMs: number) => {
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    const message = `too many requests: try again in ${seconds} s`;
    return plain(429, 'rate_limited', message, reason, { 'Retry-After': String(seconds) });
  },
  timeout: () =>
    plain(504, 'request_timeout', 'the request took too long and was ended', 'request_timeout', {
      Connection: 'close',
    }),
  unaudited: () =>
    plain(
      503,
      'audit_unavailable',
      'the audit store cannot be written, and nothing is served without it: the log of the MCP server says why',
      'server_error',
      { 'Retry-After': String(limits.auditRetryMs / 1000) },
    ),
  internal: () => plain(500, 'server_error', 'something failed inside; the log has the details', 'server_error'),
  notJson: () => rpc(-32700, 'Parse error: the body is not JSON'),
  batch: () => rpc(-32600, 'Invalid request: send one JSON-RPC message per POST, not a batch'),
  notAMessage: () => rpc(-32600, 'Invalid request: the body is not a JSON-RPC message'),
} as const;

/** Null when the request is allowed, otherwise 429 until the window ends. */
export function refuseUnless(reason: LimitReason, window: FixedWindowLimiter, taken: Taken): Refusal | null {
  return taken.allowed ? null : refuse.limited(reason, window.remainingMs(taken));
}

export function isLimit(reason: AuditReason): reason is LimitReason {
  return reason.endsWith('_limit');
}
